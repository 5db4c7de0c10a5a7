//! Measures Periplus beside what its users could pick instead, in one run on one machine.
//!
//! `cargo xtask bench server|met|agent|zeno|load` builds what is needed and calls this program. Figures are medians; what counts is
//! the ratio to the peer measured a moment before, because machines and their loads differ.

mod agent;
mod collection;
mod load;
mod process;
mod server;
mod table;
mod zeno;

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Context as _, bail};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            table::note(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let subject = arguments
        .next()
        .context("say what to measure: `server`, `met`, `agent`, `zeno` or `load`")?;
    let options = Options::parse(arguments)?;
    match subject.as_str() {
        "server" => server::run(&options),
        "met" => collection::run(&options),
        "agent" => agent::run(&options),
        "zeno" => zeno::run(&options),
        "load" => load::run(&options),
        load::FAULTY_SERVER => load::serve_faulty(options.port),
        other => {
            bail!("nothing to measure is called `{other}`; use `server`, `met`, `agent`, `zeno` or `load`")
        }
    }
}

/// Where the programs are, and how much to measure.
#[derive(Debug)]
pub(crate) struct Options {
    /// The `periplus` binary.
    pub(crate) periplus: PathBuf,
    /// A server that is the protocol SDK and nothing else.
    pub(crate) bare: PathBuf,
    /// A Python with the packages of `peers/requirements.txt`; peers in Python are left out without it.
    pub(crate) python: Option<PathBuf>,
    /// Folder of `peers/`.
    pub(crate) peers: PathBuf,
    /// Folder for big files that later runs use again.
    pub(crate) cache: PathBuf,
    /// Address of a PostgreSQL database that threads may be kept in and areas loaded into; it is left out without one.
    pub(crate) postgres: Option<String>,
    /// Records of the collection.
    pub(crate) rows: u64,
    /// Seconds of load at one setting.
    pub(crate) seconds: u64,
    /// Where a server that this program is itself listens.
    pub(crate) port: u16,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut options = Self {
            periplus: PathBuf::from("periplus"),
            bare: PathBuf::from("bare_rmcp"),
            python: None,
            peers: PathBuf::from("benches/peers"),
            cache: PathBuf::from("target/bench"),
            postgres: None,
            rows: 484_956,
            seconds: 8,
            port: 0,
        };
        while let Some(flag) = arguments.next() {
            let value = arguments
                .next()
                .with_context(|| format!("`{flag}` needs a value"))?;
            match flag.as_str() {
                "--periplus" => options.periplus = value.into(),
                "--bare" => options.bare = value.into(),
                "--python" => options.python = Some(value.into()),
                "--peers" => options.peers = value.into(),
                "--cache" => options.cache = value.into(),
                "--postgres" => options.postgres = Some(value),
                "--rows" => options.rows = value.parse().context("`--rows` is a number")?,
                "--seconds" => options.seconds = value.parse().context("`--seconds` is a number")?,
                "--port" => options.port = value.parse().context("`--port` is a port")?,
                _ => bail!("unknown flag `{flag}`"),
            }
        }
        Ok(options)
    }
}
