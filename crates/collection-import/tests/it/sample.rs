use std::collections::BTreeMap;

use periplus_collection::{Columns, Merged, ObjectDate, Record, StringField};
use periplus_collection_import::CsvReader;
use periplus_collection_import::met::{
    Header, HeaderVariant, QUALITY_FLAGS, SAMPLE_CSV, columns_of_csv, record,
};
use serde_json::{Value, json};

use crate::oracle::{counts, number, oracle};

const LEGACY_CSV: &[u8] = include_bytes!("../../../../data/met/MetObjects.legacy43.sample.csv");

fn records(csv: &[u8], variant: HeaderVariant) -> Vec<Record> {
    let header = Header::new(variant);
    let mut reader = CsvReader::new(csv);
    reader.read().expect("valid CSV").expect("a header");
    let rows = std::iter::from_fn(|| reader.read().expect("valid CSV"));
    rows.map(|row| record(&header, &row).expect("a record")).collect()
}

fn sample() -> Vec<Record> {
    records(SAMPLE_CSV, HeaderVariant::Current54)
}

fn sample_columns() -> Columns {
    columns_of_csv(SAMPLE_CSV, HeaderVariant::Current54).expect("the sample is valid")
}

fn flag_counts(records: &[Record]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for flag in records.iter().flat_map(|record| &record.data_quality) {
        *counts.entry(flag.as_str()).or_default() += 1;
    }
    counts
}

fn date_state(record: &Record) -> &'static str {
    match record.object_date {
        ObjectDate::Missing => "missing",
        ObjectDate::Valid(_) => "valid",
        ObjectDate::Invalid => "invalid",
        ObjectDate::Conflict => "conflict",
    }
}

fn count(records: &[Record], condition: impl Fn(&Record) -> bool) -> usize {
    records.iter().filter(|record| condition(record)).count()
}

fn field(name: &str) -> Option<StringField> {
    Some(match name {
        "department" => StringField::Department,
        "object_name" => StringField::ObjectName,
        "classification" => StringField::Classification,
        "culture" => StringField::Culture,
        "medium" => StringField::Medium,
        "tags" => StringField::Tags,
        "artist_role" => StringField::ArtistRole,
        "geography_country" => StringField::GeographyCountry,
        "data_quality" => StringField::DataQuality,
        _ => return None,
    })
}

#[test]
fn record_counts_are_those_of_the_oracle() {
    let (oracle, records) = (oracle(), sample());
    assert_eq!(records.len(), number(&oracle["records"]));
    for (value, expected) in counts(&oracle["publicDomain"]) {
        let wanted = Merged::Value(value == "True");
        assert_eq!(
            count(&records, |record| record.is_public_domain == wanted),
            expected,
            "{value}"
        );
    }
    for (state, expected) in counts(&oracle["dateStates"]) {
        assert_eq!(
            count(&records, |record| date_state(record) == state),
            expected,
            "{state}"
        );
    }
    let mentions = records
        .iter()
        .map(|record| record.artist_mentions().len())
        .sum::<usize>();
    assert_eq!(mentions, number(&oracle["artistMentions"]));
    assert_eq!(
        count(&records, |record| !record.artist_mentions().is_empty()),
        number(&oracle["recordsWithArtists"])
    );
    assert_eq!(
        count(&records, |record| record.artist_mentions().len() > 1),
        number(&oracle["recordsWith2PlusArtists"])
    );
}

#[test]
fn quality_flags_are_those_of_the_oracle() {
    let (oracle, records) = (oracle(), sample());
    let expected: Vec<(String, usize)> = counts(&oracle["dataQuality"]);
    let found: Vec<(String, usize)> = flag_counts(&records)
        .into_iter()
        .map(|(name, count)| (name.to_owned(), count))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn quality_flags_are_listed_in_order() {
    assert!(QUALITY_FLAGS.is_sorted_by(|left, right| left.name < right.name));
    assert!(QUALITY_FLAGS.iter().all(|flag| flag.description.ends_with('.')));
}

#[test]
fn old_rows_have_their_known_defects() {
    let records = records(LEGACY_CSV, HeaderVariant::Legacy43);
    assert_eq!(records.len(), 4721);
    let found = flag_counts(&records);
    let expected = [
        ("title_missing", 328),
        ("title_multilingual", 68),
        ("artist_missing", 1882),
        ("artist_columns_misaligned", 642),
        ("artist_end_open", 84),
        ("date_missing", 8),
        ("date_text_missing", 147),
        ("date_zero_placeholder", 2),
        ("date_reversed", 3),
        ("date_century_as_year", 3),
        ("culture_missing", 2791),
        ("medium_missing", 64),
        ("classification_missing", 570),
        ("tags_missing", 4721),
        ("geography_misaligned", 21),
        ("edge_whitespace", 148),
    ];
    assert_eq!(found, expected.into_iter().collect());
    let states = ["valid", "missing", "invalid"].map(|state| count(&records, |r| date_state(r) == state));
    assert_eq!(states, [4708, 8, 5]);
}

#[test]
fn a_prefix_nobody_can_place_is_used_for_no_artist() {
    let records = records(LEGACY_CSV, HeaderVariant::Legacy43);
    let record = records
        .iter()
        .find(|record| record.object_id == 659_729)
        .expect("a known row");
    assert_eq!(record.artist_mentions().len(), 3);
    assert!(
        record
            .artist_mentions()
            .iter()
            .all(|mention| mention.attribution == mention.name)
    );
    assert!(
        record
            .data_quality
            .iter()
            .any(|flag| flag == "artist_columns_misaligned")
    );
}

#[test]
fn whole_records_are_those_of_the_oracle() {
    let (oracle, records) = (oracle(), sample());
    let expected = oracle["records_sample"].as_array().expect("a list of records");
    assert!(expected.len() > 5);
    for expected in expected {
        let id = expected["objectId"].as_u64().expect("an id");
        let record = records
            .iter()
            .find(|record| record.object_id == id)
            .expect("an id of the sample");
        let interval = match record.object_date {
            ObjectDate::Valid(interval) => json!([interval.begin, interval.end]),
            _ => Value::Null,
        };
        let geography = &record.geography;
        let places = [
            ("Geography Type", &geography.kind),
            ("City", &geography.city),
            ("State", &geography.state),
            ("County", &geography.county),
            ("Country", &geography.country),
            ("Region", &geography.region),
            ("Subregion", &geography.subregion),
            ("Locale", &geography.locale),
        ];
        let places: serde_json::Map<String, Value> = places
            .into_iter()
            .filter(|(_name, members)| !members.is_empty())
            .map(|(name, members)| (name.to_owned(), json!(members)))
            .collect();
        let found = json!({
            "objectId": id,
            "title": record.title.value(),
            "classification": record.classification,
            "artistMentions": record.artist_mentions(),
            "dateState": date_state(record),
            "date": interval,
            "geo": places,
            "qualityFlags": record.data_quality,
        });
        assert_eq!(&found, expected);
    }
}

#[test]
fn facet_values_are_those_of_the_oracle() {
    let (oracle, columns) = (oracle(), sample_columns());
    let facets = oracle["facets"].as_object().expect("an object of facets");
    for (name, expected) in facets {
        let column = columns.string(field(name).expect("a facet this test knows"));
        let values: Vec<(&str, usize)> = (0..u32::try_from(column.values.len()).expect("a small column"))
            .map(|id| (column.values.get(id), column.rows_of.get(id).len()))
            .collect();
        assert_eq!(values.len(), number(&expected["distinct"]), "{name}");
        let first: Vec<(&str, usize)> = expected["firstByOrder"]
            .as_array()
            .expect("a list of pairs")
            .iter()
            .map(|pair| (pair[0].as_str().expect("a value"), number(&pair[1])))
            .collect();
        assert_eq!(values[..first.len()], first, "{name}");
        for pair in expected["topByCount"].as_array().expect("a list of pairs") {
            let value = (pair[0].as_str().expect("a value"), number(&pair[1]));
            assert!(values.contains(&value), "{name}: {value:?}");
        }
    }
}

#[test]
fn the_bag_statistics_are_those_of_the_oracle() {
    let (oracle, columns) = (oracle(), sample_columns());
    let expected = &oracle["bm25"];
    assert_eq!(columns.len(), number(&expected["N"]));
    assert_eq!(columns.terms.terms.len(), number(&expected["vocabulary"]));
    let total: u64 = columns.terms.lengths.iter().copied().map(u64::from).sum();
    #[expect(clippy::cast_precision_loss, reason = "both numbers are small")]
    let average = total as f64 / columns.len() as f64;
    assert_eq!(format!("{average:.6}"), expected["avgdl"].to_string());
}

#[test]
fn columns_do_not_depend_on_the_order_of_rows() {
    let text = std::str::from_utf8(LEGACY_CSV).expect("UTF-8");
    let header = Header::new(HeaderVariant::Legacy43);
    let mut forwards = records(text.as_bytes(), HeaderVariant::Legacy43);
    let build = |records: &[Record]| {
        let mut builder = periplus_collection::ColumnsBuilder::new();
        for record in records {
            builder.push(record).expect("room");
        }
        builder.finish().expect("distinct ids")
    };
    assert_eq!(header.width(), 43);
    let expected = build(&forwards);
    forwards.reverse();
    assert_eq!(build(&forwards), expected);
}
