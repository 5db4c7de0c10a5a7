//! Digests of files.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

/// Bytes read at a time.
const CHUNK: usize = 1024 * 1024;

/// Size and SHA-256, in hex, of a file.
///
/// # Errors
/// The file cannot be read.
pub fn digest_of_file(path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let mut digest = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    let mut size = 0;
    loop {
        let read = file.read(&mut chunk)?;
        if read == 0 {
            return Ok((size, hex::encode(digest.finalize())));
        }
        digest.update(&chunk[..read]);
        size += read as u64;
    }
}
