//! What is refused, with which code, where, and what is offered instead.

use periplus_collection::{
    Budget, Error, FacetRequest, Policies, Predicate, SelectRequest,
    rank::{Anchor, Axis, Method, RankPage, RankRequest},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{SAMPLE, select};

/// Code, pointer and part of the message of a refused predicate.
fn refused(predicate: &Value, code: &str, pointer: &str, part: &str) {
    let error = Predicate::parse(predicate).unwrap_err();
    assert_eq!(error.code(), code, "{predicate}: {error}");
    let message = error.to_string();
    assert!(message.contains(part), "{predicate}: {message}");
    match error {
        Error::InvalidPredicate { pointer: found, .. } | Error::PredicateLimit { pointer: found, .. } => {
            assert_eq!(found, pointer, "{predicate}");
        }
        _ => assert_eq!(pointer, "", "{predicate}"),
    }
}

fn leaf(field: &str, op: &str, value: impl Into<Value>) -> Value {
    json!({ "field": field, "op": op, "value": value.into() })
}

#[test]
fn every_mistake_in_a_predicate_names_its_place() {
    let invalid = "INVALID_PREDICATE";
    let good = leaf("culture", "eq", json!("French"));
    for (predicate, pointer, part) in [
        (json!([]), "", "must be an object, not an array"),
        (json!({}), "", "is none of"),
        (json!({ "all": good }), "/all", "must be an array"),
        (
            json!({ "all": [good, 7] }),
            "/all/1",
            "must be an object, not a number",
        ),
        (json!({ "all": [good], "any": [good] }), "/any", "allowed: all"),
        (
            json!({ "not": { "not": { "nor": good } } }),
            "/not/not",
            "is none of",
        ),
        (
            json!({ "field": "culture", "op": "eq", "value": "x", "case": 1 }),
            "/case",
            "not a known member",
        ),
        (
            json!({ "field": "culture", "op": "eq", "a/b~": 1 }),
            "/a~1b~0",
            "not a known member",
        ),
        (
            json!({ "field": 7, "op": "eq", "value": "x" }),
            "/field",
            "must be a field name",
        ),
        (json!({ "field": "culture", "value": "x" }), "", "has no `op`"),
        (
            leaf("culture", "overlaps", json!("x")),
            "/op",
            "eq, one_of, contains_normalized, is_missing",
        ),
        (leaf("culture", "EQ", json!("x")), "/op", "is `EQ`"),
        (json!({ "field": "culture", "op": "eq" }), "", "has no `value`"),
        (
            leaf("culture", "is_missing", json!(null)),
            "/value",
            "takes no value",
        ),
        (
            leaf("culture", "eq", json!(true)),
            "/value",
            "must be a string, not a boolean",
        ),
        (
            leaf("is_public_domain", "eq", json!("true")),
            "/value",
            "must be true or false, not a string",
        ),
        (
            leaf("culture", "one_of", json!("x")),
            "/value",
            "must be an array of strings",
        ),
        (
            leaf("culture", "one_of", json!(["x", ""])),
            "/value/1",
            "must not be empty",
        ),
        (
            leaf("culture", "contains_normalized", json!(" \u{301} ")),
            "/value",
            "empty once normalised",
        ),
        (
            leaf("object_date", "overlaps", json!({ "begin": 1 })),
            "/value",
            "has no `end`",
        ),
        (
            leaf("object_date", "overlaps", json!({ "begin": 2, "end": 1 })),
            "/value",
            "begins in 2",
        ),
        (
            leaf("object_date", "overlaps", json!({ "begin": "2", "end": 3 })),
            "/value/begin",
            "whole number",
        ),
        (
            leaf("object_date", "overlaps", json!({ "begin": 1.5, "end": 3 })),
            "/value/begin",
            "whole number",
        ),
        (
            leaf("object_date", "overlaps", json!({ "begin": -10001, "end": 3 })),
            "/value/begin",
            "-10000",
        ),
        (
            leaf("object_date", "overlaps", json!({ "begin": 1, "end": 10001 })),
            "/value/end",
            "10000",
        ),
        (
            leaf(
                "object_date",
                "overlaps",
                json!({ "begin": 1, "end": 2, "or": 3 }),
            ),
            "/value/or",
            "begin, end",
        ),
        (
            json!({ "any": [good, { "not": leaf("tags", "eq", json!(3)) }] }),
            "/any/1/not/value",
            "a number",
        ),
    ] {
        refused(&predicate, invalid, pointer, part);
    }
}

#[test]
fn the_limits_hold_exactly() {
    let limit = "PREDICATE_LIMIT";
    let good = leaf("culture", "eq", json!("French"));
    let nested = |levels: usize| (1..levels).fold(good.clone(), |inner, _| json!({ "not": inner }));
    Predicate::parse(&nested(5)).unwrap();
    refused(&nested(6), limit, "/not/not/not/not/not", "more than 5 deep");

    let wide = |children: usize| json!({ "all": vec![good.clone(); children] });
    Predicate::parse(&wide(20)).unwrap();
    refused(&wide(21), limit, "/all", "has 21 children");
    refused(&wide(0), limit, "/all", "has 0 children");

    let many = |last: usize| json!({ "any": [wide(20), wide(20), wide(last)] });
    Predicate::parse(&many(10)).unwrap();
    refused(&many(11), limit, "/any/2/all/10", "more than the 50 allowed");

    let values = |count: usize| {
        leaf(
            "tags",
            "one_of",
            (0..count).map(|n| n.to_string()).collect::<Value>(),
        )
    };
    Predicate::parse(&values(50)).unwrap();
    refused(&values(51), limit, "/value", "has 51 values");
    refused(&values(0), limit, "/value", "has 0 values");

    let long = |length: usize| leaf("tags", "eq", json!("é".repeat(length)));
    Predicate::parse(&long(500)).unwrap();
    refused(&long(501), limit, "/value", "has 501 characters");
    Predicate::parse(&leaf(
        "object_date",
        "overlaps",
        json!({ "begin": -10000, "end": 10000 }),
    ))
    .unwrap();
}

#[test]
fn unknown_fields_are_answered_with_the_known_ones() {
    let error = Predicate::parse(&leaf("artist", "eq", json!("x"))).unwrap_err();
    assert_eq!(error.code(), "UNSUPPORTED_FIELD");
    assert_eq!(error.alternatives().len(), 20);
    let request = FacetRequest {
        field: "title",
        selection: None,
        prefix: None,
        page_size: 5,
        cursor: None,
    };
    let error = SAMPLE.facets(&request, &Budget::UNLIMITED).unwrap_err();
    assert_eq!(error.code(), "UNSUPPORTED_FIELD");
    assert_eq!(error.alternatives().len(), 9);
    let error = Predicate::parse(&leaf("is_public_domain", "contains_normalized", json!("x"))).unwrap_err();
    assert_eq!(error.alternatives(), [json!("eq"), json!("is_missing")]);
}

#[test]
fn pages_and_prefixes_have_limits() {
    let predicate = leaf("culture", "eq", json!("French"));
    for page_size in [0, 101] {
        let request = SelectRequest {
            predicate: &predicate,
            policies: Policies::default(),
            page_size,
            cursor: None,
        };
        assert_eq!(
            SAMPLE.select(&request, &Budget::UNLIMITED).unwrap_err().code(),
            "INVALID_ARGUMENT"
        );
    }
    for prefix in ["", " ", "\u{301}", &"x".repeat(101)] {
        let request = FacetRequest {
            field: "culture",
            selection: None,
            prefix: Some(prefix),
            page_size: 5,
            cursor: None,
        };
        assert_eq!(
            SAMPLE.facets(&request, &Budget::UNLIMITED).unwrap_err().code(),
            "INVALID_ARGUMENT"
        );
    }
}

fn rank(anchor: &Anchor, axis: Axis, method: Method, max_candidates: usize) -> Result<RankPage, Error> {
    let predicate = json!({ "not": leaf("department", "eq", json!("Islamic Art")) });
    let request = RankRequest {
        selection: &select(&SAMPLE, &predicate).unwrap().receipt,
        anchor,
        axis,
        method,
        page_size: 5,
        cursor: None,
        max_candidates,
        include_anchor: false,
        include_unscored: false,
    };
    SAMPLE.rank(&request, &Budget::UNLIMITED)
}

#[test]
fn rankings_that_cannot_be_made_say_why() {
    use Method::{LexicalBm25V1 as Lexical, MetadataRuleV1 as Rule, Siglip2CosineV1 as Cosine};
    let topic = |text: &str| Anchor::Topic(text.to_owned());
    let tapestry = Anchor::Object(467_642);
    for (anchor, axis, method, max_candidates, code) in [
        (
            tapestry.clone(),
            Axis::Style,
            Cosine,
            2_000,
            "STYLE_NOT_SUPPORTED",
        ),
        (topic("x"), Axis::Context, Rule, 2_000, "UNSUPPORTED_TRIPLE"),
        (
            topic("x"),
            Axis::Visual,
            Method::Siglip2TextCosineV1,
            2_000,
            "UNSUPPORTED_TRIPLE",
        ),
        (tapestry.clone(), Axis::Topic, Rule, 2_000, "UNSUPPORTED_TRIPLE"),
        (
            tapestry.clone(),
            Axis::Visual,
            Cosine,
            2_000,
            "VECTORS_UNAVAILABLE",
        ),
        (
            tapestry.clone(),
            Axis::Topic,
            Lexical,
            1_994,
            "TOO_MANY_CANDIDATES",
        ),
        (tapestry, Axis::Topic, Lexical, 5_001, "INVALID_ARGUMENT"),
        (topic("x"), Axis::Topic, Lexical, 0, "INVALID_ARGUMENT"),
        (topic(""), Axis::Topic, Lexical, 2_000, "INVALID_ARGUMENT"),
        (
            topic(&"x".repeat(501)),
            Axis::Topic,
            Lexical,
            2_000,
            "INVALID_ARGUMENT",
        ),
        (
            topic("of the --"),
            Axis::Topic,
            Lexical,
            2_000,
            "ANCHOR_NOT_SEARCHABLE",
        ),
        (Anchor::Object(0), Axis::Topic, Lexical, 2_000, "INVALID_ARGUMENT"),
        (Anchor::Object(1), Axis::Topic, Lexical, 2_000, "ANCHOR_NOT_FOUND"),
    ] {
        let error = rank(&anchor, axis, method, max_candidates).unwrap_err();
        assert_eq!(error.code(), code, "{anchor:?} {axis:?} {method:?}: {error}");
    }
    // The limit is that of the whole selection, before the anchor is left out.
    assert!(rank(&Anchor::Object(467_642), Axis::Topic, Lexical, 1_995).is_ok());
    let error = rank(&topic("x"), Axis::Topic, Lexical, 100).unwrap_err();
    assert_eq!(
        error.alternatives(),
        [
            json!({ "eligibleCount": 1995 }),
            json!("narrow the predicate"),
            json!("maxCandidates up to 5000")
        ]
    );
    let error = rank(&topic("x"), Axis::Context, Rule, 100).unwrap_err();
    assert_eq!(error.alternatives()[0]["axis"], "context");
}

#[test]
fn an_ended_budget_ends_every_query() {
    let predicate = leaf(
        "metadata_text",
        "contains_normalized",
        json!("a query nobody made before"),
    );
    let ended = Budget::until(&|| true);
    let request = SelectRequest {
        predicate: &predicate,
        policies: Policies::default(),
        page_size: 5,
        cursor: None,
    };
    assert_eq!(
        SAMPLE.select(&request, &ended).unwrap_err().code(),
        "QUERY_TIMEOUT"
    );
    let request = FacetRequest {
        field: "culture",
        selection: None,
        prefix: None,
        page_size: 5,
        cursor: None,
    };
    assert_eq!(
        SAMPLE.facets(&request, &ended).unwrap_err().code(),
        "QUERY_TIMEOUT"
    );
}

/// JSON that often looks like a predicate.
fn anything() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(
        &[
            "all", "any", "not", "field", "op", "value", "begin", "end", "eq", "one_of", "culture", "x",
        ][..],
    );
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        name.clone().prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
    ];
    scalar.prop_recursive(8, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((name.clone(), inner), 0..5).prop_map(|members| members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(700))]

    #[test]
    fn random_json_is_parsed_or_refused_never_more(value in anything()) {
        match Predicate::parse(&value) {
            Ok(predicate) => {
                let normalised = predicate.to_value();
                prop_assert_eq!(Predicate::parse(&normalised).unwrap().to_value(), normalised);
            }
            Err(error) => {
                prop_assert!(
                    ["INVALID_PREDICATE", "PREDICATE_LIMIT", "UNSUPPORTED_FIELD"].contains(&error.code())
                );
            }
        }
    }
}
