//! What can be unusual about a record. A flag never changes a value.

use std::collections::BTreeSet;

use periplus_collection::text;

use super::columns::Column;
use super::record::Row;

/// A name that `data_quality` may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QualityFlag {
    /// Lower-case snake.
    pub name: &'static str,
    /// When a record has it, in one sentence.
    pub description: &'static str,
}

const fn flag(name: &'static str, description: &'static str) -> QualityFlag {
    QualityFlag { name, description }
}

/// Every flag, in code point order.
pub const QUALITY_FLAGS: [QualityFlag; 33] = [
    flag(
        "api_conflict_artist",
        "The CSV and the API name different artists.",
    ),
    flag(
        "api_conflict_date",
        "The CSV and the API record different years or different date texts.",
    ),
    flag(
        "api_conflict_rights",
        "The CSV and the API disagree on the public domain.",
    ),
    flag(
        "api_conflict_title",
        "The CSV and the API record different titles.",
    ),
    flag("api_only", "The object is known from an API capture alone."),
    flag(
        "artist_columns_misaligned",
        "A list about the artists has another length than the list of names; its values are not used.",
    ),
    flag(
        "artist_end_open",
        "An artist's end year is 9999: living or active.",
    ),
    flag("artist_missing", "No artist is recorded."),
    flag(
        "artist_name_blank",
        "A member of the list of artist names is blank.",
    ),
    flag(
        "artist_ulan_unassigned",
        "An artist's ULAN link is the text (not assigned).",
    ),
    flag("classification_missing", "No classification is recorded."),
    flag("culture_missing", "No culture is recorded."),
    flag(
        "date_century_as_year",
        "The years are the number of a century that the date text names.",
    ),
    flag(
        "date_era_mismatch",
        "The date text says BCE but the first year is positive.",
    ),
    flag(
        "date_implausible",
        "The interval ends after 2100 or begins before -4000000.",
    ),
    flag("date_missing", "No date is recorded."),
    flag("date_reversed", "The first year is after the last."),
    flag("date_text_missing", "Years are recorded without a date text."),
    flag(
        "date_unparsed",
        "A year is not a whole number, or only one of the two is recorded.",
    ),
    flag("date_zero_placeholder", "Both years are 0 beside a date text."),
    flag("edge_whitespace", "A cell starts or ends with white space."),
    flag(
        "geography_misaligned",
        "The geography lists have different lengths, so their members do not pair up.",
    ),
    flag(
        "image_evidence_disagrees",
        "The API publishes no image but an image vector exists.",
    ),
    flag("medium_missing", "No medium is recorded."),
    flag("object_number_missing", "No object number is recorded."),
    flag(
        "object_url_unexpected",
        "The link is not the object's page at the museum.",
    ),
    flag(
        "replacement_character",
        "A cell holds U+FFFD, the mark of an earlier encoding error.",
    ),
    flag(
        "rights_text_on_public_domain",
        "A rights text is recorded for an object in the public domain.",
    ),
    flag(
        "rights_unparsed",
        "The public domain cell is neither true nor false.",
    ),
    flag("tags_misaligned", "The three tag lists have different lengths."),
    flag("tags_missing", "No tag is recorded."),
    flag("title_missing", "No title is recorded."),
    flag(
        "title_multilingual",
        "The title cell holds several titles, separated by a bar.",
    ),
];

/// The flags of one record while it is being read.
#[derive(Debug, Default)]
pub(super) struct FlagSet(BTreeSet<&'static str>);

impl FlagSet {
    pub(super) fn insert(&mut self, name: &'static str) {
        debug_assert!(
            QUALITY_FLAGS.iter().any(|flag| flag.name == name),
            "{name} is a listed flag"
        );
        self.0.insert(name);
    }

    /// The names in code point order.
    pub(super) fn into_names(self) -> Vec<String> {
        self.0.into_iter().map(str::to_owned).collect()
    }
}

/// The geography columns, whose lists ought to run parallel.
const GEOGRAPHY: [Column; 11] = [
    Column::GeographyType,
    Column::City,
    Column::State,
    Column::County,
    Column::Country,
    Column::Region,
    Column::Subregion,
    Column::Locale,
    Column::Locus,
    Column::Excavation,
    Column::River,
];

const TAGS: [Column; 3] = [Column::Tags, Column::TagsAatUrl, Column::TagsWikidataUrl];

/// The columns whose edges are looked at.
const EDGED: [Column; 8] = [
    Column::Title,
    Column::ObjectName,
    Column::Medium,
    Column::Culture,
    Column::Classification,
    Column::CreditLine,
    Column::Dimensions,
    Column::Department,
];

/// Flags that only the raw cells show.
pub(super) fn flag_cells(row: Row<'_>, object_id: u64, flags: &mut FlagSet) {
    let mut check = |condition: bool, name| {
        if condition {
            flags.insert(name);
        }
    };
    check(
        text::clean(row.cell(Column::ObjectNumber)).is_none(),
        "object_number_missing",
    );
    check(
        !is_object_page(row.cell(Column::LinkResource), object_id),
        "object_url_unexpected",
    );
    check(
        row.cells().any(|cell| cell.contains('\u{fffd}')),
        "replacement_character",
    );
    check(
        EDGED.iter().any(|&column| has_edge_whitespace(row.cell(column))),
        "edge_whitespace",
    );
    check(geography_is_misaligned(row), "geography_misaligned");
    let tag_counts = TAGS.map(|column| member_count(row.cell(column)));
    check(
        tag_counts.iter().any(|count| *count != tag_counts[0]),
        "tags_misaligned",
    );
}

fn has_edge_whitespace(cell: &str) -> bool {
    cell.trim().len() < cell.len() && text::clean(cell).is_some()
}

/// Raw members, blank ones included: a blank cell is a list of one blank member.
fn member_count(cell: &str) -> usize {
    cell.split('|').count()
}

fn geography_is_misaligned(row: Row<'_>) -> bool {
    let mut counts = GEOGRAPHY
        .iter()
        .map(|&column| row.cell(column))
        .filter(|cell| text::clean(cell).is_some())
        .map(member_count);
    // Different counts imply that one of them is above one.
    counts
        .next()
        .is_some_and(|first| counts.any(|count| count != first))
}

fn is_object_page(link: &str, object_id: u64) -> bool {
    let link = link.trim();
    let rest = link
        .strip_prefix("http://")
        .or_else(|| link.strip_prefix("https://"));
    rest.and_then(|rest| rest.strip_prefix("www.metmuseum.org/art/collection/search/"))
        .is_some_and(|id| id == object_id.to_string())
}
