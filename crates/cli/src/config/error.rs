//! What is wrong with the configuration, with the place to look at.

use std::path::PathBuf;

/// A setting that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The configuration file cannot be read.
    #[error("cannot read configuration file {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// Something in the configuration file is wrong.
    #[error("{}:{line}:{column}: {problem}\n  {text}\n  {caret}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// What is wrong, and the nearest known key.
        problem: String,
        /// The line itself.
        text: String,
        /// A mark below the place.
        caret: String,
    },
    /// A value that does not have the form the setting wants.
    #[error("{origin} has the value {value:?}, which is no {wanted}: {reason}")]
    Value {
        /// Where the value was set.
        origin: String,
        /// The value.
        value: String,
        /// What the setting wants.
        wanted: &'static str,
        /// Why the value is not one.
        reason: String,
    },
    /// A toolset that this binary does not ship.
    #[error("there is no toolset {name:?}{}; this binary ships {known}", .nearest.as_ref().map(|name| format!(", did you mean {name:?}?")).unwrap_or_default())]
    UnknownToolset {
        /// The name.
        name: String,
        /// The closest known name.
        nearest: Option<String>,
        /// The shipped ones.
        known: String,
    },
}
