//! One synthetic row for every flag that cells alone can raise, and its neighbour that must not raise it.

use periplus_collection::{ObjectDate, Record};
use periplus_collection_import::CsvRecord;
use periplus_collection_import::met::{Column, Header, HeaderVariant, record};

/// A row with nothing unusual, changed in some cells.
fn record_with(changes: &[(Column, &str)]) -> Record {
    let mut cells = [""; 54];
    let usual = [
        (Column::ObjectNumber, "1.2"),
        (Column::IsPublicDomain, "True"),
        (Column::ObjectId, "7"),
        (Column::Title, "Title"),
        (Column::Culture, "French"),
        (Column::ArtistDisplayName, "A|B"),
        (Column::ArtistRole, "Maker|Designer"),
        (Column::ObjectDate, "1900"),
        (Column::ObjectBeginDate, "1900"),
        (Column::ObjectEndDate, "1900"),
        (Column::Medium, "Gold"),
        (Column::Classification, "Metalwork"),
        (
            Column::LinkResource,
            "http://www.metmuseum.org/art/collection/search/7",
        ),
        (Column::Tags, "Birds"),
    ];
    for (column, cell) in usual.iter().chain(changes) {
        cells[*column as usize] = cell;
    }
    record(
        &Header::new(HeaderVariant::Current54),
        &CsvRecord::new(1, 0, cells),
    )
    .expect("a valid row")
}

fn dated(text: &'static str, begin: &'static str, end: &'static str) -> Record {
    let cells = [
        (Column::ObjectDate, text),
        (Column::ObjectBeginDate, begin),
        (Column::ObjectEndDate, end),
    ];
    record_with(&cells)
}

#[test]
fn nothing_unusual_raises_no_flag() {
    assert_eq!(record_with(&[]).data_quality, Vec::<String>::new());
}

#[test]
fn each_unusual_cell_raises_its_flag_alone() {
    let cases: [(Column, &str, &[&str]); 24] = [
        (Column::Title, " | ", &["title_missing"]),
        (Column::Title, "題|Title", &["title_multilingual"]),
        (
            Column::ArtistDisplayName,
            "",
            &["artist_columns_misaligned", "artist_missing"],
        ),
        (Column::ArtistRole, "Maker", &["artist_columns_misaligned"]),
        (Column::ArtistRole, " | | ", &[]),
        (Column::ArtistDisplayName, "A| ", &["artist_name_blank"]),
        (
            Column::ArtistEndDate,
            "1850      |9999      ",
            &["artist_end_open"],
        ),
        (
            Column::ArtistUlanUrl,
            "(not assigned)|",
            &["artist_ulan_unassigned"],
        ),
        (Column::Culture, "", &["culture_missing"]),
        (Column::Medium, "|", &["medium_missing"]),
        (Column::Classification, "|", &["classification_missing"]),
        (Column::Tags, "", &["tags_missing"]),
        (Column::TagsAatUrl, "http://a|http://b", &["tags_misaligned"]),
        (Column::City, "Paris", &[]),
        (Column::ObjectNumber, " ", &["object_number_missing"]),
        (Column::LinkResource, "", &["object_url_unexpected"]),
        (
            Column::LinkResource,
            "http://www.metmuseum.org/art/collection/search/48,8/12/2019",
            &["object_url_unexpected"],
        ),
        (
            Column::LinkResource,
            "https://www.metmuseum.org/art/collection/search/7",
            &[],
        ),
        (Column::IsPublicDomain, "yes", &["rights_unparsed"]),
        (Column::IsPublicDomain, " tRUE ", &[]),
        (
            Column::RightsAndReproduction,
            "© 2023",
            &["rights_text_on_public_domain"],
        ),
        (Column::CreditLine, "Gift ", &["edge_whitespace"]),
        (Column::CreditLine, "  ", &[]),
        (Column::Reign, "a\u{fffd}b", &["replacement_character"]),
    ];
    for (column, cell, expected) in cases {
        assert_eq!(
            record_with(&[(column, cell)]).data_quality,
            expected,
            "{column:?} {cell:?}"
        );
    }
}

#[test]
fn geography_lists_of_different_length_are_flagged_and_never_paired() {
    let record = record_with(&[(Column::GeographyType, "Made in|From"), (Column::Country, "Iran")]);
    assert_eq!(record.data_quality, ["geography_misaligned"]);
    assert_eq!(
        (record.geography.kind.len(), record.geography.country.len()),
        (2, 1)
    );
    let blank = record_with(&[
        (Column::GeographyType, "Made in|From"),
        (Column::State, "|"),
        (Column::Country, "Iran|Iran"),
    ]);
    assert_eq!(blank.data_quality, Vec::<String>::new());
    assert_eq!(blank.geography.country, ["Iran"]);
}

#[test]
fn dates_are_taken_as_recorded() {
    let cases: [(&str, &str, &str, &str, &[&str]); 19] = [
        ("", "", "", "missing", &["date_missing"]),
        ("", "0", "0", "missing", &["date_missing"]),
        ("15th century", "0", "0", "invalid", &["date_zero_placeholder"]),
        ("1900", "", "", "invalid", &["date_unparsed"]),
        ("1900", "1900", "", "invalid", &["date_unparsed"]),
        ("1900", "19OO", "1900", "invalid", &["date_unparsed"]),
        ("1900", "12345678", "1900", "invalid", &["date_unparsed"]),
        ("664–525 B.C.", "-664", "-688", "invalid", &["date_reversed"]),
        (
            "ca. 1500–1525",
            "1500",
            "153505",
            "invalid",
            &["date_implausible"],
        ),
        ("long ago", "-4000001", "0", "invalid", &["date_implausible"]),
        ("very long ago", "-4000000", "0", "valid", &[]),
        ("", "918", "1392", "valid", &["date_text_missing"]),
        (
            "ca. 2nd century BCE–3rd century CE",
            "-2",
            "-2",
            "valid",
            &["date_century_as_year"],
        ),
        ("ca. 6th century CE", "6", "6", "valid", &["date_century_as_year"]),
        ("6th year of the century", "6", "6", "valid", &[]),
        ("ca. 16th century", "6", "6", "valid", &[]),
        (
            "500 B.C.",
            "500",
            "400",
            "invalid",
            &["date_era_mismatch", "date_reversed"],
        ),
        ("500 BCE–100 CE", "1", "100", "valid", &[]),
        (" 1761 ", "1761      ", " 1761", "valid", &[]),
    ];
    for (text, begin, end, state, expected) in cases {
        let record = dated(text, begin, end);
        let found = match record.object_date {
            ObjectDate::Missing => "missing",
            ObjectDate::Valid(_) => "valid",
            ObjectDate::Invalid => "invalid",
            ObjectDate::Conflict => "conflict",
        };
        assert_eq!(
            (found, record.data_quality),
            (state, expected.iter().map(|f| (*f).to_owned()).collect()),
            "{text:?} {begin} {end}"
        );
    }
}

#[test]
fn attributions_glue_punctuation_and_collapse_spaces() {
    let record = record_with(&[
        (Column::ArtistPrefix, "After  a model by|"),
        (Column::ArtistSuffix, "|, made in London"),
    ]);
    let attributions: Vec<&str> = record
        .artist_mentions()
        .iter()
        .map(|m| m.attribution.as_str())
        .collect();
    assert_eq!(attributions, ["After a model by A", "B, made in London"]);
    let record = record_with(&[
        (Column::ArtistSuffix, "and workshop|)"),
        (Column::ArtistDisplayName, "A|(B"),
    ]);
    let attributions: Vec<&str> = record
        .artist_mentions()
        .iter()
        .map(|m| m.attribution.as_str())
        .collect();
    assert_eq!(attributions, ["A and workshop", "(B)"]);
}
