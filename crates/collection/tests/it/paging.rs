//! Pages put together are the whole, whatever their size; cursors bind what they were made for.

use periplus_collection::{
    Budget, FacetRequest, Policies, Policy, SelectRequest,
    rank::{Anchor, Axis, Method, RankRequest},
};
use serde_json::{Value, json};

use crate::support::{SAMPLE, all_ids, select};

fn islamic() -> Value {
    json!({ "field": "department", "op": "eq", "value": "Islamic Art" })
}

#[test]
fn pages_of_any_size_list_the_same_objects() {
    let whole = all_ids(&SAMPLE, &islamic(), Policies::default(), 100);
    assert_eq!(whole.len(), 195);
    for page_size in [1, 7, 39, 64, 65] {
        assert_eq!(
            all_ids(&SAMPLE, &islamic(), Policies::default(), page_size),
            whole,
            "{page_size}"
        );
    }
}

#[test]
fn policies_add_what_cannot_be_judged() {
    let french = json!({ "field": "culture", "op": "eq", "value": "French" });
    let excluded = all_ids(&SAMPLE, &french, Policies::default(), 100);
    let including = Policies {
        unknown: Policy::Include,
        conflict: Policy::Exclude,
    };
    let included = all_ids(&SAMPLE, &french, including, 100);
    assert_eq!((excluded.len(), included.len()), (190, 190 + 528));
}

fn facets(
    field: &str,
    selection: Option<&str>,
    prefix: Option<&str>,
    page_size: usize,
) -> Vec<(String, usize)> {
    let mut values = Vec::new();
    let mut cursor = None;
    loop {
        let request = FacetRequest {
            field,
            selection,
            prefix,
            page_size,
            cursor: cursor.as_deref(),
        };
        let page = SAMPLE.facets(&request, &Budget::UNLIMITED).unwrap();
        values.extend(page.values.into_iter().map(|value| (value.value, value.count)));
        cursor = page.next_cursor;
        assert_eq!(page.truncated, cursor.is_some());
        if cursor.is_none() {
            return values;
        }
    }
}

#[test]
fn a_facet_counts_within_its_selection() {
    // One selection small enough to be counted by rows, one large enough to be counted by values.
    let small = json!({ "field": "department", "op": "eq", "value": "Photographs" });
    let large = json!({ "field": "is_public_domain", "op": "eq", "value": true });
    for predicate in [small, large] {
        let receipt = select(&SAMPLE, &predicate).unwrap().receipt;
        for field in ["classification", "artist_role", "department"] {
            let values = facets(field, Some(&receipt), None, 100);
            assert!(!values.is_empty());
            for page_size in [3, 13] {
                assert_eq!(facets(field, Some(&receipt), None, page_size), values, "{field}");
            }
            for (value, count) in values.iter().step_by(1 + values.len() / 10) {
                let both = json!({ "all": [predicate, { "field": field, "op": "eq", "value": value }] });
                assert_eq!(
                    select(&SAMPLE, &both).unwrap().counts.eligible,
                    *count,
                    "{field} {value}"
                );
            }
        }
    }
}

#[test]
fn a_prefix_is_compared_normalised_and_from_the_start() {
    let all = facets("culture", None, None, 100);
    let found = facets("culture", None, Some("  FRENCH,"), 3);
    let expected: Vec<_> = all
        .into_iter()
        .filter(|(value, _)| periplus_collection::text::norm(value).starts_with("french,"))
        .collect();
    assert!(expected.len() > 3);
    assert_eq!(found, expected);
    assert_eq!(facets("culture", None, Some("zzz"), 3), []);
}

fn ranking<'a>(
    selection: &'a str,
    anchor: &'a Anchor,
    page_size: usize,
    cursor: Option<&'a str>,
) -> RankRequest<'a> {
    RankRequest {
        selection,
        anchor,
        axis: Axis::Topic,
        method: Method::LexicalBm25V1,
        page_size,
        cursor,
        max_candidates: 2_500,
        include_anchor: false,
        include_unscored: true,
    }
}

#[test]
fn pages_of_a_ranking_repeat_and_skip_nothing() {
    let selection = select(&SAMPLE, &json!({ "not": islamic() })).unwrap().receipt;
    let anchor = Anchor::Topic("PIANOS".into());
    let whole = SAMPLE
        .rank(&ranking(&selection, &anchor, 100, None), &Budget::UNLIMITED)
        .unwrap();
    assert_eq!(whole.counts.scorable, whole.results.len());
    let mut paged = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let request = ranking(&selection, &anchor, 4, cursor.as_deref());
        let page = SAMPLE.rank(&request, &Budget::UNLIMITED).unwrap();
        // The sample of objects without a score does not move.
        assert_eq!(page.unscored_object_ids, whole.unscored_object_ids[..4]);
        paged.extend(page.results);
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(paged, whole.results);
}

#[test]
fn an_anchor_is_left_out_unless_it_is_wanted() {
    let selection = select(&SAMPLE, &json!({ "not": islamic() })).unwrap().receipt;
    let anchor = Anchor::Object(467_642);
    let without = SAMPLE
        .rank(&ranking(&selection, &anchor, 5, None), &Budget::UNLIMITED)
        .unwrap();
    let request = RankRequest {
        include_anchor: true,
        ..ranking(&selection, &anchor, 5, None)
    };
    let with = SAMPLE.rank(&request, &Budget::UNLIMITED).unwrap();
    assert_eq!(
        (without.counts.excluded_anchor, with.counts.excluded_anchor),
        (1, 0)
    );
    assert_eq!(without.counts.eligible, with.counts.eligible);
    assert_eq!(without.counts.scorable + 1, with.counts.scorable);
    assert_eq!(with.results[0].object_id, 467_642);
    assert_eq!(with.results[1..], without.results[..4]);
}

#[test]
fn a_score_does_not_depend_on_the_selection() {
    let narrow = json!({ "field": "object_name", "op": "contains_normalized", "value": "tapestry" });
    let anchor = Anchor::Topic("unicorn garden".into());
    let narrow = select(&SAMPLE, &narrow).unwrap().receipt;
    let wide = select(&SAMPLE, &json!({ "not": islamic() })).unwrap().receipt;
    let narrow = SAMPLE
        .rank(&ranking(&narrow, &anchor, 100, None), &Budget::UNLIMITED)
        .unwrap();
    let wide = SAMPLE
        .rank(&ranking(&wide, &anchor, 100, None), &Budget::UNLIMITED)
        .unwrap();
    assert!(!narrow.results.is_empty());
    for result in narrow.results {
        assert!(wide.results.contains(&result), "{result:?}");
    }
}

#[test]
fn a_cursor_continues_nothing_else() {
    let request = SelectRequest {
        predicate: &islamic(),
        policies: Policies::default(),
        page_size: 5,
        cursor: None,
    };
    let page = SAMPLE.select(&request, &Budget::UNLIMITED).unwrap();
    let cursor = page.next_cursor.unwrap();
    let other = json!({ "not": islamic() });
    let request = SelectRequest {
        predicate: &other,
        cursor: Some(&cursor),
        ..request
    };
    assert_eq!(
        SAMPLE.select(&request, &Budget::UNLIMITED).unwrap_err().code(),
        "CURSOR_MISMATCH"
    );
    let anchor = Anchor::Topic("x".into());
    let request = ranking(&page.receipt, &anchor, 5, Some(&cursor));
    assert_eq!(
        SAMPLE.rank(&request, &Budget::UNLIMITED).unwrap_err().code(),
        "CURSOR_MISMATCH"
    );
    let request = ranking(&cursor, &anchor, 5, None);
    assert_eq!(
        SAMPLE.rank(&request, &Budget::UNLIMITED).unwrap_err().code(),
        "INVALID_RECEIPT"
    );
}
