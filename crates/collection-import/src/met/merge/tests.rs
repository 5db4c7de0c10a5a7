use periplus_collection::{ArtistMention, Interval, Merged, ObjectDate, Record};
use serde_json::{Value, json};

use super::{api_record, decode_entities, judge_image, merge};

fn artist(name: &str, attribution: &str) -> ArtistMention {
    ArtistMention {
        name: name.to_owned(),
        role: None,
        attribution: attribution.to_owned(),
    }
}

fn csv_record() -> Record {
    Record {
        object_id: 1,
        title: Merged::Value("老梅図襖|Old Plum".to_owned()),
        artists: Merged::Value(vec![artist("Érard", "Érard, made in London")]),
        object_date: ObjectDate::Valid(Interval {
            begin: 1889,
            end: 1889,
        }),
        object_date_text: Some("June 1889".to_owned()),
        is_public_domain: Merged::Value(true),
        ..Record::default()
    }
}

/// The record after merging a response with those members.
fn merged(body: &Value) -> Record {
    let mut record = csv_record();
    merge(&mut record, body);
    record
}

fn has_flag(record: &Record, name: &str) -> bool {
    record.data_quality.iter().any(|flag| flag == name)
}

#[test]
fn a_title_agrees_with_the_whole_cell_or_one_member() {
    for title in ["老梅図襖|Old Plum", "Old Plum", " Old  Plum\r\n", "老梅図襖"] {
        let record = merged(&json!({ "title": title }));
        assert_eq!(record.title, csv_record().title, "{title}");
        assert!(!has_flag(&record, "api_conflict_title"));
    }
}

#[test]
fn case_and_marks_of_a_title_count() {
    for title in ["old plum", "Old Plüm", "Plum"] {
        let record = merged(&json!({ "title": title }));
        assert_eq!(record.title, Merged::Conflict, "{title}");
        assert!(has_flag(&record, "api_conflict_title"));
        assert!(!has_flag(&record, "title_missing"), "a conflict is not missing");
    }
}

#[test]
fn composed_and_decomposed_letters_agree() {
    let record = merged(&json!({ "constituents": [{ "name": "E\u{301}rard" }] }));
    assert!(!record.artists.is_conflict());
}

#[test]
fn artists_agree_by_name_or_attribution() {
    for name in ["Érard", "Érard, made in London", "&Eacute;rard"] {
        let record = merged(&json!({ "constituents": [{ "name": name }] }));
        assert_eq!(record.artists.is_conflict(), name.contains('&'), "{name}");
    }
    let record = merged(&json!({ "constituents": [{ "name": "Érard" }, { "name": "Pleyel" }] }));
    assert!(record.artists.is_conflict() && has_flag(&record, "api_conflict_artist"));
}

#[test]
fn every_artist_of_the_csv_must_be_among_the_constituents() {
    let mut record = csv_record();
    record.artists = Merged::Value(vec![artist("A", "A"), artist("B", "B")]);
    let mut other = record.clone();
    merge(&mut record, &json!({ "constituents": [{ "name": "A" }] }));
    assert!(record.artists.is_conflict());
    // Without constituents the response names the first artist only.
    merge(
        &mut other,
        &json!({ "constituents": null, "artistDisplayName": "A" }),
    );
    assert!(!other.artists.is_conflict());
}

#[test]
fn years_that_differ_are_a_conflict() {
    let body = json!({ "objectDate": "June 1889", "objectBeginDate": 1889, "objectEndDate": 1890 });
    let record = merged(&body);
    assert_eq!(
        (record.object_date, &record.object_date_text),
        (ObjectDate::Conflict, &None)
    );
    assert!(has_flag(&record, "api_conflict_date"));
}

#[test]
fn texts_that_differ_beside_equal_years_are_not_shown() {
    let body = json!({ "objectDate": "1889", "objectBeginDate": 1889, "objectEndDate": 1889 });
    let record = merged(&body);
    assert_eq!(
        (record.object_date, &record.object_date_text),
        (csv_record().object_date, &None)
    );
    assert!(has_flag(&record, "api_conflict_date"));
}

#[test]
fn years_the_response_lacks_decide_nothing() {
    let body = json!({ "objectDate": "June 1889", "objectBeginDate": null, "objectEndDate": null });
    assert_eq!(merged(&body).object_date, csv_record().object_date);
}

#[test]
fn rights_that_differ_are_a_conflict() {
    assert_eq!(
        merged(&json!({ "isPublicDomain": true })).is_public_domain,
        Merged::Value(true)
    );
    let record = merged(&json!({ "isPublicDomain": false }));
    assert!(record.is_public_domain.is_conflict() && has_flag(&record, "api_conflict_rights"));
}

#[test]
fn what_one_source_lacks_the_other_gives() {
    let body = json!({
        "title": "T", "isPublicDomain": false, "artistDisplayName": "Abu&#39;l Qasim", "artistRole": "Author",
        "objectDate": "1900", "objectBeginDate": 1900, "objectEndDate": 1900,
    });
    let mut record = Record {
        object_id: 1,
        data_quality: ["artist_missing", "date_missing", "title_missing"]
            .map(str::to_owned)
            .into(),
        ..Record::default()
    };
    merge(&mut record, &body);
    assert_eq!(record.title, Merged::Value("T".to_owned()));
    assert_eq!(record.artist_mentions()[0].name, "Abu'l Qasim");
    assert_eq!(
        record.object_date,
        ObjectDate::Valid(Interval {
            begin: 1900,
            end: 1900
        })
    );
    assert_eq!(record.is_public_domain, Merged::Value(false));
    for gone in ["artist_missing", "date_missing", "title_missing"] {
        assert!(!has_flag(&record, gone), "{gone}");
    }
    assert_eq!(merged(&json!({})).title, csv_record().title);
}

#[test]
fn an_image_is_known_by_the_response_the_vector_or_in_conflict() {
    let with_image = json!({ "primaryImage": "", "additionalImages": ["https://example.org/1.jpg"] });
    let without = json!({ "primaryImage": "", "primaryImageSmall": "", "additionalImages": [] });
    let cases = [
        (Some(&with_image), false, Merged::Value(true)),
        (Some(&with_image), true, Merged::Value(true)),
        (Some(&without), false, Merged::Value(false)),
        (Some(&without), true, Merged::Conflict),
        (None, true, Merged::Value(true)),
        (None, false, Merged::Missing),
    ];
    for (body, has_vector, expected) in cases {
        let mut record = csv_record();
        judge_image(&mut record, body, has_vector);
        assert_eq!(
            has_flag(&record, "image_evidence_disagrees"),
            expected.is_conflict()
        );
        assert_eq!(record.has_known_image, expected, "{body:?} {has_vector}");
    }
}

#[test]
fn an_object_of_the_api_alone_is_a_record() {
    let body = json!({
        "title": "Vase", "department": "Asian Art", "classification": "Ceramics|Vases", "city": "Kyoto",
        "constituents": [{ "name": "A", "role": "Maker" }, { "name": "A", "role": "Maker" }],
        "tags": [{ "term": "Birds" }, { "term": "Flowers" }], "objectBeginDate": 0, "objectEndDate": 0,
    });
    let record = api_record(9, &body);
    assert_eq!(record.classification, ["Ceramics", "Vases"]);
    assert_eq!(record.tags, ["Birds", "Flowers"]);
    assert_eq!(record.geography.city, ["Kyoto"]);
    assert_eq!(record.artist_mentions().len(), 1);
    assert_eq!(
        record.data_quality,
        ["api_only", "culture_missing", "date_missing", "medium_missing"]
    );
}

#[test]
fn entities_are_decoded_once() {
    let cases = [
        ("Abu&#39;l &amp; &quot;x&quot; &lt;&gt;", "Abu'l & \"x\" <>"),
        ("&#x2019;&#8217;", "’’"),
        ("&amp;lt;", "&lt;"),
        ("a & b; &nosuch; &#xd800; &", "a & b; &nosuch; &#xd800; &"),
    ];
    for (text, expected) in cases {
        assert_eq!(decode_entities(text), expected, "{text}");
    }
}
