//! `man`: manual pages.

use std::path::Path;

use clap::CommandFactory;

use crate::{
    args::Cli,
    exit::{CliError, Exit, Outcome},
    printer,
};

pub(crate) fn run(dir: Option<&Path>) -> Outcome {
    let command = Cli::command();
    match dir {
        Some(dir) => {
            let failed = |error| CliError {
                exit: Exit::Output,
                message: format!("cannot write manual pages to {}: {error}", dir.display()),
                hint: None,
            };
            std::fs::create_dir_all(dir).map_err(failed)?;
            clap_mangen::generate_to(command, dir).map_err(failed)?;
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page)?;
            printer::raw(&page)?;
        }
    }
    Ok(Exit::Success)
}
