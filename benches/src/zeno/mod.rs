//! `zeno`: what the steps from a question about a place to its answer take, each in a file of its own.

mod candidates;
mod insights;
mod programs;
mod times;

use anyhow::{Context as _, Result};

use crate::Options;

pub(crate) fn run(options: &Options) -> Result<()> {
    candidates::run(options)?;
    // A process that was given another provider keeps it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Runtime::new().context("starting the async runtime")?;
    runtime.block_on(async {
        insights::measure().await?;
        programs::measure(&options.periplus).await
    })
}
