//! Every number of the oracle that is a query's answer.

use periplus_collection::{
    Budget, FacetPage, FacetRequest, Policies,
    rank::{Anchor, Axis, Method, RankPage, RankRequest},
    text::tokens,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::{ORACLE, SAMPLE, all_ids, select};

#[test]
fn every_selection_has_the_expected_objects() {
    let selections = ORACLE["selections"].as_array().unwrap();
    assert_eq!(selections.len(), 16);
    for expected in selections {
        let predicate = &expected["predicate"];
        let counts = select(&SAMPLE, predicate).unwrap().counts;
        assert_eq!(json!(counts.eligible), expected["trueCount"], "{predicate}");
        assert_eq!(json!(counts.unknown), expected["unknownCount"], "{predicate}");
        assert_eq!(counts.conflicting, 0, "{predicate}");
        let others = counts.universe - counts.eligible - counts.unknown;
        assert_eq!(json!(others), expected["falseCount"], "{predicate}");

        let ids = all_ids(&SAMPLE, predicate, Policies::default(), 100);
        assert_eq!(
            json!(ids[..ids.len().min(5)]),
            expected["firstIds"],
            "{predicate}"
        );
        let lines: Vec<_> = ids.iter().map(u64::to_string).collect();
        let digest = hex::encode(Sha256::digest(lines.join("\n")));
        assert_eq!(json!(digest), expected["idsSha256"], "{predicate}");
    }
}

fn all_values(field: &str) -> Vec<(String, usize)> {
    let mut values = Vec::new();
    let mut cursor = None;
    loop {
        let request = FacetRequest {
            field,
            selection: None,
            prefix: None,
            page_size: 100,
            cursor: cursor.as_deref(),
        };
        let FacetPage {
            values: page,
            next_cursor,
            ..
        } = SAMPLE.facets(&request, &Budget::UNLIMITED).unwrap();
        values.extend(page.into_iter().map(|value| (value.value, value.count)));
        cursor = next_cursor;
        if cursor.is_none() {
            return values;
        }
    }
}

#[test]
fn every_facet_has_the_expected_values_and_counts() {
    let facets = ORACLE["facets"].as_object().unwrap();
    assert_eq!(facets.len(), 9);
    for (field, expected) in facets {
        let mut values = all_values(field);
        assert_eq!(json!(values.len()), expected["distinct"], "{field}");
        assert_eq!(
            json!(values[..values.len().min(15)]),
            expected["firstByOrder"],
            "{field}"
        );
        // Equal counts stay in facet order, as the oracle has them.
        values.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let top: Vec<_> = values.iter().take(8).map(|(_, count)| json!(count)).collect();
        let expected_top: Vec<_> = expected["topByCount"]
            .as_array()
            .unwrap()
            .iter()
            .map(|pair| pair[1].clone())
            .collect();
        assert_eq!(top, expected_top, "{field}");
        for pair in expected["topByCount"].as_array().unwrap() {
            let found = values.iter().find(|(value, _)| json!(value) == pair[0]);
            assert_eq!(
                found.map(|(_, count)| json!(count)),
                Some(pair[1].clone()),
                "{field}: {pair}"
            );
        }
    }
}

fn everything() -> String {
    let missing = json!({ "field": "metadata_text", "op": "is_missing" });
    select(&SAMPLE, &json!({ "any": [missing, { "not": missing }] }))
        .unwrap()
        .receipt
}

fn rank(anchor: &Anchor, axis: Axis, method: Method) -> RankPage {
    let request = RankRequest {
        selection: &everything(),
        anchor,
        axis,
        method,
        page_size: 100,
        cursor: None,
        max_candidates: 5_000,
        include_anchor: false,
        include_unscored: false,
    };
    SAMPLE.rank(&request, &Budget::UNLIMITED).unwrap()
}

fn rounded(score: f64) -> f64 {
    (score * 1e6).round() / 1e6
}

fn top(page: &RankPage, count: usize) -> Vec<Value> {
    page.results
        .iter()
        .take(count)
        .map(|result| json!([result.object_id, rounded(result.score)]))
        .collect()
}

#[test]
fn every_lexical_ranking_has_the_expected_scores() {
    for expected in ORACLE["bm25"]["queries"].as_array().unwrap() {
        let query = expected["query"].as_str().unwrap();
        let page = rank(
            &Anchor::Topic(query.to_owned()),
            Axis::Topic,
            Method::LexicalBm25V1,
        );
        assert_eq!(json!(page.counts.scorable), expected["scorable"], "{query}");
        let expected_top = expected["top"].as_array().unwrap();
        assert_eq!(&top(&page, expected_top.len()), expected_top, "{query}");
        let mut terms = tokens(query);
        terms.sort_unstable();
        assert_eq!(json!(terms), expected["terms"], "{query}");
        for result in &page.results {
            let sum: f64 = result
                .components
                .iter()
                .map(|component| component.contribution)
                .sum();
            assert!((sum - result.score).abs() < 1e-9, "{query}: {result:?}");
            assert_eq!(result.evidence_ids[0], format!("object:{}:csv", result.object_id));
            assert_eq!(result.evidence_ids.len() == 2, result.object_id.is_multiple_of(5));
        }
    }
}

#[test]
fn every_rule_ranking_has_the_expected_scores_and_components() {
    let rankings = ORACLE["rule"].as_array().unwrap();
    assert_eq!(rankings.len(), 4);
    for expected in rankings {
        let anchor = Anchor::Object(expected["anchor"].as_u64().unwrap());
        let axis = Axis::parse(expected["axis"].as_str().unwrap()).unwrap();
        let page = rank(&anchor, axis, Method::MetadataRuleV1);
        assert_eq!(json!(page.counts.scorable), expected["scorable"], "{expected}");
        assert_eq!(json!(page.counts.unscored), expected["unscored"], "{expected}");
        assert_eq!(page.counts.excluded_anchor, 1);
        for (result, expected) in page.results.iter().zip(expected["top"].as_array().unwrap()) {
            let parts = result
                .components
                .iter()
                .map(|part| json!([part.component, rounded(part.value)]));
            let found = json!([result.object_id, rounded(result.score), parts.collect::<Vec<_>>()]);
            assert_eq!(&found, expected);
            assert_eq!(result.why_related.len(), result.components.len());
        }
    }
}

#[test]
fn explanations_say_what_is_recorded() {
    let page = rank(
        &Anchor::Object(467_642),
        Axis::TechniqueMaterial,
        Method::MetadataRuleV1,
    );
    assert_eq!(page.results[0].object_id, 467_638);
    assert_eq!(
        page.results[0].why_related[1],
        "Same classification path: Textiles › Tapestries"
    );
    assert_eq!(
        page.results[0].why_related[2],
        "Shared object name terms: tapestry"
    );
    assert!(page.results[0].why_related[0].starts_with("Shared medium terms: "));

    let page = rank(&Anchor::Object(467_642), Axis::Context, Method::MetadataRuleV1);
    assert_eq!(
        page.results[0].why_related[0],
        "Recorded dates overlap: 1495 to 1505 and 1495 to 1505"
    );
    assert_eq!(page.results[0].why_related[2], "Same recorded city: Paris");
    assert_eq!(
        page.results[1].why_related[0],
        "Recorded dates are 16 years apart"
    );
}
