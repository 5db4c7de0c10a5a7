//! Where a new workspace gets Periplus from.

use std::path::{Path, PathBuf};

use crate::exit::CliError;

/// A clone on this machine, or a git repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    Clone(PathBuf),
    Git(String),
}

impl Source {
    /// What was named, else the clone that this binary was built from.
    ///
    /// # Errors
    /// The folder is no clone of Periplus.
    pub(crate) fn find(named: Option<&str>) -> Result<Self, CliError> {
        let path = match named {
            Some(url) if url.contains("://") || url.starts_with("git@") => {
                return Ok(Self::Git(url.to_owned()));
            }
            Some(path) => PathBuf::from(path),
            None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
        };
        let is_clone =
            path.join("crates/cli/Cargo.toml").is_file() && path.join("crates/toolset/Cargo.toml").is_file();
        match path.canonicalize() {
            Ok(path) if is_clone => Ok(Self::Clone(path)),
            _ => Err(
                CliError::usage(format!("{} is no clone of Periplus", path.display()))
                    .hint("name one, or the URL of its repository: --periplus PATH_OR_URL"),
            ),
        }
    }

    /// The dependency on one of its packages, as a manifest has it.
    pub(super) fn dependency(&self, folder: &str) -> String {
        match self {
            Self::Clone(path) => format!("{{ path = {:?} }}", path.join(folder).display().to_string()),
            Self::Git(url) => format!("{{ git = {url:?} }}"),
        }
    }

    /// The versions that Periplus itself was tested with, if they are at hand.
    pub(super) fn lock(&self) -> Option<String> {
        match self {
            Self::Clone(path) => std::fs::read_to_string(path.join("Cargo.lock")).ok(),
            Self::Git(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clone_that_built_the_binary_is_the_default() {
        let source = Source::find(None).unwrap();
        assert!(matches!(&source, Source::Clone(path) if path.is_absolute()));
        assert!(source.dependency("crates/cli").ends_with("crates/cli\" }"));
        assert!(source.lock().is_some());
    }

    #[test]
    fn a_repository_is_taken_by_its_url_and_a_folder_must_be_a_clone() {
        let url = "https://git.example.org/periplus.git";
        assert_eq!(
            Source::find(Some(url)).unwrap().dependency("crates/cli"),
            format!("{{ git = \"{url}\" }}")
        );
        let folder = tempfile::tempdir().unwrap();
        assert!(Source::find(folder.path().to_str()).is_err());
    }
}
