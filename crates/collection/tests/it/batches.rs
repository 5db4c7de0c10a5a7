//! Objects and evidence by id: the order asked for, what is missing named, nothing guessed.

use periplus_collection::{Budget, Collection, EvidenceCategory, FieldKind, Record, rank::Axis};

use crate::support;

fn collection() -> Collection {
    let records: Vec<_> = (10..16)
        .map(|object_id| Record {
            object_id,
            ..Record::default()
        })
        .collect();
    support::with_vectors(&records, vec![(15, vec![0.6, 0.8])])
}

fn texts(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|&id| id.to_owned()).collect()
}

#[test]
fn objects_come_in_the_order_asked_for() {
    let page = collection()
        .objects(&[14, 9, 10, 99, 15], &Budget::UNLIMITED)
        .unwrap();
    let found: Vec<_> = page
        .objects
        .iter()
        .map(|object| object.record.object_id)
        .collect();
    assert_eq!(found, [14, 10, 15]);
    assert_eq!(page.missing, [9, 99]);
    assert_eq!(
        page.objects[2].evidence_ids(),
        ["object:15:csv", "object:15:api", "vector:15:siglip2"]
    );
}

#[test]
fn batches_have_limits() {
    let collection = collection();
    for ids in [vec![], vec![0], vec![10, 11, 10], (1..=101).collect()] {
        let error = collection.objects(&ids, &Budget::UNLIMITED).unwrap_err();
        assert_eq!(error.code(), "INVALID_ARGUMENT", "{ids:?}");
    }
    collection
        .objects(&(1..=100).collect::<Vec<_>>(), &Budget::UNLIMITED)
        .unwrap();
    for ids in [
        texts(&[]),
        texts(&[""]),
        texts(&["a", "a"]),
        texts(&[&"é".repeat(301)]),
    ] {
        let error = collection.evidence(&ids, &Budget::UNLIMITED).unwrap_err();
        assert_eq!(error.code(), "INVALID_ARGUMENT", "{ids:?}");
    }
    collection
        .evidence(&texts(&[&"é".repeat(300)]), &Budget::UNLIMITED)
        .unwrap();
    let ended = Budget::until(&|| true);
    assert_eq!(
        collection.objects(&[10], &ended).unwrap_err().code(),
        "QUERY_TIMEOUT"
    );
}

#[test]
fn only_exact_ids_have_evidence() {
    let wrong = texts(&[
        "object:010:csv",
        "object:+10:csv",
        "object: 10:csv",
        "object:10:CSV",
        "object:10:csv:",
        "object:10",
        "10",
        "vector:10:siglip2",
        "vector:15:dinov2",
        "object:16:csv",
        "object:11:api",
        "object:-10:csv",
        "object:99999999999999999999999:csv",
    ]);
    let page = collection().evidence(&wrong, &Budget::UNLIMITED).unwrap();
    assert_eq!(page.evidence, []);
    assert_eq!(page.missing, wrong);
}

#[test]
fn evidence_says_what_its_source_says() {
    let ids = texts(&[
        "vector:15:siglip2",
        "object:15:api",
        "nothing",
        "object:15:csv",
        "object:10:api",
    ]);
    let page = collection().evidence(&ids, &Budget::UNLIMITED).unwrap();
    assert_eq!(page.missing, ["nothing"]);
    let [vector, api, csv, not_found] = <[_; 4]>::try_from(page.evidence).unwrap();

    assert_eq!(
        (csv.source, csv.category),
        ("csv", EvidenceCategory::SourceRecord)
    );
    assert_eq!(csv.snapshot_date.as_deref(), Some("2023-06-17"));
    assert_eq!(csv.retrieved_at, None);
    let cells = [("Object ID", "15"), ("Medium", " Ink ")].map(|(name, value)| (name.into(), value.into()));
    assert_eq!(csv.statements, cells);

    assert_eq!(api.retrieved_at.as_deref(), Some("2023-02-28T05:00:00Z"));
    assert_eq!(api.snapshot_date, None);
    let values = [("objectID", "15"), ("title", "A")].map(|(name, value)| (name.into(), value.into()));
    assert_eq!(api.statements, values);
    assert_eq!(
        not_found.statements,
        [("httpStatus".to_owned(), "404".to_owned())]
    );

    assert_eq!(
        (vector.source, vector.category),
        ("siglip2", EvidenceCategory::DerivedVector)
    );
    let derivation = vector.derivation.unwrap();
    assert_eq!((derivation.dimension, derivation.row_index), (2, 7));
    assert_eq!(vector.statements, []);
}

#[test]
fn capabilities_tell_what_this_snapshot_can_do() {
    let with_vectors = collection();
    let without = support::collection(&[]);
    let can_see = |collection: &Collection| {
        collection
            .capabilities()
            .supported
            .iter()
            .any(|triple| triple.axis == Axis::Visual)
    };
    assert!(can_see(&with_vectors));
    assert!(!can_see(&without));
    let capabilities = without.capabilities();
    assert_eq!(capabilities.unavailable.len(), 3);
    assert_eq!(capabilities.fields.len(), 20);
    assert_eq!(
        capabilities.fields.iter().filter(|field| field.facetable).count(),
        9
    );
    let date = capabilities
        .fields
        .iter()
        .find(|field| field.kind == FieldKind::Years)
        .unwrap();
    assert_eq!(date.operators, ["overlaps", "contained_within", "is_missing"]);
    assert_eq!(with_vectors.capabilities().vector_count, 1);
}

#[test]
fn the_query_version_names_the_product_and_a_digest() {
    let collection = collection();
    let version = collection.query_version();
    let digest = version.strip_prefix("met-query/1+").unwrap();
    assert_eq!(digest.len(), 12);
    assert!(digest.bytes().all(|byte| byte.is_ascii_hexdigit()));
}
