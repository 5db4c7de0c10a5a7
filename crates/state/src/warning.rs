//! Things that a host should log: the crate itself writes nothing.

use std::fmt;

/// Something that was left out or changed, named without any value. Its [`Display`](fmt::Display) is a log line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// A result held a field with a secret-shaped name; it was removed.
    SecretRemoved {
        /// The connection.
        server: String,
        /// The tool.
        tool: String,
        /// Path of the field.
        path: String,
    },
    /// A tool declared a key outside its server's own prefix; the value goes under another key.
    ForeignKey {
        /// The connection.
        server: String,
        /// The tool.
        tool: String,
        /// The key it declared.
        declared: String,
        /// The key in use instead.
        used: String,
    },
    /// A value could not be stored because its key would not be valid.
    InvalidKey {
        /// The connection.
        server: String,
        /// The tool.
        tool: String,
        /// What is wrong with the key.
        reason: String,
    },
    /// A tool's declaration was not understood; the part named was ignored.
    Declaration {
        /// The connection.
        server: String,
        /// The tool; empty if it has no name.
        tool: String,
        /// What was ignored, and why.
        problem: String,
    },
    /// Several servers have a tool of this name; each is offered under a qualified name.
    NameCollision {
        /// The name they share.
        name: String,
        /// The connections.
        servers: Vec<String>,
    },
    /// A result's text was longer than a model should see; only its beginning was passed on.
    TextCut {
        /// The connection.
        server: String,
        /// The tool.
        tool: String,
        /// Bytes of the whole text.
        bytes: usize,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SecretRemoved { server, tool, path } => {
                write!(
                    f,
                    "{server}: result of {tool} has a secret-shaped field `{path}`; it was removed"
                )
            }
            Self::ForeignKey {
                server,
                tool,
                declared,
                used,
            } => write!(
                f,
                "{server}: {tool} declares the state key `{declared}`, which is not this server's; `{used}` is used"
            ),
            Self::InvalidKey { server, tool, reason } => {
                write!(f, "{server}: a value of {tool} was not stored: {reason}")
            }
            Self::Declaration {
                server,
                tool,
                problem,
            } => write!(f, "{server}: declaration of {tool}: {problem}"),
            Self::NameCollision { name, servers } => {
                write!(
                    f,
                    "tool {name} is offered by {}; each is renamed <server>__{name}",
                    servers.join(", ")
                )
            }
            Self::TextCut { server, tool, bytes } => {
                write!(
                    f,
                    "{server}: text of {tool} has {bytes} bytes; only its beginning went to the model"
                )
            }
        }
    }
}
