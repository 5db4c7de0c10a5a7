//! What one query costs on a collection of the museum's size.
//!
//! Corpus: the shipped rows, repeated with new object ids up to 484,956 records, in memory; every fifth record
//! of the first 100,000 has a vector of 1,152 components. Run with
//! `cargo bench -p periplus-collection --bench query`; building the corpus takes some seconds before the
//! first figure. Evaluations go past the selection cache; rankings find their selection in it.

use std::sync::LazyLock;

use divan::{Bencher, black_box};
use periplus_collection::{
    Budget, Catalogue, Collection, Columns, ColumnsBuilder, Error, FacetRequest, Manifest, Options, Policies,
    Predicate, Record, SelectRequest, Sources, Vectors,
    manifest::Counts,
    rank::{Anchor, Axis, Method, RankRequest},
    snapshot::StoredObject,
};
use periplus_collection_import::{
    CsvReader,
    met::{Header, HeaderVariant, SAMPLE_CSV, record},
};
use serde_json::{Value, json};

const RECORDS: u64 = 484_956;
const VECTORS: u64 = 20_000;
const DIMENSION: usize = 1_152;

fn main() {
    LazyLock::force(&COLLECTION);
    divan::main();
}

struct Memory {
    manifest: Manifest,
    columns: Columns,
    vector_ids: Vec<u64>,
    vectors: Vec<f32>,
}

impl Catalogue for Memory {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn columns(&self) -> &Columns {
        &self.columns
    }

    fn vectors(&self) -> &dyn Vectors {
        self
    }

    fn sources(&self, _object_id: u64) -> Result<Sources, Error> {
        Ok(Sources {
            csv: true,
            api: false,
        })
    }

    fn object(&self, _object_id: u64) -> Result<Option<StoredObject>, Error> {
        Ok(None)
    }
}

impl Vectors for Memory {
    fn ids(&self) -> &[u64] {
        &self.vector_ids
    }

    fn vector(&self, position: usize) -> &[f32] {
        self.vectors
            .get(position * DIMENSION..(position + 1) * DIMENSION)
            .unwrap_or_default()
    }
}

static COLLECTION: LazyLock<Collection> = LazyLock::new(|| {
    let records = shipped_records();
    let mut builder = ColumnsBuilder::new();
    for (object_id, record) in (1..=RECORDS).zip(records.iter().cycle()) {
        builder
            .push(&Record {
                object_id,
                ..record.clone()
            })
            .expect("half a million records fit");
    }
    let memory = Memory {
        manifest: manifest(),
        columns: builder.finish().expect("ids are distinct"),
        vector_ids: (1..=VECTORS).map(|id| id * 5).collect(),
        vectors: noise(VECTORS as usize * DIMENSION),
    };
    let collection = Collection::new(
        memory,
        Options {
            max_candidates: usize::MAX,
            ..Options::new("bench")
        },
    );
    collection.warm_up();
    collection
});

fn shipped_records() -> Vec<Record> {
    let header = Header::new(HeaderVariant::Current54);
    let mut reader = CsvReader::new(SAMPLE_CSV);
    reader.read().expect("the shipped file is CSV");
    let mut records = Vec::new();
    while let Some(row) = reader.read().expect("the shipped file is CSV") {
        records.push(record(&header, &row).expect("shipped rows are records"));
    }
    records
}

/// Reproducible numbers between -0.05 and 0.05.
fn noise(count: usize) -> Vec<f32> {
    let mut state = 1_u64;
    let next = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32 * 0.1 - 0.05
    };
    (0..count).map(next).collect()
}

fn manifest() -> Manifest {
    let csv = json!({
        "file": "", "sha256": "", "bytes": 0, "pinned": false, "upstreamCommit": null, "upstreamDate": null,
    });
    serde_json::from_value(json!({
        "format": "bench-snapshot/1", "snapshot": "bench", "datasetMode": "csv_baseline", "headerVariant": "",
        "inputs": { "csv": csv, "vectors": [], "apiSeeds": null }, "counts": Counts::default(), "coverage": {},
        "dataQuality": {}, "dataQualityFlags": {}, "rules": {}, "files": [], "licences": [],
    }))
    .expect("that is a manifest")
}

fn evaluate(bencher: Bencher<'_, '_>, predicate: &Value) {
    let predicate = Predicate::parse(predicate).expect("a valid predicate");
    bencher.bench(|| COLLECTION.evaluate(black_box(&predicate), &Budget::UNLIMITED));
}

#[divan::bench]
fn select_three_conditions_and_a_date(bencher: Bencher<'_, '_>) {
    evaluate(
        bencher,
        &json!({ "all": [
            { "field": "is_public_domain", "op": "eq", "value": true },
            { "field": "department", "op": "one_of", "value": ["Islamic Art", "Asian Art", "Medieval Art"] },
            { "not": { "field": "medium", "op": "contains_normalized", "value": "silver" } },
            { "field": "object_date", "op": "overlaps", "value": { "begin": 1400, "end": 1600 } },
        ]}),
    );
}

#[divan::bench(args = ["unicorn", "horse", "a", "no such text"])]
fn substring_of_all_metadata(bencher: Bencher<'_, '_>, text: &str) {
    evaluate(
        bencher,
        &json!({ "field": "metadata_text", "op": "contains_normalized", "value": text }),
    );
}

fn receipt(predicate: &Value) -> String {
    let request = SelectRequest {
        predicate,
        policies: Policies::default(),
        page_size: 1,
        cursor: None,
    };
    COLLECTION
        .select(&request, &Budget::UNLIMITED)
        .expect("a valid predicate")
        .receipt
}

/// About 5,000 records.
fn narrow() -> String {
    receipt(&json!({ "all": [
        { "field": "metadata_text", "op": "contains_normalized", "value": "horse" },
        { "field": "department", "op": "eq", "value": "European Paintings" },
        { "field": "medium", "op": "contains_normalized", "value": "oil on canvas" },
    ]}))
}

fn everything() -> String {
    let missing = json!({ "field": "department", "op": "is_missing" });
    receipt(&json!({ "any": [missing, { "not": missing }] }))
}

fn facet(bencher: Bencher<'_, '_>, selection: Option<&str>) {
    let request = FacetRequest {
        field: "medium",
        selection,
        prefix: None,
        page_size: 100,
        cursor: None,
    };
    bencher.bench(|| {
        COLLECTION
            .facets(black_box(&request), &Budget::UNLIMITED)
            .expect("a valid request")
    });
}

#[divan::bench]
fn facet_of_medium(bencher: Bencher<'_, '_>) {
    facet(bencher, None);
}

#[divan::bench]
fn facet_of_medium_in_a_large_selection(bencher: Bencher<'_, '_>) {
    let selection = receipt(&json!({ "field": "is_public_domain", "op": "eq", "value": true }));
    facet(bencher, Some(&selection));
}

#[divan::bench]
fn facet_of_medium_in_a_small_selection(bencher: Bencher<'_, '_>) {
    facet(bencher, Some(&narrow()));
}

fn rank(bencher: Bencher<'_, '_>, selection: &str, anchor: &Anchor, axis: Axis, method: Method) {
    let request = RankRequest {
        selection,
        anchor,
        axis,
        method,
        page_size: 25,
        cursor: None,
        max_candidates: usize::MAX,
        include_anchor: false,
        include_unscored: false,
    };
    bencher.bench(|| {
        COLLECTION
            .rank(black_box(&request), &Budget::UNLIMITED)
            .expect("a valid request")
    });
}

#[divan::bench]
fn bm25_of_two_words_in_a_small_selection(bencher: Bencher<'_, '_>) {
    rank(
        bencher,
        &narrow(),
        &Anchor::Topic("garden horse".into()),
        Axis::Topic,
        Method::LexicalBm25V1,
    );
}

#[divan::bench]
fn bm25_of_two_words_in_everything(bencher: Bencher<'_, '_>) {
    rank(
        bencher,
        &everything(),
        &Anchor::Topic("garden horse".into()),
        Axis::Topic,
        Method::LexicalBm25V1,
    );
}

#[divan::bench]
fn rule_in_a_small_selection(bencher: Bencher<'_, '_>) {
    let axis = Axis::TechniqueMaterial;
    rank(
        bencher,
        &narrow(),
        &Anchor::Object(5),
        axis,
        Method::MetadataRuleV1,
    );
}

#[divan::bench]
fn cosine_of_20_000_vectors(bencher: Bencher<'_, '_>) {
    rank(
        bencher,
        &everything(),
        &Anchor::Object(5),
        Axis::Visual,
        Method::Siglip2CosineV1,
    );
}
