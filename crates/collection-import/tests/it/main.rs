//! The importer against the shipped rows, an independent oracle, and files made to break it.

mod api;
mod crash;
mod hostile;
mod import;
mod oracle;
mod quality;
mod sample;
mod shard;
mod vectors;
