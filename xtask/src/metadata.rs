//! What cargo says about the workspace.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::shell;

/// The part of `cargo metadata` that the checks read.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    workspace_members: Vec<String>,
    pub(crate) target_directory: PathBuf,
    workspace_root: PathBuf,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
    manifest_path: PathBuf,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `None` for a normal dependency, else `dev` or `build`.
    pub(crate) kind: Option<String>,
}

impl Metadata {
    /// Reads it, with all packages of the lock file.
    pub(crate) fn read() -> Result<Self> {
        let text = shell::read(&mut shell::cargo([
            "metadata",
            "--format-version",
            "1",
            "--locked",
        ]))?;
        serde_json::from_str(&text).context("cargo metadata has an unexpected shape")
    }

    /// The members of the workspace.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages
            .iter()
            .filter(|package| self.workspace_members.contains(&package.id))
    }

    /// The folder of a member, relative to the root.
    pub(crate) fn folder(&self, package: &Package) -> String {
        let folder = package
            .manifest_path
            .parent()
            .and_then(|folder| folder.strip_prefix(&self.workspace_root).ok());
        folder
            .map(|folder| folder.display().to_string())
            .unwrap_or_default()
    }
}
