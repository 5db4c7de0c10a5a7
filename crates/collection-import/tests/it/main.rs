//! The importer against the shipped rows and an independent oracle.

mod import;
mod oracle;
mod sample;
