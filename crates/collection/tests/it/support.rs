//! Catalogues in memory: the shipped rows, and any records a test makes up.

use std::sync::LazyLock;

use periplus_collection::{
    Budget, Catalogue, Collection, Columns, ColumnsBuilder, Error, Manifest, Options, Policies, Record,
    SelectPage, SelectRequest, Sources, Vectors,
    manifest::Counts,
    snapshot::{ApiSource, CsvSource, StoredObject, VectorSource},
};
use periplus_collection_import::{
    CsvReader,
    met::{Header, HeaderVariant, SAMPLE_CSV, record},
};
use serde_json::{Value, json};

/// A catalogue without a store.
struct Memory {
    manifest: Manifest,
    columns: Columns,
    records: Vec<Record>,
    vector_ids: Vec<u64>,
    vectors: Vec<Vec<f32>>,
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

    fn sources(&self, object_id: u64) -> Result<Sources, Error> {
        Ok(Sources {
            csv: true,
            api: object_id.is_multiple_of(5),
        })
    }

    /// Every object has a CSV record, every fifth a capture, every tenth of them one that found nothing.
    fn object(&self, object_id: u64) -> Result<Option<StoredObject>, Error> {
        let Some(record) = self.records.iter().find(|record| record.object_id == object_id) else {
            return Ok(None);
        };
        let cell = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        Ok(Some(StoredObject {
            record: record.clone(),
            csv: Some(CsvSource {
                record_number: object_id,
                byte_offset: 0,
                cells: vec![cell("Object ID", &object_id.to_string()), cell("Reign", ""), cell("Medium", " Ink ")],
            }),
            api: object_id.is_multiple_of(5).then(|| ApiSource {
                retrieved_at: "2023-02-28T05:00:00Z".to_owned(),
                http_status: if object_id.is_multiple_of(10) { 404 } else { 200 },
                url: "https://example.org/objects".to_owned(),
                sha256: "00".repeat(32),
                body: json!({ "objectID": object_id, "title": "A", "tags": null, "culture": "", "images": [] }),
            }),
            vector: self.vector_ids.contains(&object_id).then(|| VectorSource {
                shard_sha256: "11".repeat(32),
                row_index: 7,
                model: Some("a model".to_owned()),
                original_norm: 2.5,
            }),
        }))
    }
}

fn manifest() -> Manifest {
    let csv = json!({
        "file": "a.csv", "sha256": "", "bytes": 1, "pinned": true, "upstreamCommit": null,
        "upstreamDate": "2023-06-17",
    });
    serde_json::from_value(json!({
        "format": "met-snapshot/1", "snapshot": "memory-1", "datasetMode": "csv_baseline",
        "headerVariant": "current54", "inputs": { "csv": csv, "vectors": [], "apiSeeds": null },
        "counts": Counts::default(), "coverage": {}, "dataQuality": {}, "dataQualityFlags": {}, "rules": {},
        "files": [], "licences": [],
    }))
    .unwrap()
}

impl Vectors for Memory {
    fn ids(&self) -> &[u64] {
        &self.vector_ids
    }

    fn vector(&self, position: usize) -> &[f32] {
        self.vectors.get(position).map_or(&[], Vec::as_slice)
    }
}

/// A collection over these records.
pub(crate) fn collection(records: &[Record]) -> Collection {
    with_vectors(records, Vec::new())
}

/// A collection over these records and vectors by object id, ascending.
pub(crate) fn with_vectors(records: &[Record], vectors: Vec<(u64, Vec<f32>)>) -> Collection {
    let mut builder = ColumnsBuilder::new();
    for record in records {
        builder.push(record).unwrap();
    }
    let (vector_ids, vectors) = vectors.into_iter().unzip();
    let columns = builder.finish().unwrap();
    let memory = Memory {
        manifest: manifest(),
        columns,
        records: records.to_vec(),
        vector_ids,
        vectors,
    };
    Collection::new(memory, Options::new("met"))
}

/// The shipped rows.
pub(crate) static RECORDS: LazyLock<Vec<Record>> = LazyLock::new(|| {
    let header = Header::new(HeaderVariant::Current54);
    let mut reader = CsvReader::new(SAMPLE_CSV);
    reader.read().unwrap().expect("a header");
    let mut records = Vec::new();
    while let Some(row) = reader.read().unwrap() {
        records.push(record(&header, &row).unwrap());
    }
    records
});

/// A collection over the shipped rows.
pub(crate) static SAMPLE: LazyLock<Collection> = LazyLock::new(|| collection(&RECORDS));

/// The numbers that an independent implementation computed for the shipped rows.
pub(crate) static ORACLE: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_slice(include_bytes!("../../../../data/met/sample-oracle.json")).unwrap()
});

/// The first page of a selection.
pub(crate) fn select(collection: &Collection, predicate: &Value) -> Result<SelectPage, Error> {
    let request = SelectRequest {
        predicate,
        policies: Policies::default(),
        page_size: 100,
        cursor: None,
    };
    collection.select(&request, &Budget::UNLIMITED)
}

/// Every id of a selection, page by page.
pub(crate) fn all_ids(
    collection: &Collection,
    predicate: &Value,
    policies: Policies,
    page_size: usize,
) -> Vec<u64> {
    let mut ids = Vec::new();
    let mut cursor = None;
    loop {
        let request = SelectRequest {
            predicate,
            policies,
            page_size,
            cursor: cursor.as_deref(),
        };
        let page = collection.select(&request, &Budget::UNLIMITED).unwrap();
        assert_eq!(page.counts.returned, page.object_ids.len());
        assert_eq!(page.counts.truncated, page.next_cursor.is_some());
        ids.extend(page.object_ids);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return ids;
        }
    }
}
