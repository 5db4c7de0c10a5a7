//! Input files: what kind they are, and their digests.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::{ImportError, Phase, Progress};

/// Bytes read at a time.
const CHUNK: usize = 1024 * 1024;
/// Bytes looked at to see what a file is.
const SNIFFED: u64 = 200;

/// Size and digest of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Digest {
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

/// Refuses Git LFS pointers and web pages before hundreds of megabytes are hashed.
pub(crate) fn sniff_csv(path: &Path) -> Result<(), ImportError> {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(SNIFFED).read_to_end(&mut start));
    read.map_err(|source| ImportError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    let text = String::from_utf8_lossy(&start);
    if text.starts_with("version https://git-lfs.github.com/spec/") {
        let value = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or("?").trim().to_owned()
        };
        let (oid, size) = (value("oid sha256:"), value("size "));
        return Err(ImportError::LfsPointer {
            path: path.to_owned(),
            oid,
            size,
        });
    }
    let is_page = text.trim_start_matches('\u{feff}').trim_start().starts_with('<');
    if is_page || start.contains(&0) || start.is_empty() {
        let start = text.chars().take(40).collect();
        return Err(ImportError::NotCsv {
            path: path.to_owned(),
            start,
        });
    }
    Ok(())
}

/// Hashes a file.
pub(crate) fn digest(path: &Path, progress: &dyn Progress) -> Result<Digest, ImportError> {
    let hash = || {
        let file = File::open(path)?;
        let total = file.metadata()?.len();
        let mut source = Hashing::new(BufReader::with_capacity(CHUNK, file));
        while !source.fill_buf()?.is_empty() {
            let count = source.fill_buf()?.len();
            source.consume(count);
            progress.report(Phase::Checking, source.bytes, total);
        }
        Ok(source.finish())
    };
    hash().map_err(|source| ImportError::Unreadable {
        path: path.to_owned(),
        source,
    })
}

/// The digest the file would have if every line end were CRLF.
pub(crate) fn digest_with_crlf(path: &Path) -> io::Result<String> {
    let mut source = BufReader::with_capacity(CHUNK, File::open(path)?);
    let mut digest = Sha256::new();
    let mut is_after_cr = false;
    let mut converted = Vec::with_capacity(2 * CHUNK);
    loop {
        let chunk = source.fill_buf()?;
        if chunk.is_empty() {
            return Ok(hex::encode(digest.finalize()));
        }
        converted.clear();
        for &byte in chunk {
            if byte == b'\n' && !is_after_cr {
                converted.push(b'\r');
            }
            converted.push(byte);
            is_after_cr = byte == b'\r';
        }
        digest.update(&converted);
        let count = chunk.len();
        source.consume(count);
    }
}

/// Hashes what is read through it.
#[derive(Debug)]
pub(crate) struct Hashing<R> {
    source: R,
    digest: Sha256,
    bytes: u64,
}

impl<R: BufRead> Hashing<R> {
    pub(crate) fn new(source: R) -> Self {
        Self {
            source,
            digest: Sha256::new(),
            bytes: 0,
        }
    }

    /// The digest of what was read.
    pub(crate) fn finish(self) -> Digest {
        Digest {
            bytes: self.bytes,
            sha256: hex::encode(self.digest.finalize()),
        }
    }
}

impl<R: BufRead> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        self.digest.update(&buffer[..count]);
        self.bytes += count as u64;
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Hashing<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.source.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        // `fill_buf` returns what it has without reading when it has something.
        if let Ok(buffer) = self.source.fill_buf() {
            self.digest.update(&buffer[..count]);
        }
        self.bytes += count as u64;
        self.source.consume(count);
    }
}
