//! Catalogues in memory: the shipped rows, and any records a test makes up.

use std::sync::{Arc, LazyLock};

use periplus_collection::{
    Budget, Catalogue, Collection, Columns, ColumnsBuilder, Error, Options, Policies, Record, SelectPage,
    SelectRequest, Sources, Vectors,
};
use periplus_collection_import::{
    CsvReader,
    met::{Header, HeaderVariant, SAMPLE_CSV, record},
};
use serde_json::Value;

/// A catalogue without a store.
pub struct Memory {
    pub columns: Columns,
    pub vector_ids: Vec<u64>,
    pub vectors: Vec<Vec<f32>>,
}

impl Catalogue for Memory {
    fn snapshot(&self) -> &str {
        "memory-1"
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
pub fn collection(records: &[Record]) -> Collection {
    with_vectors(records, Vec::new())
}

/// A collection over these records and vectors by object id, ascending.
pub fn with_vectors(records: &[Record], vectors: Vec<(u64, Vec<f32>)>) -> Collection {
    let mut builder = ColumnsBuilder::new();
    for record in records {
        builder.push(record).unwrap();
    }
    let (vector_ids, vectors) = vectors.into_iter().unzip();
    let memory = Memory {
        columns: builder.finish().unwrap(),
        vector_ids,
        vectors,
    };
    Collection::new(Arc::new(memory), &Options::new("met"))
}

/// The shipped rows.
pub static RECORDS: LazyLock<Vec<Record>> = LazyLock::new(|| {
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
pub static SAMPLE: LazyLock<Collection> = LazyLock::new(|| collection(&RECORDS));

/// The numbers that an independent implementation computed for the shipped rows.
pub static ORACLE: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_slice(include_bytes!("../../../../data/met/sample-oracle.json")).unwrap()
});

/// The first page of a selection.
pub fn select(collection: &Collection, predicate: &Value) -> Result<SelectPage, Error> {
    let request = SelectRequest {
        predicate,
        policies: Policies::default(),
        page_size: 100,
        cursor: None,
    };
    collection.select(&request, &Budget::UNLIMITED)
}

/// Every id of a selection, page by page.
pub fn all_ids(collection: &Collection, predicate: &Value, policies: Policies, page_size: usize) -> Vec<u64> {
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
