//! Node, in the version that the newest official peers ask for.

use std::{path::PathBuf, process::Command};

use anyhow::{Result, bail, ensure};

use crate::{install, shell};

/// The oldest release that they accept.
const WANTED: (u32, u32) = (22, 19);

/// The Node of this machine if it is new enough, else one from npm in the cache folder.
pub(crate) fn newest() -> Result<PathBuf> {
    if shell::exists("node") && version("node").is_ok_and(|found| found >= WANTED) {
        return Ok(PathBuf::from("node"));
    }
    ensure!(
        shell::exists("npm"),
        "npm is not installed: Node {}.{} cannot be fetched",
        WANTED.0,
        WANTED.1
    );
    let folder = install::npm_folder(&shell::root().join("tests/clients/node22"), "node22")?;
    Ok(folder.join("node_modules/node/bin/node"))
}

fn version(program: &str) -> Result<(u32, u32)> {
    parse(&shell::read(Command::new(program).arg("--version"))?)
}

fn parse(text: &str) -> Result<(u32, u32)> {
    let numbers: Vec<u32> = text
        .trim()
        .trim_start_matches('v')
        .split('.')
        .map_while(|part| part.parse().ok())
        .collect();
    match numbers.as_slice() {
        [major, minor, ..] => Ok((*major, *minor)),
        _ => bail!("{text:?} is no version of Node"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_node_are_read_and_compared_as_numbers() {
        assert_eq!(parse("v22.23.3\n").unwrap(), (22, 23));
        assert!(parse("v22.9.0").unwrap() < WANTED);
        assert!(parse("v100.0.0").unwrap() >= WANTED);
        assert!(parse("unknown").is_err());
    }
}
