//! One object with everything its sources say.

use rusqlite::{Connection, OptionalExtension as _};
use serde_json::Value;
use thiserror::Error;

use crate::{
    ArtistMention, Columns, Geography, Interval, Merged, ObjectDate, Record, Row, Sources, StringField,
};

/// Why an object cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The database failed.
    #[error("reading the catalogue failed")]
    Sqlite(#[from] rusqlite::Error),
    /// Stored JSON is not what it should be.
    #[error("a stored value of object {object_id} is damaged")]
    Damaged {
        /// Whose value.
        object_id: u64,
        /// What JSON said.
        source: serde_json::Error,
    },
}

/// One object with everything its sources say.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredObject {
    /// What the sources, taken together, record.
    pub record: Record,
    /// The row of the catalogue file.
    pub csv: Option<CsvSource>,
    /// The capture of the API.
    pub api: Option<ApiSource>,
    /// The vector.
    pub vector: Option<VectorSource>,
}

/// A row of the catalogue file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvSource {
    /// 1 is the first record after the header.
    pub record_number: u64,
    /// Where the record starts in the file.
    pub byte_offset: u64,
    /// Column name and exact cell, in the order of the columns.
    pub cells: Vec<(String, String)>,
}

/// A response of the museum's API.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiSource {
    /// When it was retrieved, in UTC.
    pub retrieved_at: String,
    /// 200 if the object was found.
    pub http_status: u16,
    /// What was asked.
    pub url: String,
    /// Digest of the response, in hex.
    pub sha256: String,
    /// The response; null if it was not JSON (an error page).
    pub body: Value,
}

/// Where a vector comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorSource {
    /// Digest of the shard, in hex.
    pub shard_sha256: String,
    /// Row in the shard, from 0.
    pub row_index: u64,
    /// The model, as recorded or as asserted at import.
    pub model: Option<String>,
    /// Length of the vector before it was normalised.
    pub original_norm: f64,
}

/// The object in a row of the columns.
pub(super) fn read(
    connection: &Connection,
    columns: &Columns,
    row: Row,
    column_names: &[String],
) -> Result<StoredObject, ReadError> {
    let object_id = columns.ids[row as usize];
    Ok(StoredObject {
        record: record(connection, columns, row)?,
        csv: csv(connection, object_id, column_names)?,
        api: api(connection, object_id)?,
        vector: vector(connection, object_id)?,
    })
}

/// Which sources gave values.
pub(super) fn sources(connection: &Connection, object_id: u64) -> Result<Sources, ReadError> {
    let mut statement = connection.prepare_cached(
        "SELECT EXISTS(SELECT 1 FROM source_csv WHERE object_id = ?1),
                EXISTS(SELECT 1 FROM source_api WHERE object_id = ?1 AND http_status = 200)",
    )?;
    Ok(statement.query_row([object_id], |found| {
        Ok(Sources {
            csv: found.get(0)?,
            api: found.get(1)?,
        })
    })?)
}

fn record(connection: &Connection, columns: &Columns, row: Row) -> Result<Record, ReadError> {
    let object_id = columns.ids[row as usize];
    let mut statement = connection
        .prepare_cached("SELECT object_date_text, artists_json FROM objects WHERE object_id = ?1")?;
    let (object_date_text, artists) = statement.query_row([object_id], |found| {
        Ok((found.get(0)?, found.get::<_, String>(1)?))
    })?;
    let artists: Vec<ArtistMention> = json(object_id, &artists)?;
    let all = |field: StringField| -> Vec<String> {
        let column = columns.string(field);
        column
            .values_of
            .get(row)
            .iter()
            .map(|&value| column.values.get(value).to_owned())
            .collect()
    };
    let one = |field: StringField| all(field).into_iter().next();
    let is_conflict = |field: StringField| columns.string(field).conflict.contains(row as usize);
    Ok(Record {
        object_id,
        title: if is_conflict(StringField::Title) {
            Merged::Conflict
        } else {
            one(StringField::Title).into()
        },
        department: one(StringField::Department),
        object_name: one(StringField::ObjectName),
        culture: one(StringField::Culture),
        period: one(StringField::Period),
        medium: one(StringField::Medium),
        classification: all(StringField::Classification),
        tags: all(StringField::Tags),
        artists: if is_conflict(StringField::ArtistName) {
            Merged::Conflict
        } else {
            Some(artists).filter(|artists| !artists.is_empty()).into()
        },
        object_date: columns.object_date.get(row),
        object_date_text,
        geography: Geography {
            kind: all(StringField::GeographyType),
            city: all(StringField::GeographyCity),
            state: all(StringField::GeographyState),
            county: all(StringField::GeographyCounty),
            country: all(StringField::GeographyCountry),
            region: all(StringField::GeographyRegion),
            subregion: all(StringField::GeographySubregion),
            locale: all(StringField::GeographyLocale),
        },
        is_public_domain: columns.is_public_domain.get(row),
        has_known_image: columns.has_known_image.get(row),
        data_quality: all(StringField::DataQuality),
    })
}

fn csv(
    connection: &Connection,
    object_id: u64,
    column_names: &[String],
) -> Result<Option<CsvSource>, ReadError> {
    let mut statement = connection.prepare_cached(
        "SELECT record_number, byte_offset, cells_json FROM source_csv WHERE object_id = ?1",
    )?;
    let found = statement
        .query_row([object_id], |found| {
            Ok((
                found.get::<_, u64>(0)?,
                found.get::<_, u64>(1)?,
                found.get::<_, String>(2)?,
            ))
        })
        .optional()?;
    let Some((record_number, byte_offset, cells)) = found else {
        return Ok(None);
    };
    let cells: Vec<String> = json(object_id, &cells)?;
    let cells = column_names.iter().cloned().zip(cells).collect();
    Ok(Some(CsvSource {
        record_number,
        byte_offset,
        cells,
    }))
}

fn api(connection: &Connection, object_id: u64) -> Result<Option<ApiSource>, ReadError> {
    let mut statement = connection.prepare_cached(
        "SELECT retrieved_at, http_status, url, sha256, body FROM source_api WHERE object_id = ?1",
    )?;
    let found = statement
        .query_row([object_id], |found| {
            Ok(ApiSource {
                retrieved_at: found.get(0)?,
                http_status: found.get(1)?,
                url: found.get(2)?,
                sha256: found.get(3)?,
                body: serde_json::from_slice(&found.get::<_, Vec<u8>>(4)?).unwrap_or(Value::Null),
            })
        })
        .optional()?;
    Ok(found)
}

fn vector(connection: &Connection, object_id: u64) -> Result<Option<VectorSource>, ReadError> {
    let mut statement = connection.prepare_cached(
        "SELECT shard_sha256, row_index, model, original_norm FROM vector_evidence WHERE object_id = ?1",
    )?;
    let found = statement
        .query_row([object_id], |found| {
            Ok(VectorSource {
                shard_sha256: found.get(0)?,
                row_index: found.get(1)?,
                model: found.get(2)?,
                original_norm: found.get(3)?,
            })
        })
        .optional()?;
    Ok(found)
}

fn json<T: serde::de::DeserializeOwned>(object_id: u64, text: &str) -> Result<T, ReadError> {
    serde_json::from_str(text).map_err(|source| ReadError::Damaged { object_id, source })
}

impl crate::DateColumn {
    /// The date in a row.
    #[must_use]
    pub fn get(&self, row: Row) -> ObjectDate {
        let index = row as usize;
        match (self.begin.get(index), self.end.get(index)) {
            _ if self.conflict.contains(index) => ObjectDate::Conflict,
            _ if self.invalid.contains(index) => ObjectDate::Invalid,
            (Some(&begin), Some(&end)) if self.valid.contains(index) => {
                ObjectDate::Valid(Interval { begin, end })
            }
            _ => ObjectDate::Missing,
        }
    }
}

impl crate::BoolColumn {
    /// The value in a row.
    #[must_use]
    pub fn get(&self, row: Row) -> Merged<bool> {
        let index = row as usize;
        if self.conflict.contains(index) {
            Merged::Conflict
        } else if self.yes.contains(index) {
            Merged::Value(true)
        } else if self.no.contains(index) {
            Merged::Value(false)
        } else {
            Merged::Missing
        }
    }
}
