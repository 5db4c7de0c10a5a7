/** What each quality flag of a record means to a reader. */

const MEANINGS: Record<string, string> = {
  title_missing: "No title is recorded.",
  title_multilingual: "The title is recorded in several languages or scripts, separated by “|”.",
  artist_missing: "No artist or maker is recorded.",
  artist_columns_misaligned:
    "The artist columns do not have the same number of entries, so roles and dates could not be matched to names.",
  artist_name_blank: "An entry in the artist columns has no name and was left out.",
  artist_end_open: "An artist's end year is recorded as 9999, which means that it is open.",
  artist_ulan_unassigned: "An artist has no entry in the Union List of Artist Names.",
  date_missing: "No date is recorded.",
  date_text_missing: "The date has years but no wording.",
  date_unparsed: "The recorded years are not whole numbers, or one of the two is missing.",
  date_zero_placeholder: "Both years are recorded as 0 beside a worded date; they are a placeholder and are not used.",
  date_reversed: "The recorded begin year is after the end year; the years are not used.",
  date_implausible: "The recorded years lie outside any plausible range and are not used.",
  date_century_as_year: "A century seems to be recorded as a year: the years say the century's number.",
  date_era_mismatch: "The wording says B.C. but the recorded years are A.D.",
  culture_missing: "No culture is recorded.",
  medium_missing: "No medium is recorded.",
  classification_missing: "No classification is recorded.",
  tags_missing: "No subject tags are recorded.",
  tags_misaligned: "The tag columns do not have the same number of entries.",
  geography_misaligned:
    "The geography columns do not have the same number of entries, so places may not belong together.",
  object_number_missing: "No object number is recorded.",
  object_url_unexpected: "The recorded link does not point to this object, so it is not shown.",
  rights_unparsed: "Whether the object is in the public domain is recorded as neither true nor false.",
  rights_text_on_public_domain: "The object is marked as public domain and yet has a rights text.",
  edge_whitespace: "Some recorded texts begin or end with white space.",
  replacement_character: "A recorded text contains a damaged character.",
  api_conflict_title: "Catalogue file and API give different titles.",
  api_conflict_artist: "Catalogue file and API name different artists.",
  api_conflict_date: "Catalogue file and API give different dates.",
  api_conflict_rights: "Catalogue file and API disagree about the public domain.",
  image_evidence_disagrees: "The API published no image, but an image existed when image vectors were made.",
  api_only: "The object is known from the API alone; it has no record in the catalogue file.",
};

/** The sentence for a flag; an unknown flag is its own explanation. */
export function meaning(flag: string): string {
  return MEANINGS[flag] ?? `${flag.replaceAll("_", " ")}.`;
}

export function isExplained(flag: string): boolean {
  return Object.hasOwn(MEANINGS, flag);
}

/** Flags that say that two sources disagree: these are said aloud, not folded away. */
export function isConflict(flag: string): boolean {
  return flag.startsWith("api_conflict_") || flag === "image_evidence_disagrees";
}
