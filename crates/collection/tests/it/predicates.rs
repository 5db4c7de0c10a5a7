//! Whole columns against one record at a time, on random predicates.

use periplus_collection::{
    ArtistMention, Budget, Collection, Geography, Interval, Merged, ObjectDate, Record,
    predicate::{DateTest, Evaluation, Field, FlagField, Predicate, TextField, TextTest, Years},
};
use proptest::{collection::vec, option, prelude::*, sample::select};

use crate::{
    naive::{Judged, State},
    support::{self, RECORDS, SAMPLE},
};

/// Few enough that they meet, odd enough that comparing exactly and normalised differ.
const WORDS: [&str; 12] = [
    "Gilt",
    "gilt bronze",
    "GILT",
    "Érard",
    "erard",
    "Straße",
    "strasse",
    "老梅",
    "silver  gilt",
    "Bronze",
    "bronze, gilt",
    "x",
];
/// Parts of values of the shipped rows.
const SAMPLE_WORDS: [&str; 14] = [
    "Islamic Art",
    "Arms and Armor",
    "French",
    "Gold",
    "Men",
    "Horses",
    "Paris",
    "France",
    "Artist",
    "gilt",
    "oil on",
    "iran",
    "Oil on canvas",
    "artist_missing",
];

fn word() -> impl Strategy<Value = String> {
    select(&WORDS[..]).prop_map(str::to_owned)
}

fn words() -> impl Strategy<Value = Vec<String>> {
    vec(word(), 0..3).prop_map(|mut words| {
        words.sort();
        words.dedup();
        words
    })
}

fn merged<T: std::fmt::Debug + Clone>(value: impl Strategy<Value = T>) -> impl Strategy<Value = Merged<T>> {
    (value, 0..6_u8).prop_map(|(value, kind)| match kind {
        0 => Merged::Missing,
        1 => Merged::Conflict,
        _ => Merged::Value(value),
    })
}

fn mention() -> impl Strategy<Value = ArtistMention> {
    (word(), option::of(word()), word()).prop_map(|(name, role, prefix)| ArtistMention {
        attribution: format!("{prefix} {name}"),
        name,
        role,
    })
}

fn date() -> impl Strategy<Value = ObjectDate> {
    (-40..40_i32, 0..30_i32, 0..6_u8).prop_map(|(begin, length, kind)| match kind {
        0 => ObjectDate::Missing,
        1 => ObjectDate::Invalid,
        2 => ObjectDate::Conflict,
        _ => ObjectDate::Valid(Interval {
            begin,
            end: begin + length,
        }),
    })
}

fn geography() -> impl Strategy<Value = Geography> {
    (words(), words(), words(), words(), words()).prop_map(|(kind, city, state, country, region)| Geography {
        kind,
        city,
        state,
        country,
        region,
        ..Geography::default()
    })
}

fn a_record() -> impl Strategy<Value = Record> {
    let texts = (
        merged(word()),
        option::of(word()),
        option::of(word()),
        option::of(word()),
        option::of(word()),
    );
    let lists = (
        words(),
        words(),
        merged(vec(mention(), 1..3)),
        geography(),
        words(),
    );
    let others = (
        date(),
        merged(any::<bool>()),
        merged(any::<bool>()),
        option::of(word()),
    );
    (texts, lists, others).prop_map(|(texts, lists, others)| Record {
        title: texts.0,
        department: texts.1,
        object_name: texts.2,
        culture: texts.3,
        medium: texts.4,
        classification: lists.0,
        tags: lists.1,
        artists: lists.2,
        geography: lists.3,
        data_quality: lists.4,
        object_date: others.0,
        is_public_domain: others.1,
        has_known_image: others.2,
        object_date_text: others.3,
        ..Record::default()
    })
}

fn records() -> impl Strategy<Value = Vec<Record>> {
    vec(a_record(), 0..24).prop_map(|mut records| {
        for (id, record) in (1..).zip(&mut records) {
            record.object_id = id * 3;
        }
        records
    })
}

fn text_field() -> impl Strategy<Value = TextField> {
    let fields = Field::all().filter_map(|field| match field {
        Field::Text(field) => Some(field),
        Field::Flag(_) | Field::ObjectDate => None,
    });
    select(fields.collect::<Vec<_>>())
}

fn leaf(words: &'static [&'static str], years: i32) -> impl Strategy<Value = Predicate> {
    let word = move || select(words).prop_map(str::to_owned);
    let test = prop_oneof![
        word().prop_map(TextTest::Eq),
        vec(word(), 1..4).prop_map(|mut values| {
            values.sort();
            values.dedup();
            TextTest::OneOf(values)
        }),
        word().prop_map(TextTest::Contains),
    ];
    let flag = select(&[FlagField::IsPublicDomain, FlagField::HasKnownImage][..]);
    let dates = select(&[DateTest::Overlaps, DateTest::ContainedWithin][..]);
    prop_oneof![
        5 => (text_field(), test).prop_map(|(field, test)| Predicate::Text(field, test)),
        1 => (flag, any::<bool>()).prop_map(|(field, value)| Predicate::Flag(field, value)),
        2 => (dates, -years..years, 0..years).prop_map(|(test, begin, length)| {
            Predicate::Date(test, Years { begin, end: begin + length })
        }),
        1 => select(Field::all().collect::<Vec<_>>()).prop_map(Predicate::Missing),
    ]
}

fn predicate(words: &'static [&'static str], years: i32) -> impl Strategy<Value = Predicate> {
    leaf(words, years).prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 1..5).prop_map(Predicate::All),
            vec(inner.clone(), 1..5).prop_map(Predicate::Any),
            inner.prop_map(|child| Predicate::Not(Box::new(child))),
        ]
    })
}

/// The state of a row in an evaluation.
fn state(evaluation: &Evaluation, row: usize) -> State {
    let sets = [&evaluation.matched, &evaluation.unknown, &evaluation.conflict];
    match sets.map(|set| set.contains(row)) {
        [true, false, false] => State::True,
        [false, true, false] => State::Unknown,
        [false, false, true] => State::Conflict,
        [false, false, false] => State::False,
        several => panic!("row {row} is in several states: {several:?}"),
    }
}

fn check(collection: &Collection, judged: &[Judged], predicate: &Predicate) -> Result<(), TestCaseError> {
    // What goes over the wire must mean the same.
    let read = Predicate::parse(&predicate.to_value()).unwrap();
    prop_assert_eq!(&read, predicate);
    let evaluation = collection.evaluate(predicate, &Budget::UNLIMITED).unwrap();
    for (row, record) in judged.iter().enumerate() {
        prop_assert_eq!(
            state(&evaluation, row),
            record.state(predicate),
            "row {} of {:?}",
            row,
            predicate
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(350))]

    // 350 catalogues with 30 predicates each.
    #[test]
    fn columns_and_records_agree_on_random_records(
        records in records(),
        predicates in vec(predicate(&WORDS, 60), 30),
    ) {
        let collection = support::collection(&records);
        let judged: Vec<_> = records.iter().map(Judged::of).collect();
        for predicate in &predicates {
            check(&collection, &judged, predicate)?;
        }
    }
}

#[test]
fn columns_and_records_agree_on_the_shipped_rows() {
    let mut records: Vec<_> = RECORDS.iter().collect();
    records.sort_by_key(|record| record.object_id);
    let judged: Vec<_> = records.into_iter().map(Judged::of).collect();
    let config = ProptestConfig::with_cases(300);
    proptest!(config, |(predicate in predicate(&SAMPLE_WORDS, 2_000))| {
        check(&SAMPLE, &judged, &predicate)?;
    });
}

#[test]
fn the_whole_metadata_text_is_compared_exactly() {
    let record = Record {
        object_id: 7,
        title: Merged::Value("Érard".into()),
        tags: vec!["Gold".into()],
        ..Record::default()
    };
    let collection = support::collection(&[record]);
    for (text, expected) in [
        ("Érard\nGold", 1),
        ("Érard Gold", 0),
        ("erard\ngold", 0),
        ("Érard", 0),
    ] {
        let test = TextTest::Eq(text.into());
        let predicate = Predicate::Text(TextField::MetadataText, test);
        let evaluation = collection.evaluate(&predicate, &Budget::UNLIMITED).unwrap();
        assert_eq!(evaluation.matched.count_ones(..), expected, "{text:?}");
    }
}
