//! Addresses of PostgreSQL servers as people write them, and connections secured as libpq means it.
//!
//! It connects to nothing: [`Address::parse`] gives what a driver or a pool needs.

#![warn(missing_docs)]

mod address;
mod tls;

pub use self::address::{Address, is_address};

/// The text of the last error of a chain; the outer ones only say that there is an inner one.
#[must_use]
pub fn cause(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
