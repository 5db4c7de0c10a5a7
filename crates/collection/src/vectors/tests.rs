use std::fs;
use std::io;
use std::path::PathBuf;

use proptest::prelude::*;
use tempfile::TempDir;

use super::{NpyError, StoredVectors, VectorsError, write_ids, write_vectors};
use crate::Vectors as _;

struct Files {
    _dir: TempDir,
    ids: PathBuf,
    vectors: PathBuf,
}

impl Files {
    fn new(ids: &[u64], dimension: usize) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let files = Self {
            ids: dir.path().join("ids.npy"),
            vectors: dir.path().join("vectors.npy"),
            _dir: dir,
        };
        write_ids(fs::File::create(&files.ids).expect("a file"), ids).expect("writing");
        let rows = (0..ids.len()).map(|row| {
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let floats = (0..dimension).map(|column| (row * 10 + column) as f32);
            io::Result::Ok(floats.flat_map(f32::to_le_bytes).collect::<Vec<u8>>())
        });
        write_vectors(
            fs::File::create(&files.vectors).expect("a file"),
            ids.len(),
            dimension,
            rows,
        )
        .expect("writing");
        files
    }

    fn open(&self) -> Result<StoredVectors, VectorsError> {
        StoredVectors::open(&self.ids, &self.vectors)
    }
}

#[test]
fn vectors_are_found_by_object_id() {
    let vectors = Files::new(&[3, 7, 9], 4).open().expect("valid files");
    assert_eq!((vectors.ids(), vectors.dimension()), ([3, 7, 9].as_slice(), 4));
    assert_eq!(vectors.index_of(7), Some(1));
    assert_eq!(vectors.index_of(8), None);
    assert_eq!(vectors.vector(1), [10.0, 11.0, 12.0, 13.0]);
    assert!(vectors.vector(3).is_empty() && vectors.vector(usize::MAX).is_empty());
}

#[test]
fn no_vectors_at_all_are_two_valid_files() {
    let vectors = Files::new(&[], 1152).open().expect("valid files");
    assert_eq!(
        (vectors.ids().len(), vectors.dimension(), vectors.vector(0).len()),
        (0, 1152, 0)
    );
}

#[test]
fn the_header_is_the_one_numpy_writes() {
    let files = Files::new(&[1, 2], 3);
    let header = fs::read(&files.vectors).expect("a file");
    let expected = b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    assert_eq!(&header[..expected.len()], expected);
    assert_eq!(header[127], b'\n');
    assert_eq!(header.len(), 128 + 2 * 3 * 4);
}

#[test]
fn files_that_do_not_fit_are_refused() {
    let files = Files::new(&[1, 2], 3);
    let other = Files::new(&[1, 2, 3], 3);
    assert!(matches!(
        StoredVectors::open(&other.ids, &files.vectors),
        Err(VectorsError::Count { ids: 3, vectors: 2 })
    ));
    assert!(matches!(
        StoredVectors::open(&files.vectors, &files.vectors),
        Err(VectorsError::Npy(NpyError::Header { .. }))
    ));
    for ids in [[2, 1], [1, 1], [0, 1]] {
        assert!(matches!(Files::new(&ids, 3).open(), Err(VectorsError::Ids)));
    }
    let whole = fs::read(&files.vectors).expect("a file");
    for size in [0, 5, 9, 10, 127, 128, whole.len() - 1] {
        fs::write(&files.vectors, &whole[..size]).expect("writing");
        assert!(files.open().is_err(), "cut to {size} bytes");
    }
}

#[test]
fn a_shape_beyond_memory_is_refused() {
    let files = Files::new(&[], 3);
    fs::write(&files.ids, super::header(super::INTEGERS, &[usize::MAX])).expect("writing");
    assert!(matches!(files.open(), Err(VectorsError::Npy(NpyError::Size))));
}

proptest! {
    #[test]
    fn damaged_files_never_panic(position in 0_usize..160, value in any::<u8>(), first in any::<bool>()) {
        let files = Files::new(&[4, 8], 4);
        let path = if first { &files.ids } else { &files.vectors };
        let mut bytes = fs::read(path).expect("a file");
        let position = position % bytes.len();
        bytes[position] = value;
        fs::write(path, bytes).expect("writing");
        if let Ok(vectors) = files.open() {
            prop_assert_eq!(vectors.vector(1).len(), 4);
        }
    }
}
