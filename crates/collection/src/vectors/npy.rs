//! The head of a `.npy` file, version 1.0, in exactly the form NumPy writes it.
//!
//! Only that form is accepted: the shape is read, the header it implies is written anew, and the two must be
//! the same bytes.

use std::io::{self, Read};

use thiserror::Error;

/// Little-endian 64-bit signed integers.
pub(super) const INTEGERS: &str = "<i8";
/// Little-endian 32-bit floats.
pub(super) const FLOATS: &str = "<f4";

const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
/// Headers are padded so that the data starts at a multiple of this.
const ALIGNMENT: usize = 64;
/// Longest header read: real ones have 128 bytes.
const MAX_HEADER: u64 = 1024;

/// Why a file is not the array it should be.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NpyError {
    /// Reading failed.
    #[error("reading the array header failed")]
    Io(#[from] io::Error),
    /// Not a version 1.0 `.npy` file.
    #[error("this is not a version 1.0 .npy file")]
    Magic,
    /// Another element type, order or number of dimensions.
    #[error("the array is not a C-ordered {expected}-dimensional array of {element}")]
    Header {
        /// Expected element type.
        element: &'static str,
        /// Expected number of dimensions.
        expected: usize,
    },
    /// More elements than memory can address.
    #[error("the array is larger than memory")]
    Shape,
    /// The file is shorter or longer than its header says.
    #[error("the array file has another size than its header says")]
    Size,
}

/// The bytes before the data.
pub(super) fn header(element: &str, shape: &[usize]) -> Vec<u8> {
    let shape = match shape {
        [length] => format!("({length},)"),
        shape => format!(
            "({})",
            shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
        ),
    };
    let mut text = format!("{{'descr': '{element}', 'fortran_order': False, 'shape': {shape}, }}");
    let unpadded = MAGIC.len() + 2 + text.len() + 1;
    text.push_str(&" ".repeat(unpadded.next_multiple_of(ALIGNMENT) - unpadded));
    text.push('\n');
    let length = u16::try_from(text.len()).expect("a header of a few numbers is short");
    [MAGIC, &length.to_le_bytes(), text.as_bytes()].concat()
}

/// The shape, and where the data starts.
pub(super) fn read_header<const D: usize>(
    source: impl Read,
    element: &'static str,
) -> Result<([usize; D], usize), NpyError> {
    let mut found = Vec::new();
    source.take(MAX_HEADER).read_to_end(&mut found)?;
    if !found.starts_with(MAGIC) {
        return Err(NpyError::Magic);
    }
    let shape = shape(&found).ok_or(NpyError::Header { element, expected: D })?;
    let expected = header(element, &shape);
    if !found.starts_with(&expected) {
        return Err(NpyError::Header { element, expected: D });
    }
    Ok((shape, expected.len()))
}

/// The numbers between the parentheses.
fn shape<const D: usize>(header: &[u8]) -> Option<[usize; D]> {
    let after = &header[header.iter().position(|&byte| byte == b'(')? + 1..];
    let inside = &after[..after.iter().position(|&byte| byte == b')')?];
    let numbers = std::str::from_utf8(inside).ok()?.split(',').map(str::trim);
    let numbers = numbers.filter(|number| !number.is_empty()).map(str::parse);
    numbers.collect::<Result<Vec<usize>, _>>().ok()?.try_into().ok()
}
