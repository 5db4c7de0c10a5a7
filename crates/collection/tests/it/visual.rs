//! Ranking by stored vectors.

use periplus_collection::{
    Budget, Collection, Record,
    rank::{Anchor, Axis, Method, RankRequest},
};
use serde_json::json;

use crate::support;

/// Six records, five of them with a vector.
fn collection() -> Collection {
    let record = |object_id| Record {
        object_id,
        department: Some("Prints".into()),
        medium: (object_id == 12).then(|| "Ink".into()),
        ..Record::default()
    };
    let records: Vec<_> = (10..16).map(record).collect();
    let vectors = vec![
        (10, vec![1.0, 0.0]),
        (11, vec![0.0, 1.0]),
        (13, vec![0.6, 0.8]),
        (14, vec![0.6, 0.8]),
        (15, vec![-1.0, 0.0]),
    ];
    support::with_vectors(&records, vectors)
}

fn request<'a>(selection: &'a str, anchor: &'a Anchor) -> RankRequest<'a> {
    RankRequest {
        selection,
        anchor,
        axis: Axis::Visual,
        method: Method::Siglip2CosineV1,
        page_size: 25,
        cursor: None,
        max_candidates: 2_000,
        include_anchor: false,
        include_unscored: true,
    }
}

fn prints(collection: &Collection) -> String {
    let predicate = json!({ "field": "department", "op": "eq", "value": "Prints" });
    support::select(collection, &predicate).unwrap().receipt
}

#[test]
fn candidates_are_ordered_by_cosine_and_then_by_id() {
    let collection = collection();
    let selection = prints(&collection);
    let page = collection
        .rank(&request(&selection, &Anchor::Object(10)), &Budget::UNLIMITED)
        .unwrap();
    let found: Vec<_> = page
        .results
        .iter()
        .map(|result| (result.object_id, result.score))
        .collect();
    let close = f64::from(0.6_f32);
    assert_eq!(found, [(13, close), (14, close), (11, 0.0), (15, -1.0)]);
    assert_eq!((page.counts.scorable, page.counts.unscored), (4, 1));
    assert_eq!(page.unscored_object_ids, [12]);
    let first = &page.results[0];
    assert_eq!(
        first.why_related,
        ["Stored image vectors are similar (cosine 0.600000)"]
    );
    assert_eq!(first.evidence_ids, ["vector:10:siglip2", "vector:13:siglip2"]);
    assert_eq!(first.components[0].component, "cosine");
}

#[test]
fn an_anchor_without_a_vector_can_be_ranked_by_on_other_axes_only() {
    let collection = collection();
    let selection = prints(&collection);
    let error = collection
        .rank(&request(&selection, &Anchor::Object(12)), &Budget::UNLIMITED)
        .unwrap_err();
    assert_eq!(error.code(), "ANCHOR_NOT_RANKABLE");
    assert_eq!(error.alternatives(), [json!({ "axis": "technique_material" })]);
}

#[test]
fn pages_continue_within_equal_scores() {
    let collection = collection();
    let selection = prints(&collection);
    let anchor = Anchor::Object(10);
    let mut ids = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let request = RankRequest {
            page_size: 1,
            cursor: cursor.as_deref(),
            ..request(&selection, &anchor)
        };
        let page = collection.rank(&request, &Budget::UNLIMITED).unwrap();
        ids.extend(page.results.iter().map(|result| result.object_id));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(ids, [13, 14, 11, 15]);
}
