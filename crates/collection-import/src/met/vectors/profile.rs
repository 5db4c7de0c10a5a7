//! The two layouts in which vectors are published.

use std::collections::BTreeSet;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};

/// A layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// One row an object: `objectID`, `embedding`, perhaps `model` and `dim`.
    Plain,
    /// One row a depiction: `subject_id`, `embeddings`, `model`, `attributes`.
    Depictions,
}

/// The layout of a shard and which optional columns it has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Profile {
    layout: Layout,
    has_model: bool,
    has_dimension: bool,
}

impl Profile {
    /// The profile by column names and types, or a sentence about what does not fit.
    pub(super) fn of(schema: &Schema) -> Result<Self, String> {
        let has = |name: &str| schema.field_with_name(name).is_ok();
        let layout = if has("objectID") && has("embedding") {
            Layout::Plain
        } else if has("subject_id") && has("embeddings") && has("attributes") {
            Layout::Depictions
        } else {
            return Err(format!(
                "its columns are {}; expected objectID and embedding, or subject_id, embeddings and attributes",
                columns(schema)
            ));
        };
        let profile = Self {
            layout,
            has_model: has("model"),
            has_dimension: layout == Layout::Plain && has("dim"),
        };
        let fits = |name: &str, fits: fn(&DataType) -> bool| {
            let field = schema.field_with_name(name).map_err(|error| error.to_string())?;
            if fits(field.data_type()) {
                Ok(())
            } else {
                Err(format!("its column {name} has the type {}", field.data_type()))
            }
        };
        match layout {
            Layout::Plain => fits("objectID", is_integer)?,
            Layout::Depictions => {
                fits("subject_id", is_text)?;
                fits("attributes", is_text_map)?;
            }
        }
        fits(profile.vector_column(), is_vector)?;
        if profile.has_model {
            fits("model", is_text)?;
        }
        if profile.has_dimension {
            fits("dim", is_integer)?;
        }
        Ok(profile)
    }

    pub(super) const fn name(&self) -> &'static str {
        match self.layout {
            Layout::Plain => "met-v1",
            Layout::Depictions => "oembeddings-v1",
        }
    }

    pub(super) const fn has_model(&self) -> bool {
        self.has_model
    }

    const fn vector_column(&self) -> &'static str {
        match self.layout {
            Layout::Plain => "embedding",
            Layout::Depictions => "embeddings",
        }
    }

    /// The columns of a batch that matter.
    pub(super) fn rows(&self, batch: &RecordBatch) -> Result<Rows, String> {
        let column = |name: &str| {
            batch
                .column_by_name(name)
                .cloned()
                .ok_or_else(|| format!("the column {name} is missing in a part"))
        };
        Ok(Rows {
            ids: match self.layout {
                Layout::Plain => column("objectID")?,
                Layout::Depictions => column("subject_id")?,
            },
            attributes: if self.layout == Layout::Depictions {
                Some(column("attributes")?)
            } else {
                None
            },
            vectors: column(self.vector_column())?,
            models: if self.has_model {
                Some(column("model")?)
            } else {
                None
            },
            dimensions: if self.has_dimension {
                Some(column("dim")?)
            } else {
                None
            },
        })
    }
}

fn columns(schema: &Schema) -> String {
    let names: BTreeSet<&str> = schema
        .fields()
        .iter()
        .take(50)
        .map(|field| field.name().as_str())
        .collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}

fn is_integer(kind: &DataType) -> bool {
    matches!(kind, DataType::Int32 | DataType::Int64)
}

fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8)
}

fn is_vector(kind: &DataType) -> bool {
    match kind {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            matches!(item.data_type(), DataType::Float32 | DataType::Float64)
        }
        _ => false,
    }
}

fn is_text_map(kind: &DataType) -> bool {
    let DataType::Map(entries, _is_sorted) = kind else {
        return false;
    };
    let DataType::Struct(fields) = entries.data_type() else {
        return false;
    };
    fields.len() == 2 && fields.iter().all(|field| is_text(field.data_type()))
}

/// The columns of a batch that matter.
pub(super) struct Rows {
    ids: ArrayRef,
    attributes: Option<ArrayRef>,
    vectors: ArrayRef,
    models: Option<ArrayRef>,
    dimensions: Option<ArrayRef>,
}

impl Rows {
    pub(super) const fn row(&self, index: usize) -> Row<'_> {
        Row { rows: self, index }
    }
}

/// One row of a batch.
pub(super) struct Row<'a> {
    rows: &'a Rows,
    index: usize,
}

impl Row<'_> {
    pub(super) fn is_id_null(&self) -> bool {
        let has_link = || self.object_url().is_some();
        self.rows.ids.is_null(self.index) && !has_link()
    }

    /// The object id as recorded, valid or not.
    pub(super) fn object_id(&self) -> Option<i64> {
        let ids = &self.rows.ids;
        if self.rows.attributes.is_none() {
            return integer(ids, self.index);
        }
        let plain = text(ids, self.index).and_then(decimal);
        plain.or_else(|| {
            let url = self.object_url()?;
            let (_before, after) = url.split_once("/search/")?;
            let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            decimal(&after[..digits])
        })
    }

    fn object_url(&self) -> Option<String> {
        let entries = self.rows.attributes.as_ref()?.as_map_opt()?;
        if entries.is_null(self.index) {
            return None;
        }
        let entries = entries.value(self.index);
        let (keys, values) = (entries.column(0), entries.column(1));
        let position = (0..keys.len()).find(|&index| text(keys, index) == Some("subject_url"))?;
        text(values, position).map(str::to_owned)
    }

    /// The components; a null component is not a number.
    pub(super) fn vector(&self) -> Option<Vec<f64>> {
        let vectors = &self.rows.vectors;
        if vectors.is_null(self.index) {
            return None;
        }
        let items = match vectors.data_type() {
            DataType::List(_) => vectors.as_list::<i32>().value(self.index),
            DataType::LargeList(_) => vectors.as_list::<i64>().value(self.index),
            _ => vectors.as_fixed_size_list().value(self.index),
        };
        match items.data_type() {
            DataType::Float32 => {
                let floats = items.as_primitive::<Float32Type>().iter();
                Some(floats.map(|float| float.map_or(f64::NAN, f64::from)).collect())
            }
            _ => Some(
                items
                    .as_primitive::<Float64Type>()
                    .iter()
                    .map(|float| float.unwrap_or(f64::NAN))
                    .collect(),
            ),
        }
    }

    /// The recorded dimension, if the shard records it; a null is none that fits.
    pub(super) fn dimension(&self) -> Option<i64> {
        let dimensions = self.rows.dimensions.as_ref()?;
        Some(integer(dimensions, self.index).unwrap_or(-1))
    }

    /// The recorded model, if the shard records models.
    pub(super) fn model(&self) -> Option<Option<&str>> {
        Some(text(self.rows.models.as_ref()?, self.index))
    }
}

fn decimal(digits: &str) -> Option<i64> {
    let is_decimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_decimal { digits.parse().ok() } else { None }
}

fn integer(column: &ArrayRef, index: usize) -> Option<i64> {
    if column.is_null(index) {
        None
    } else if column.data_type() == &DataType::Int32 {
        Some(i64::from(column.as_primitive::<Int32Type>().value(index)))
    } else {
        Some(column.as_primitive::<Int64Type>().value(index))
    }
}

fn text(column: &ArrayRef, index: usize) -> Option<&str> {
    if column.is_null(index) {
        None
    } else if column.data_type() == &DataType::LargeUtf8 {
        Some(column.as_string::<i64>().value(index))
    } else {
        Some(column.as_string::<i32>().value(index))
    }
}
