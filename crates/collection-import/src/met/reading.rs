//! One pass over `MetObjects.csv`: one thread reads, the pool maps rows to records, the caller keeps them.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use periplus_collection::Record;
use rayon::prelude::*;

use super::columns::{Header, HeaderVariant};
use super::options::ImportOptions;
use super::record::record;
use crate::source::{Digest, Hashing};
use crate::{CsvError, CsvReader, CsvRecord, ImportError, Phase, Progress};

/// Rows mapped at a time.
const CHUNK: usize = 4096;
/// Chunks that may wait for the caller: bounds the memory of a pass.
const WAITING: usize = 4;
/// Bytes read at a time.
const BUFFER: usize = 1024 * 1024;

/// A row and its record.
#[derive(Debug)]
pub(super) struct Mapped {
    pub(super) record: Record,
    pub(super) number: u64,
    pub(super) byte_offset: u64,
    /// The exact cells as a JSON list.
    pub(super) cells_json: String,
}

/// What a pass has read.
#[derive(Debug)]
pub(super) struct Pass {
    pub(super) variant: HeaderVariant,
    pub(super) records: u64,
    pub(super) digest: Digest,
}

type Chunk = Result<Vec<Mapped>, ImportError>;

/// Visits every record in the order of the file.
pub(super) fn for_each_record(
    options: &ImportOptions,
    phase: Phase,
    progress: &dyn Progress,
    mut visit: impl FnMut(Mapped) -> Result<(), ImportError>,
) -> Result<Pass, ImportError> {
    let unreadable = |source| ImportError::Unreadable {
        path: options.csv.clone(),
        source,
    };
    let file = File::open(&options.csv).map_err(unreadable)?;
    let total = file.metadata().map_err(unreadable)?.len();
    let mut reader = CsvReader::new(Hashing::new(BufReader::with_capacity(BUFFER, file)));
    let header = header(&reader.read()?.unwrap_or_default(), options.allow_header_legacy43)?;
    let variant = header.variant();

    let (sender, receiver) = sync_channel::<Chunk>(WAITING);
    thread::scope(|scope| {
        let reading = scope.spawn(move || {
            read_chunks(&mut reader, &header, &sender);
            reader.into_inner().finish()
        });
        let mut first_with: HashMap<u64, u64> = HashMap::new();
        for chunk in receiver {
            for mapped in chunk? {
                let (id, second) = (mapped.record.object_id, mapped.number);
                if let Some(first) = first_with.insert(id, second) {
                    return Err(ImportError::DuplicateId { id, first, second });
                }
                if second.is_multiple_of(CHUNK as u64) {
                    progress.report(phase, mapped.byte_offset, total);
                }
                visit(mapped)?;
            }
        }
        progress.report(phase, total, total);
        let digest = reading.join().expect("reading does not panic");
        Ok(Pass {
            variant,
            records: first_with.len() as u64,
            digest,
        })
    })
}

/// The header that fits the first record.
fn header(found: &CsvRecord, allows_legacy: bool) -> Result<Header, ImportError> {
    let (current, legacy) = (
        Header::new(HeaderVariant::Current54),
        Header::new(HeaderVariant::Legacy43),
    );
    let Some(difference) = current.difference(found) else {
        return Ok(current);
    };
    match (legacy.difference(found), allows_legacy) {
        (None, true) => Ok(legacy),
        (None, false) => Err(ImportError::Header(
            "it has the 43 columns of before 2020; --allow-header=legacy43 accepts them".to_owned(),
        )),
        (Some(_), _) => Err(ImportError::Header(difference)),
    }
}

/// Sends chunks until the end, the first error, or until nobody listens.
fn read_chunks(
    reader: &mut CsvReader<Hashing<BufReader<File>>>,
    header: &Header,
    sender: &SyncSender<Chunk>,
) {
    loop {
        let rows: Result<Vec<CsvRecord>, CsvError> = std::iter::from_fn(|| reader.read().transpose())
            .take(CHUNK)
            .collect();
        if rows.as_ref().is_ok_and(Vec::is_empty) {
            return;
        }
        let chunk = rows
            .map_err(ImportError::from)
            .and_then(|rows| rows.par_iter().map(|row| map(header, row)).collect());
        let is_failed = chunk.is_err();
        if sender.send(chunk).is_err() || is_failed {
            return;
        }
    }
}

fn map(header: &Header, row: &CsvRecord) -> Result<Mapped, ImportError> {
    Ok(Mapped {
        record: record(header, row)?,
        number: row.number,
        byte_offset: row.byte_offset,
        cells_json: cells_json(row),
    })
}

fn cells_json(row: &CsvRecord) -> String {
    let cells: Vec<&str> = row.cells().collect();
    serde_json::to_string(&cells).expect("a list of strings is JSON")
}
