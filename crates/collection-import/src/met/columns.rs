//! The columns of `MetObjects.csv`.
//!
//! The file of today has 54 columns; the file of 2016 to early 2019 has 43 of them, in the same order.

use crate::CsvRecord;

/// A column of the current file, by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the column of that name")]
pub enum Column {
    ObjectNumber,
    IsHighlight,
    IsTimelineWork,
    IsPublicDomain,
    ObjectId,
    GalleryNumber,
    Department,
    AccessionYear,
    ObjectName,
    Title,
    Culture,
    Period,
    Dynasty,
    Reign,
    Portfolio,
    ConstituentId,
    ArtistRole,
    ArtistPrefix,
    ArtistDisplayName,
    ArtistDisplayBio,
    ArtistSuffix,
    ArtistAlphaSort,
    ArtistNationality,
    ArtistBeginDate,
    ArtistEndDate,
    ArtistGender,
    ArtistUlanUrl,
    ArtistWikidataUrl,
    ObjectDate,
    ObjectBeginDate,
    ObjectEndDate,
    Medium,
    Dimensions,
    CreditLine,
    GeographyType,
    City,
    State,
    County,
    Country,
    Region,
    Subregion,
    Locale,
    Locus,
    Excavation,
    River,
    Classification,
    RightsAndReproduction,
    LinkResource,
    ObjectWikidataUrl,
    MetadataDate,
    Repository,
    Tags,
    TagsAatUrl,
    TagsWikidataUrl,
}

/// Names of the columns, in the order of the current file.
const NAMES: [&str; 54] = [
    "Object Number",
    "Is Highlight",
    "Is Timeline Work",
    "Is Public Domain",
    "Object ID",
    "Gallery Number",
    "Department",
    "AccessionYear",
    "Object Name",
    "Title",
    "Culture",
    "Period",
    "Dynasty",
    "Reign",
    "Portfolio",
    "Constituent ID",
    "Artist Role",
    "Artist Prefix",
    "Artist Display Name",
    "Artist Display Bio",
    "Artist Suffix",
    "Artist Alpha Sort",
    "Artist Nationality",
    "Artist Begin Date",
    "Artist End Date",
    "Artist Gender",
    "Artist ULAN URL",
    "Artist Wikidata URL",
    "Object Date",
    "Object Begin Date",
    "Object End Date",
    "Medium",
    "Dimensions",
    "Credit Line",
    "Geography Type",
    "City",
    "State",
    "County",
    "Country",
    "Region",
    "Subregion",
    "Locale",
    "Locus",
    "Excavation",
    "River",
    "Classification",
    "Rights and Reproduction",
    "Link Resource",
    "Object Wikidata URL",
    "Metadata Date",
    "Repository",
    "Tags",
    "Tags AAT URL",
    "Tags Wikidata URL",
];

/// Columns the old file lacks.
const ADDED_SINCE_LEGACY: [Column; 11] = [
    Column::IsTimelineWork,
    Column::GalleryNumber,
    Column::AccessionYear,
    Column::ConstituentId,
    Column::ArtistGender,
    Column::ArtistUlanUrl,
    Column::ArtistWikidataUrl,
    Column::ObjectWikidataUrl,
    Column::Tags,
    Column::TagsAatUrl,
    Column::TagsWikidataUrl,
];

/// Which columns a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderVariant {
    /// The 54 columns in use since 2020.
    Current54,
    /// The 43 columns in use until early 2019.
    Legacy43,
}

impl HeaderVariant {
    /// The name in manifests and arguments.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Current54 => "current54",
            Self::Legacy43 => "legacy43",
        }
    }

    /// Names of the columns, in order.
    pub fn column_names(self) -> impl Iterator<Item = &'static str> {
        let is_present = move |index: &usize| {
            self == Self::Current54 || !ADDED_SINCE_LEGACY.iter().any(|column| *column as usize == *index)
        };
        (0..NAMES.len()).filter(is_present).map(|index| NAMES[index])
    }
}

/// Where each column is in a file.
#[derive(Debug, Clone)]
pub struct Header {
    variant: HeaderVariant,
    positions: [Option<usize>; NAMES.len()],
    width: usize,
}

impl Header {
    /// The header of a variant.
    #[must_use]
    pub fn new(variant: HeaderVariant) -> Self {
        let mut positions = [None; NAMES.len()];
        let mut width = 0;
        for (position, name) in variant.column_names().enumerate() {
            if let Some(index) = NAMES.iter().position(|known| *known == name) {
                positions[index] = Some(position);
            }
            width = position + 1;
        }
        Self {
            variant,
            positions,
            width,
        }
    }

    /// Which columns the file has.
    #[must_use]
    pub const fn variant(&self) -> HeaderVariant {
        self.variant
    }

    /// How many cells a record has.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// The first difference between a file's header and this one, as a sentence.
    #[must_use]
    pub fn difference(&self, found: &CsvRecord) -> Option<String> {
        let names: Vec<&str> = self.variant.column_names().collect();
        if found.len() == 1 && found.cell(0).contains(';') {
            return Some("cells are separated by semicolons: this is a spreadsheet's re-export, take the museum's own file".to_owned());
        }
        for (position, expected) in names.iter().enumerate() {
            let cell = found.cell(position);
            if position >= found.len() {
                return Some(format!(
                    "column {} is missing: expected {expected:?}",
                    position + 1
                ));
            }
            if cell != *expected {
                let cell: String = cell.chars().take(80).collect();
                return Some(format!(
                    "column {} is {cell:?}, expected {expected:?}",
                    position + 1
                ));
            }
        }
        (found.len() > names.len()).then(|| format!("{} columns, expected {}", found.len(), names.len()))
    }

    /// The raw cell of a column; empty if the file lacks the column.
    #[must_use]
    pub fn cell<'a>(&self, row: &'a CsvRecord, column: Column) -> &'a str {
        self.positions[column as usize].map_or("", |position| row.cell(position))
    }
}

#[cfg(test)]
mod tests {
    use super::{Column, Header, HeaderVariant, NAMES};
    use crate::CsvReader;

    fn header_of(bytes: &[u8]) -> crate::CsvRecord {
        CsvReader::new(bytes)
            .read()
            .expect("valid CSV")
            .expect("a header")
    }

    #[test]
    fn both_shipped_files_have_the_expected_header() {
        let current = header_of(include_bytes!("../../../../data/met/MetObjects.sample.csv"));
        let legacy = header_of(include_bytes!(
            "../../../../data/met/MetObjects.legacy43.sample.csv"
        ));
        assert_eq!(Header::new(HeaderVariant::Current54).difference(&current), None);
        assert_eq!(Header::new(HeaderVariant::Legacy43).difference(&legacy), None);
        assert_eq!(
            Header::new(HeaderVariant::Current54)
                .difference(&legacy)
                .as_deref(),
            Some("column 3 is \"Is Public Domain\", expected \"Is Timeline Work\"")
        );
    }

    #[test]
    fn a_re_export_is_refused_with_its_first_difference() {
        let header = Header::new(HeaderVariant::Current54);
        let semicolons = header_of(NAMES.join(";").as_bytes());
        assert!(
            header
                .difference(&semicolons)
                .is_some_and(|text| text.contains("semicolons"))
        );
        let short = header_of(NAMES[..53].join(",").as_bytes());
        assert_eq!(
            header.difference(&short).as_deref(),
            Some("column 54 is missing: expected \"Tags Wikidata URL\"")
        );
        let long = header_of(format!("{},score", NAMES.join(",")).as_bytes());
        assert_eq!(
            header.difference(&long).as_deref(),
            Some("55 columns, expected 54")
        );
    }

    #[test]
    fn names_and_variants_agree_on_positions() {
        assert_eq!(NAMES[Column::ObjectId as usize], "Object ID");
        assert_eq!(NAMES[Column::TagsWikidataUrl as usize], "Tags Wikidata URL");
        assert_eq!(HeaderVariant::Legacy43.column_names().count(), 43);
    }
}
