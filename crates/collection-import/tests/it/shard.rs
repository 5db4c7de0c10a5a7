//! Parquet shards as the museum publishes them, made for tests.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{MapBuilder, StringBuilder};
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{
    ArrayRef, FixedSizeListArray, Int32Array, Int64Array, LargeListArray, ListArray, RecordBatch, StringArray,
};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

pub(crate) const MODEL: &str = "google/siglip2-so400m-patch14-384";
pub(crate) const DIMENSION: usize = 1152;

/// Components of a vector that is not of unit length.
pub(crate) fn components(seed: u64) -> Vec<f32> {
    (0..DIMENSION as u64)
        .map(|index| f32::from(u8::try_from((index * seed + seed) % 97).expect("small")) - 48.0)
        .collect()
}

/// One row of a shard.
#[derive(Clone)]
pub(crate) struct ShardRow {
    pub(crate) id: Option<i64>,
    pub(crate) vector: Option<Vec<f32>>,
    pub(crate) model: Option<&'static str>,
    pub(crate) dim: Option<i32>,
}

impl ShardRow {
    pub(crate) fn good(id: u64) -> Self {
        Self {
            id: Some(i64::try_from(id).expect("a small id")),
            vector: Some(components(id)),
            model: Some(MODEL),
            dim: Some(1152),
        }
    }
}

/// The list type of a shard's vectors.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Lists {
    List32,
    List64,
    Large,
    Fixed,
}

type Components = Option<Vec<Option<f32>>>;

fn vectors(rows: &[ShardRow], lists: Lists) -> ArrayRef {
    let some = |vector: &Option<Vec<f32>>| -> Components {
        vector
            .as_ref()
            .map(|vector| vector.iter().copied().map(Some).collect())
    };
    let singles = rows.iter().map(|row| some(&row.vector));
    match lists {
        Lists::List32 => Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(singles)),
        Lists::Large => Arc::new(LargeListArray::from_iter_primitive::<Float32Type, _, _>(singles)),
        Lists::Fixed => Arc::new(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(
            singles, 1152,
        )),
        Lists::List64 => {
            let doubles = singles.map(|vector| {
                vector.map(|vector| {
                    vector
                        .into_iter()
                        .map(|float| float.map(f64::from))
                        .collect::<Vec<_>>()
                })
            });
            Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(doubles))
        }
    }
}

/// A shard with one row an object.
pub(crate) fn write_plain(path: &Path, rows: &[ShardRow], lists: Lists, compression: Compression) {
    let ids: ArrayRef = Arc::new(rows.iter().map(|row| row.id).collect::<Int64Array>());
    let models: ArrayRef = Arc::new(rows.iter().map(|row| row.model).collect::<StringArray>());
    let dims: ArrayRef = Arc::new(rows.iter().map(|row| row.dim).collect::<Int32Array>());
    let columns = [
        ("objectID", ids),
        ("embedding", vectors(rows, lists)),
        ("model", models),
        ("dim", dims),
    ];
    write(path, &columns, compression);
}

/// A shard with ids of 32 bits that does not name its model.
pub(crate) fn write_bare(path: &Path, ids: &[i32]) {
    let rows: Vec<ShardRow> = ids
        .iter()
        .map(|&id| ShardRow::good(u64::try_from(id).expect("positive")))
        .collect();
    let ids: ArrayRef = Arc::new(Int32Array::from(ids.to_vec()));
    write(
        path,
        &[("objectID", ids), ("embedding", vectors(&rows, Lists::List32))],
        Compression::SNAPPY,
    );
}

/// A shard with one row a depiction: subject id and link, both as text.
pub(crate) fn write_depictions(path: &Path, rows: &[(Option<&str>, Option<&str>, ShardRow)]) {
    let subjects: ArrayRef = Arc::new(
        rows.iter()
            .map(|(subject, _, _)| *subject)
            .collect::<StringArray>(),
    );
    let mut attributes = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
    for (_, url, _) in rows {
        attributes.keys().append_value("type");
        attributes.values().append_value("image");
        if let Some(url) = url {
            attributes.keys().append_value("subject_url");
            attributes.values().append_value(url);
        }
        attributes.append(true).expect("as many keys as values");
    }
    let plain: Vec<ShardRow> = rows.iter().map(|(_, _, row)| row.clone()).collect();
    let models: ArrayRef = Arc::new(plain.iter().map(|row| row.model).collect::<StringArray>());
    let columns = [
        ("subject_id", subjects),
        ("embeddings", vectors(&plain, Lists::List32)),
        ("model", models),
        ("attributes", Arc::new(attributes.finish()) as ArrayRef),
    ];
    write(path, &columns, Compression::SNAPPY);
}

pub(crate) fn write(path: &Path, columns: &[(&str, ArrayRef)], compression: Compression) {
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns
            .iter()
            .map(|(name, array)| (*name, Arc::clone(array), true)),
    )
    .expect("columns of one length");
    let properties = WriterProperties::builder().set_compression(compression).build();
    let file = File::create(path).expect("a new file");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a schema");
    writer.write(&batch).expect("writing");
    writer.close().expect("writing");
}
