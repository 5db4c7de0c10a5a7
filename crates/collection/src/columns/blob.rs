//! Columns as bytes: little-endian, every array preceded by its length, every blob by a version.
//!
//! Bytes are not trusted. A length is checked against what is left before anything is allocated, and every
//! offset and id against what it points into, so that queries may index without looking again. Whether the
//! facts are right (order, inversion) is for a full verification, not for every start.

use std::io::{self, Read};

use fixedbitset::FixedBitSet;
use thiserror::Error;

use super::{BoolColumn, Columns, Conflicts, DateColumn, Lists, StringColumn, Strings, TermIndex};
use crate::StringField;

const MAGIC: [u8; 4] = *b"PCOL";
const VERSION: u32 = 1;
/// Bytes converted at a time.
const CHUNK: usize = 256 * 1024;

/// Why bytes are not a column.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BlobError {
    /// Reading failed.
    #[error("reading the column failed")]
    Io(#[from] io::Error),
    /// The bytes are not what they should be.
    #[error("the column is damaged: {0}")]
    Damaged(&'static str),
    /// The bytes come from another version.
    #[error("the column has format version {0}, this program reads version 1: import again")]
    Version(u32),
}

/// Names of the stored blobs, the ids first.
pub(crate) fn names() -> Vec<String> {
    let mut names = vec!["ids".to_owned()];
    names.extend(StringField::ALL.map(string_name));
    names.extend(
        [
            "metadata_text",
            "object_date",
            "is_public_domain",
            "has_known_image",
            "terms",
        ]
        .map(str::to_owned),
    );
    names
}

fn string_name(field: StringField) -> String {
    format!("string:{}", field.name())
}

/// One decoded blob.
#[derive(Debug)]
pub(crate) enum Part {
    Text(Strings),
    String(StringField, StringColumn),
    Date(DateColumn),
    PublicDomain(BoolColumn),
    KnownImage(BoolColumn),
    Terms(TermIndex),
}

/// The bytes of the blob of that name.
pub(crate) fn encode(columns: &Columns, name: &str) -> Option<Vec<u8>> {
    let mut bytes = Encoder::new();
    match name {
        "ids" => bytes.array(&columns.ids, u64::to_le_bytes),
        "metadata_text" => bytes.strings(&columns.metadata_text),
        "object_date" => bytes.dates(&columns.object_date),
        "is_public_domain" => bytes.bools(&columns.is_public_domain),
        "has_known_image" => bytes.bools(&columns.has_known_image),
        "terms" => bytes.terms(&columns.terms),
        _ => bytes.string_column(columns.string(field_named(name)?)),
    }
    Some(bytes.0)
}

/// The ids from their blob of `size` bytes: ascending, without repeats.
pub(crate) fn decode_ids(source: impl Read, size: u64) -> Result<Vec<u64>, BlobError> {
    let mut decoder = Decoder::new(source, size)?;
    let ids: Vec<u64> = decoder.array(u64::from_le_bytes)?;
    decoder.end()?;
    check(
        ids.is_sorted_by(|left, right| left < right),
        "object ids are not ascending",
    )?;
    check(
        u32::try_from(ids.len()).is_ok(),
        "more rows than 32 bits can number",
    )?;
    Ok(ids)
}

/// Any other blob of `size` bytes, for a catalogue of that many rows.
pub(crate) fn decode(name: &str, source: impl Read, size: u64, rows: usize) -> Result<Part, BlobError> {
    let mut decoder = Decoder::new(source, size)?;
    let part = match name {
        "metadata_text" => {
            let texts = decoder.strings()?;
            check(texts.len() == rows, "texts and rows differ in number")?;
            Part::Text(texts)
        }
        "object_date" => Part::Date(decoder.dates(rows)?),
        "is_public_domain" => Part::PublicDomain(decoder.bools(rows)?),
        "has_known_image" => Part::KnownImage(decoder.bools(rows)?),
        "terms" => Part::Terms(decoder.terms(rows)?),
        _ => {
            let field = field_named(name).ok_or(BlobError::Damaged("unknown column"))?;
            Part::String(field, decoder.string_column(rows)?)
        }
    };
    decoder.end()?;
    Ok(part)
}

/// The columns of all parts.
pub(crate) fn assemble(ids: Vec<u64>, parts: Vec<Part>) -> Columns {
    let strings = StringField::ALL.map(|_field| StringColumn::default()).into();
    let mut columns = Columns {
        ids,
        strings,
        ..Columns::default()
    };
    for part in parts {
        match part {
            Part::Text(texts) => columns.metadata_text = texts,
            Part::String(field, column) => columns.strings[field as usize] = column,
            Part::Date(dates) => columns.object_date = dates,
            Part::PublicDomain(bools) => columns.is_public_domain = bools,
            Part::KnownImage(bools) => columns.has_known_image = bools,
            Part::Terms(terms) => columns.terms = terms,
        }
    }
    columns.conflicts = Conflicts::of(&columns);
    columns
}

fn field_named(name: &str) -> Option<StringField> {
    StringField::ALL
        .into_iter()
        .find(|field| string_name(*field) == name)
}

struct Encoder(Vec<u8>);

impl Encoder {
    fn new() -> Self {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        Self(bytes)
    }

    fn array<T: Copy, const N: usize>(&mut self, items: &[T], to_bytes: impl Fn(T) -> [u8; N]) {
        self.0.extend((items.len() as u64).to_le_bytes());
        self.0.reserve(items.len() * N);
        for &item in items {
            self.0.extend(to_bytes(item));
        }
    }

    fn bits(&mut self, bits: &FixedBitSet) {
        let mut blocks = vec![0_u64; bits.len().div_ceil(64)];
        for bit in bits.ones() {
            blocks[bit / 64] |= 1 << (bit % 64);
        }
        self.array(&blocks, u64::to_le_bytes);
    }

    fn strings(&mut self, strings: &Strings) {
        self.array(&strings.offsets, u32::to_le_bytes);
        self.array(&strings.bytes, |byte| [byte]);
    }

    fn lists(&mut self, lists: &Lists) {
        self.array(&lists.offsets, u32::to_le_bytes);
        self.array(&lists.items, u32::to_le_bytes);
    }

    fn string_column(&mut self, column: &StringColumn) {
        self.strings(&column.values);
        self.strings(&column.norms);
        self.lists(&column.values_of);
        self.lists(&column.rows_of);
        self.bits(&column.conflict);
    }

    fn dates(&mut self, dates: &DateColumn) {
        self.array(&dates.begin, i32::to_le_bytes);
        self.array(&dates.end, i32::to_le_bytes);
        self.bits(&dates.valid);
        self.bits(&dates.invalid);
        self.bits(&dates.conflict);
    }

    fn bools(&mut self, bools: &BoolColumn) {
        self.bits(&bools.yes);
        self.bits(&bools.no);
        self.bits(&bools.conflict);
    }

    fn terms(&mut self, terms: &TermIndex) {
        self.strings(&terms.terms);
        self.lists(&terms.rows_of);
        self.array(&terms.frequencies, u16::to_le_bytes);
        self.array(&terms.lengths, u32::to_le_bytes);
    }
}

struct Decoder<R> {
    source: R,
    /// Bytes not read yet.
    left: u64,
}

impl<R: Read> Decoder<R> {
    fn new(source: R, size: u64) -> Result<Self, BlobError> {
        let mut decoder = Self { source, left: size };
        check(decoder.bytes()? == MAGIC, "it does not start like a column")?;
        match u32::from_le_bytes(decoder.bytes()?) {
            VERSION => Ok(decoder),
            other => Err(BlobError::Version(other)),
        }
    }

    fn end(&self) -> Result<(), BlobError> {
        check(self.left == 0, "bytes are left over")
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], BlobError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn fill(&mut self, buffer: &mut [u8]) -> Result<(), BlobError> {
        self.left = self
            .left
            .checked_sub(buffer.len() as u64)
            .ok_or(BlobError::Damaged("it ends too early"))?;
        Ok(self.source.read_exact(buffer)?)
    }

    /// How many items follow; never more than the bytes left can hold.
    fn count(&mut self, item_size: usize) -> Result<usize, BlobError> {
        let count = u64::from_le_bytes(self.bytes()?);
        let is_possible = count
            .checked_mul(item_size as u64)
            .is_some_and(|size| size <= self.left);
        check(is_possible, "an array is longer than the column")?;
        usize::try_from(count).map_err(|_overflow| BlobError::Damaged("an array is longer than memory"))
    }

    fn array<T, const N: usize>(&mut self, from_bytes: impl Fn([u8; N]) -> T) -> Result<Vec<T>, BlobError> {
        let count = self.count(N)?;
        let mut items = Vec::with_capacity(count);
        let mut chunk = vec![0; CHUNK.min(count * N)];
        while items.len() < count {
            let size = chunk.len().min((count - items.len()) * N);
            let chunk = &mut chunk[..size];
            self.fill(chunk)?;
            let (whole, _rest) = chunk.as_chunks::<N>();
            items.extend(whole.iter().map(|bytes| from_bytes(*bytes)));
        }
        Ok(items)
    }

    fn bits(&mut self, rows: usize) -> Result<FixedBitSet, BlobError> {
        let blocks = self.array(u64::from_le_bytes)?;
        check(
            blocks.len() == rows.div_ceil(64),
            "a bitmap and the rows differ in number",
        )?;
        let is_clean = rows.is_multiple_of(64) || blocks.last().is_none_or(|last| last >> (rows % 64) == 0);
        check(is_clean, "a bitmap has bits beyond the rows")?;
        let mut bits = FixedBitSet::with_capacity(rows);
        for (position, mut block) in blocks.into_iter().enumerate() {
            while block != 0 {
                bits.insert(position * 64 + block.trailing_zeros() as usize);
                block &= block - 1;
            }
        }
        Ok(bits)
    }

    fn strings(&mut self) -> Result<Strings, BlobError> {
        let offsets = self.array(u32::from_le_bytes)?;
        let count = self.count(1)?;
        let mut bytes = vec![0; count];
        self.fill(&mut bytes)?;
        check_offsets(&offsets, count)?;
        let ends_lines = offsets
            .windows(2)
            .all(|window| window[0] < window[1] && bytes.get(window[1] as usize - 1) == Some(&b'\n'));
        check(ends_lines, "a string does not end where its offset says")?;
        // A line feed is one whole character, so strings between line feeds are whole characters too.
        check(std::str::from_utf8(&bytes).is_ok(), "a string is not UTF-8")?;
        Ok(Strings { offsets, bytes })
    }

    /// Lists of numbers below `bound`.
    fn lists(&mut self, bound: usize) -> Result<Lists, BlobError> {
        let offsets = self.array(u32::from_le_bytes)?;
        let items = self.array(u32::from_le_bytes)?;
        check_offsets(&offsets, items.len())?;
        check(
            items.iter().all(|&item| (item as usize) < bound),
            "a list points beyond what it lists",
        )?;
        Ok(Lists { offsets, items })
    }

    fn string_column(&mut self, rows: usize) -> Result<StringColumn, BlobError> {
        let (values, norms) = (self.strings()?, self.strings()?);
        let (values_of, rows_of) = (self.lists(values.len())?, self.lists(rows)?);
        let is_whole =
            norms.len() == values.len() && rows_of.len() == values.len() && values_of.len() == rows;
        check(is_whole, "dictionary and rows differ in number")?;
        Ok(StringColumn {
            values,
            norms,
            values_of,
            rows_of,
            conflict: self.bits(rows)?,
        })
    }

    fn dates(&mut self, rows: usize) -> Result<DateColumn, BlobError> {
        let (begin, end) = (self.array(i32::from_le_bytes)?, self.array(i32::from_le_bytes)?);
        check(
            begin.len() == rows && end.len() == rows,
            "years and rows differ in number",
        )?;
        Ok(DateColumn {
            begin,
            end,
            valid: self.bits(rows)?,
            invalid: self.bits(rows)?,
            conflict: self.bits(rows)?,
        })
    }

    fn bools(&mut self, rows: usize) -> Result<BoolColumn, BlobError> {
        Ok(BoolColumn {
            yes: self.bits(rows)?,
            no: self.bits(rows)?,
            conflict: self.bits(rows)?,
        })
    }

    fn terms(&mut self, rows: usize) -> Result<TermIndex, BlobError> {
        let terms = self.strings()?;
        let rows_of = self.lists(rows)?;
        let frequencies = self.array(u16::from_le_bytes)?;
        let lengths = self.array(u32::from_le_bytes)?;
        let is_whole =
            rows_of.len() == terms.len() && frequencies.len() == rows_of.items.len() && lengths.len() == rows;
        check(is_whole, "terms and rows differ in number")?;
        Ok(TermIndex {
            terms,
            rows_of,
            frequencies,
            lengths,
        })
    }
}

/// Offsets start at 0, never fall and end at `end`; no offsets at all stand for no items.
fn check_offsets(offsets: &[u32], end: usize) -> Result<(), BlobError> {
    let is_valid = offsets.is_sorted()
        && offsets.first().is_none_or(|&first| first == 0)
        && offsets.last().map_or(0, |&last| last as usize) == end;
    check(is_valid, "offsets do not fit their items")
}

fn check(condition: bool, damage: &'static str) -> Result<(), BlobError> {
    if condition {
        Ok(())
    } else {
        Err(BlobError::Damaged(damage))
    }
}

#[cfg(test)]
mod tests;
