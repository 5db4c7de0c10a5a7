//! The importer against the shipped rows and an independent oracle.

mod oracle;
mod sample;
