//! The catalogue as one file: a deflated table of areas with their names, and the shapes.
//!
//! ```text
//! PPAREAS1 | length of the table, deflated and plain, 4 bytes each | table | shapes
//! ```
//! The table is one JSON line for the file itself and one for each area, in an order that puts an area after what it
//! lies in. Shapes follow one another in the same order; they are read only when they are asked for.

use std::{
    borrow::Cow,
    io::{Read, Write},
    ops::Range,
};

use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use serde::{Deserialize, Serialize};

use crate::{Area, Bounds, Shape, Source, Subtype};

const MAGIC: &[u8; 8] = b"PPAREAS1";

/// Plain bytes of the largest table that is read; that of the shipped file has about three million.
const MAX_TABLE_BYTES: usize = 64 << 20;

/// What the file was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Name and version of the data.
    pub data: String,
    /// Its licence.
    pub licence: String,
}

/// One area with everything the file says about it, except its shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) source: Source,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) subtype: Subtype,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<String>,
    pub(crate) bounds: Bounds,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) iso3: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) area_km2: Option<f64>,
    /// The continent of a country, as the data has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) continent: Option<String>,
    /// The region of its continent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) region: Option<String>,
    /// Position of the unit it lies in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<usize>,
    /// A grouping beside the administrative tree: it can be picked, but is no unit of its country.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_beside: bool,
    /// Names it is officially known by, its own first.
    pub(crate) own_names: Vec<String>,
    /// Variants and names in other languages.
    pub(crate) other_names: Vec<String>,
    /// Bytes of its shape.
    pub(crate) shape_bytes: usize,
}

impl Record {
    pub(crate) fn area(&self) -> Area {
        Area {
            source: self.source,
            id: self.id.clone(),
            name: self.name.clone(),
            subtype: self.subtype,
            kind: self.kind.clone(),
            bounds: self.bounds,
            iso3: self.iso3.clone(),
            area_km2: self.area_km2,
        }
    }
}

/// Why a file is no catalogue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// It is something else, or of another version.
    #[error(
        "it is no area catalogue of this version (it does not begin with PPAREAS1); make one with `periplus aoi import`"
    )]
    Magic,
    /// It is damaged.
    #[error("it is damaged: {0}; make it anew with `periplus aoi import`")]
    Damaged(String),
}

/// An opened file.
#[derive(Debug)]
pub(crate) struct CatalogueFile {
    pub(crate) origin: Origin,
    pub(crate) records: Vec<Record>,
    bytes: Cow<'static, [u8]>,
    shapes: Vec<Range<usize>>,
}

impl CatalogueFile {
    pub(crate) fn read(bytes: Cow<'static, [u8]>) -> Result<Self, FileError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(FileError::Magic)?;
        let damaged = |what: &str| FileError::Damaged(what.to_owned());
        let (deflated_length, rest) = length(rest).ok_or_else(|| damaged("it has no head"))?;
        let (plain_length, rest) = length(rest).ok_or_else(|| damaged("it has no head"))?;
        if plain_length > MAX_TABLE_BYTES {
            return Err(damaged("its table is too large"));
        }
        let deflated = rest
            .get(..deflated_length)
            .ok_or_else(|| damaged("its table is cut off"))?;
        let mut table = String::with_capacity(plain_length);
        DeflateDecoder::new(deflated)
            .take(plain_length as u64 + 1)
            .read_to_string(&mut table)
            .map_err(|error| FileError::Damaged(format!("its table cannot be inflated ({error})")))?;
        let mut lines = table.lines();
        let origin = parse(lines.next().unwrap_or_default())?;
        let records: Vec<Record> = lines.map(parse).collect::<Result<_, _>>()?;
        check_parents(&records)?;
        let mut position = bytes.len() - rest.len() + deflated_length;
        let shapes = records.iter().map(|record| {
            let start = position;
            position = position.saturating_add(record.shape_bytes);
            start..position
        });
        let shapes: Vec<Range<usize>> = shapes.collect();
        if position != bytes.len() {
            return Err(damaged("its shapes are cut off"));
        }
        Ok(Self {
            origin,
            records,
            bytes,
            shapes,
        })
    }

    /// The shape of the area at a position.
    pub(crate) fn shape(&self, position: usize) -> Option<Shape> {
        let range = self.shapes.get(position)?.clone();
        Shape::decode(self.bytes.get(range)?)
    }
}

/// Writes a catalogue; the lengths in the records are set here.
pub(crate) fn write(
    origin: &Origin,
    mut records: Vec<Record>,
    shapes: &[Shape],
) -> Result<Vec<u8>, FileError> {
    let mut encoded = Vec::new();
    for (record, shape) in records.iter_mut().zip(shapes) {
        let before = encoded.len();
        shape.encode(&mut encoded);
        record.shape_bytes = encoded.len() - before;
    }
    let unwritable =
        |error: &dyn std::fmt::Display| FileError::Damaged(format!("its table cannot be written ({error})"));
    let mut table = serde_json::to_string(origin).map_err(|error| unwritable(&error))?;
    for record in &records {
        table.push('\n');
        table.push_str(&serde_json::to_string(record).map_err(|error| unwritable(&error))?);
    }
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder
        .write_all(table.as_bytes())
        .map_err(|error| unwritable(&error))?;
    let deflated = encoder.finish().map_err(|error| unwritable(&error))?;
    let mut bytes = MAGIC.to_vec();
    for part in [deflated.len(), table.len()] {
        let part = u32::try_from(part).map_err(|error| unwritable(&error))?;
        bytes.extend(part.to_le_bytes());
    }
    bytes.extend(deflated);
    bytes.extend(encoded);
    Ok(bytes)
}

fn length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (head, rest) = bytes.split_first_chunk::<4>()?;
    Some((usize::try_from(u32::from_le_bytes(*head)).ok()?, rest))
}

fn parse<'a, T: Deserialize<'a>>(line: &'a str) -> Result<T, FileError> {
    serde_json::from_str(line).map_err(|error| FileError::Damaged(format!("a line of its table ({error})")))
}

/// What lies in something comes after it, so that following parents always ends.
fn check_parents(records: &[Record]) -> Result<(), FileError> {
    let misplaced = records
        .iter()
        .enumerate()
        .find(|(position, record)| record.parent.is_some_and(|parent| parent >= *position));
    match misplaced {
        Some((_, record)) => Err(FileError::Damaged(format!(
            "{} comes before what it lies in",
            record.id
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: &str, parent: Option<usize>) -> Record {
        Record {
            source: Source::Gadm,
            id: id.to_owned(),
            name: "Somewhere".to_owned(),
            subtype: Subtype::Country,
            kind: None,
            bounds: Bounds::from([0.0, 0.0, 1.0, 1.0]),
            iso3: None,
            area_km2: Some(1.5),
            continent: None,
            region: None,
            parent,
            is_beside: false,
            own_names: vec!["Somewhere".to_owned()],
            other_names: Vec::new(),
            shape_bytes: 0,
        }
    }

    fn shape() -> Shape {
        Shape(vec![vec![vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]]])
    }

    fn origin() -> Origin {
        Origin {
            data: "test".to_owned(),
            licence: "none".to_owned(),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let records = vec![record("AAA", None), record("AAA.1", Some(0))];
        let bytes = write(&origin(), records, &[Shape::default(), shape()]).unwrap();
        let file = CatalogueFile::read(bytes.into()).unwrap();
        assert_eq!(file.origin, origin());
        assert_eq!(file.records[1].id, "AAA.1");
        assert_eq!(file.shape(0), Some(Shape::default()));
        assert_eq!(file.shape(1), Some(shape()));
        assert_eq!(file.shape(2), None);
    }

    #[test]
    fn a_damaged_file_is_told_from_another_kind_of_file() {
        let bytes = write(&origin(), vec![record("AAA", None)], &[shape()]).unwrap();
        let read = |bytes: &[u8]| CatalogueFile::read(bytes.to_vec().into());
        assert!(matches!(read(b"{}"), Err(FileError::Magic)));
        for end in [8, 12, 20, bytes.len() - 1] {
            assert!(matches!(read(&bytes[..end]), Err(FileError::Damaged(_))), "{end}");
        }
        let mut broken = bytes;
        broken[30] ^= 0xff;
        assert!(matches!(read(&broken), Err(FileError::Damaged(_))));
    }

    #[test]
    fn an_area_before_what_it_lies_in_is_refused() {
        let bytes = write(&origin(), vec![record("AAA", Some(0))], &[shape()]).unwrap();
        assert!(matches!(
            CatalogueFile::read(bytes.into()),
            Err(FileError::Damaged(_))
        ));
    }
}
