//! A file of floats mapped into memory: the only unsafe code of this crate.

#![expect(
    unsafe_code,
    reason = "mapping a file cannot be expressed safely; each use carries its argument"
)]

use std::fs::File;

use memmap2::Mmap;

use super::VectorsError;
use super::npy::NpyError;

#[cfg(target_endian = "big")]
compile_error!("vectors are stored little-endian and used without conversion");

/// The floats of a file from an offset to its end.
#[derive(Debug)]
pub(super) struct FloatMap {
    map: Mmap,
    offset: usize,
}

impl FloatMap {
    /// Maps a file that has exactly `count` floats from `offset` on.
    pub(super) fn open(file: &File, offset: usize, count: usize) -> Result<Self, VectorsError> {
        // SAFETY: a map is sound while nobody changes the file. Snapshots are built in a folder of their own
        // and renamed into place complete; nothing of ours opens their files for writing afterwards, and
        // replacing a snapshot unlinks the old file, which leaves this map its contents. A foreign process
        // that writes to a published snapshot breaks the contract stated at `Snapshot::open`.
        let map = unsafe { Mmap::map(file)? };
        let size = count
            .checked_mul(size_of::<f32>())
            .and_then(|size| size.checked_add(offset));
        let is_aligned = offset.is_multiple_of(align_of::<f32>());
        if size != Some(map.len()) || !is_aligned {
            return Err(NpyError::Size.into());
        }
        Ok(Self { map, offset })
    }

    pub(super) fn as_slice(&self) -> &[f32] {
        // SAFETY: every bit pattern is a valid f32. Alignment is handled by `align_to` itself; a map starts
        // on a page and `offset` is a multiple of the alignment, so the unaligned ends are empty.
        let (_head, floats, _tail) = unsafe { self.map[self.offset..].align_to::<f32>() };
        floats
    }
}
