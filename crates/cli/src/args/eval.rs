//! The command line of `eval`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Ask questions with known answers, and score what the tools say
#[derive(Debug, Subcommand)]
pub(crate) enum Eval {
    /// Ask the zeno toolsets about areas, datasets and figures
    Zeno(EvalZeno),
}

/// Ask the zeno toolsets about areas, datasets and figures
#[derive(Debug, Args)]
#[command(after_long_help = "\
A set is a table of questions with their answers. The shipped ones are: areas, area-search, units,
datasets, layers, parameters, no-single-dataset, end-to-end and verified-answers. What the data do
not hold counts as refused if the tools say so, and is no part of the accuracy. The command ends
with 1 if a set stays under the threshold.

Examples:
  periplus eval zeno
  periplus eval zeno --set datasets --set my-questions.csv --threshold 95
  GOOGLE_API_KEY=… periplus eval zeno --model google:gemini-3-flash-preview --junit eval.xml")]
pub(crate) struct EvalZeno {
    /// A shipped set, or a CSV file with the columns of one; may be repeated; all shipped sets unless one is named
    #[arg(long = "set", value_name = "NAME|FILE")]
    pub(crate) sets: Vec<String>,
    /// Model that reads places, chooses datasets and writes texts, as provider:model; rules do without one [env: ZENO_MODEL]
    #[arg(long, value_name = "PROVIDER:MODEL")]
    pub(crate) model: Option<String>,
    /// Lowest accuracy of every set, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 90.0, value_parser = percent)]
    pub(crate) threshold: f64,
    /// Print JSON, with every question and what became of it
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write JUnit XML to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
}

fn percent(text: &str) -> Result<f64, String> {
    let percent: f64 = text.trim_end_matches('%').parse().ok().ok_or("not a number")?;
    if (0.0..=100.0).contains(&percent) {
        Ok(percent)
    } else {
        Err("not between 0 and 100".to_owned())
    }
}
