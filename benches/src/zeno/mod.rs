//! `zeno`: what the steps from a question about a place to its answer take, each in a file of its own.

mod candidates;

use anyhow::Result;

use crate::Options;

pub(crate) fn run(options: &Options) -> Result<()> {
    candidates::run(options)
}
