//! `completions`: a script that a shell sources.

use clap::CommandFactory;

use crate::{
    args::Cli,
    exit::{Exit, Outcome},
    printer,
};

pub(crate) fn run(shell: clap_complete::Shell) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "periplus", &mut script);
    printer::raw(&script)?;
    Ok(Exit::Success)
}
