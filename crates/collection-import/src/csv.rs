//! CSV records with their number and byte offset, read in bounded memory.
//!
//! This sits on the tokenizer of the `csv` crate rather than on its reader because a hostile or damaged file
//! (one lost quote swallows the rest) must end in an error that names the place, not in one record of 300 MB.

use std::io::{self, BufRead};

use csv_core::ReadRecordResult;
use thiserror::Error;

/// Longest record; the longest real ones are near 20 KB.
const MAX_RECORD_BYTES: usize = 1024 * 1024;
/// Most cells of a record.
const MAX_CELLS: usize = 1024;

/// Why a CSV file cannot be read on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CsvError {
    /// Reading failed.
    #[error("reading the CSV failed after {offset} bytes")]
    Io {
        /// Bytes read before.
        offset: u64,
        /// What the system said.
        source: io::Error,
    },
    /// A record is longer than any real one.
    #[error(
        "record {number} at byte {offset} is longer than 1 MiB or has more than 1,024 cells: a closing quote is probably missing"
    )]
    TooLong {
        /// 1 is the first record after the header, 0 the header.
        number: u64,
        /// Where the record starts.
        offset: u64,
    },
    /// A record is not UTF-8.
    #[error("record {number} at byte {offset} is not UTF-8: save the file as UTF-8")]
    Encoding {
        /// 1 is the first record after the header, 0 the header.
        number: u64,
        /// Where the record starts.
        offset: u64,
    },
}

/// The cells of one record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CsvRecord {
    /// 1 is the first record after the header, 0 the header.
    pub number: u64,
    /// Where the record starts in the file.
    pub byte_offset: u64,
    text: String,
    ends: Vec<usize>,
}

impl CsvRecord {
    /// A record from its cells.
    #[must_use]
    pub fn new<'a>(number: u64, byte_offset: u64, cells: impl IntoIterator<Item = &'a str>) -> Self {
        let mut record = Self {
            number,
            byte_offset,
            text: String::new(),
            ends: Vec::new(),
        };
        for cell in cells {
            record.text.push_str(cell);
            record.ends.push(record.text.len());
        }
        record
    }

    /// How many cells there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The cell at a position; empty if there is none.
    #[must_use]
    pub fn cell(&self, index: usize) -> &str {
        let Some(&end) = self.ends.get(index) else {
            return "";
        };
        let start = index.checked_sub(1).map_or(0, |previous| self.ends[previous]);
        &self.text[start..end]
    }

    /// All cells in order.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|index| self.cell(index))
    }
}

/// Reads records one by one; line ends may be CRLF, LF or CR, one byte order mark is skipped.
#[derive(Debug)]
pub struct CsvReader<R> {
    source: R,
    tokenizer: csv_core::Reader,
    offset: u64,
    next_number: u64,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl<R: BufRead> CsvReader<R> {
    /// A reader at the start of a file, whose first record is the header.
    pub fn new(source: R) -> Self {
        let mut tokenizer = csv_core::Reader::new();
        // The tokenizer would skip a byte order mark of its own accord, after ours: only a first call may.
        tokenizer.read_record(b"\n", &mut [0], &mut [0]);
        Self {
            source,
            tokenizer,
            offset: 0,
            next_number: 0,
            bytes: vec![0; 16 * 1024],
            ends: vec![0; 128],
        }
    }

    /// The source, read up to the last record returned or beyond.
    pub fn into_inner(self) -> R {
        self.source
    }

    /// The next record; nothing at the end.
    ///
    /// # Errors
    /// See [`CsvError`].
    pub fn read(&mut self) -> Result<Option<CsvRecord>, CsvError> {
        self.skip_to_record()?;
        let (number, start) = (self.next_number, self.offset);
        let Some((byte_count, cell_count)) = self.tokenize(number, start)? else {
            return Ok(None);
        };
        self.next_number += 1;
        let encoding = || CsvError::Encoding {
            number,
            offset: start,
        };
        let text = std::str::from_utf8(&self.bytes[..byte_count]).map_err(|_invalid| encoding())?;
        let ends = &self.ends[..cell_count];
        // A character torn by a comma is valid again in the joined cells, but not UTF-8 in the file.
        if !ends.iter().all(|&end| text.is_char_boundary(end)) {
            return Err(encoding());
        }
        Ok(Some(CsvRecord {
            number,
            byte_offset: start,
            text: text.to_owned(),
            ends: ends.to_vec(),
        }))
    }

    /// Skips line ends, and the byte order mark at the start.
    fn skip_to_record(&mut self) -> Result<(), CsvError> {
        if self.offset == 0 && self.fill()?.starts_with(b"\xef\xbb\xbf") {
            self.consume(3);
        }
        loop {
            let buffer = self.fill()?;
            let line_ends = buffer
                .iter()
                .take_while(|byte| matches!(byte, b'\r' | b'\n'))
                .count();
            let is_all = line_ends == buffer.len() && line_ends > 0;
            self.consume(line_ends);
            if !is_all {
                return Ok(());
            }
        }
    }

    /// Tokenizes one record into `bytes` and `ends` and returns how many of each it has.
    fn tokenize(&mut self, number: u64, start: u64) -> Result<Option<(usize, usize)>, CsvError> {
        let (mut byte_count, mut cell_count) = (0, 0);
        loop {
            let input = self.source.fill_buf().map_err(|source| CsvError::Io {
                offset: self.offset,
                source,
            })?;
            let (result, read, written, ended) = self.tokenizer.read_record(
                input,
                &mut self.bytes[byte_count..],
                &mut self.ends[cell_count..],
            );
            self.consume(read);
            byte_count += written;
            cell_count += ended;
            match result {
                ReadRecordResult::Record => return Ok(Some((byte_count, cell_count))),
                ReadRecordResult::End => return Ok(None),
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull if self.bytes.len() < MAX_RECORD_BYTES => {
                    self.bytes.resize(self.bytes.len() * 2, 0);
                }
                ReadRecordResult::OutputEndsFull if self.ends.len() < MAX_CELLS => {
                    self.ends.resize(self.ends.len() * 2, 0);
                }
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {
                    return Err(CsvError::TooLong {
                        number,
                        offset: start,
                    });
                }
            }
        }
    }

    fn fill(&mut self) -> Result<&[u8], CsvError> {
        let offset = self.offset;
        self.source
            .fill_buf()
            .map_err(|source| CsvError::Io { offset, source })
    }

    fn consume(&mut self, count: usize) {
        self.source.consume(count);
        self.offset += count as u64;
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use proptest::prelude::*;

    use super::{CsvError, CsvReader, CsvRecord};

    fn read_all(bytes: &[u8], buffer: usize) -> Result<Vec<CsvRecord>, CsvError> {
        let mut reader = CsvReader::new(BufReader::with_capacity(buffer, bytes));
        std::iter::from_fn(|| reader.read().transpose()).collect()
    }

    fn cells(records: &[CsvRecord]) -> Vec<Vec<&str>> {
        records.iter().map(|record| record.cells().collect()).collect()
    }

    #[test]
    fn every_line_end_and_byte_order_mark_gives_the_same_cells() {
        let expected = vec![vec!["a", "b"], vec!["1", "x\ny"], vec!["", "z\"q"]];
        for mark in ["", "\u{feff}"] {
            for line_end in ["\r\n", "\n", "\r"] {
                for tail in ["", line_end, "\n\n"] {
                    let text = format!("{mark}a,b{line_end}1,\"x\ny\"{line_end}{line_end},\"z\"\"q\"{tail}");
                    for buffer in [3, 7, 8192] {
                        let records = read_all(text.as_bytes(), buffer).expect("valid CSV");
                        assert_eq!(cells(&records), expected, "{text:?} by {buffer}");
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_and_offsets_name_the_first_byte_of_a_record() {
        let text = "\u{feff}a,b\r\n1,2\r\n\r\n\"3\",4\r\n";
        let records = read_all(text.as_bytes(), 64).expect("valid CSV");
        let places: Vec<_> = records
            .iter()
            .map(|record| (record.number, record.byte_offset))
            .collect();
        assert_eq!(places, [(0, 3), (1, 8), (2, 15)]);
    }

    #[test]
    fn only_one_byte_order_mark_is_skipped() {
        let records = read_all("\u{feff}\u{feff}a,b\n".as_bytes(), 64).expect("valid CSV");
        assert_eq!(cells(&records), [["\u{feff}a", "b"]]);
    }

    #[test]
    fn a_lost_quote_ends_in_an_error_that_names_the_record() {
        let text = format!("a,b\n1,2\n3,\"{}", "x".repeat(3 << 20));
        assert!(matches!(
            read_all(text.as_bytes(), 4096),
            Err(CsvError::TooLong { number: 2, offset: 8 })
        ));
        let text = format!("a\n{}", ",".repeat(5000));
        assert!(matches!(
            read_all(text.as_bytes(), 4096),
            Err(CsvError::TooLong { number: 1, .. })
        ));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_an_error_even_when_a_comma_tears_a_character() {
        assert!(matches!(
            read_all(b"a\n\xff", 64),
            Err(CsvError::Encoding { number: 1, offset: 2 })
        ));
        assert!(matches!(
            read_all(b"a,b\n\xc3,\xa9", 64),
            Err(CsvError::Encoding { number: 1, .. })
        ));
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), buffer in 3_usize..40) {
            let _ = read_all(&bytes, buffer);
        }

        #[test]
        fn what_the_csv_crate_writes_is_read_back(
            rows in prop::collection::vec(prop::collection::vec("[a\",\n\r é]{0,6}", 2..5), 1..6)
        ) {
            let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
            for row in &rows {
                writer.write_record(row).expect("writing to memory");
            }
            let bytes = writer.into_inner().expect("writing to memory");
            let records = read_all(&bytes, 5).expect("valid CSV");
            prop_assert_eq!(cells(&records), rows);
        }
    }
}
