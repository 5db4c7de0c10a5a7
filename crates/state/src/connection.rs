//! One MCP server as the session sees it: its name, its own prefix, and which values it may be given.

use crate::key::is_ambiguous;

/// Longest name of a connection, in bytes; it is the first part of every key the server publishes.
const MAX_NAME_BYTES: usize = 100;

/// Why a name cannot be that of a connection.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "connection name {name:?} cannot prefix state keys: use 1 to 100 bytes without slashes, quotes, brackets, commas, @ or blanks at the ends"
)]
pub struct ConnectionError {
    /// The name.
    pub name: String,
}

/// The beginning of keys, ending where a part of a key ends: `toolset`, `toolset/tool` or a whole key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPrefix(String);

impl KeyPrefix {
    /// A prefix; a slash at its end is the same as none.
    #[must_use]
    pub fn new(prefix: &str) -> Self {
        Self(prefix.trim_end_matches('/').to_owned())
    }

    /// Whether a key lies under this prefix.
    #[must_use]
    pub fn covers(&self, key: &str) -> bool {
        !self.0.is_empty()
            && key
                .strip_prefix(&self.0)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// Which values of the session a server may be given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Receives {
    /// Every value.
    #[default]
    Everything,
    /// Values under these prefixes, and what the server published itself.
    Only(Vec<KeyPrefix>),
}

/// One connected MCP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    name: String,
    publishes: bool,
    receives: Receives,
}

impl Connection {
    /// A server that may publish under `<name>/` and receive any value.
    ///
    /// # Errors
    /// The name is the first part of state keys, so it has no slash and nothing that would make a key ambiguous.
    pub fn new(name: &str) -> Result<Self, ConnectionError> {
        let is_usable = !name.is_empty()
            && name.len() <= MAX_NAME_BYTES
            && name.trim() == name
            && !name.chars().any(|c| c == '/' || is_ambiguous(c));
        if is_usable {
            Ok(Self {
                name: name.to_owned(),
                publishes: true,
                receives: Receives::Everything,
            })
        } else {
            Err(ConnectionError {
                name: name.to_owned(),
            })
        }
    }

    /// Limits which values the server may be given.
    #[must_use]
    pub fn receives(mut self, receives: Receives) -> Self {
        self.receives = receives;
        self
    }

    /// Says whether anything the server returns is kept in session state.
    #[must_use]
    pub fn publishes(mut self, publishes: bool) -> Self {
        self.publishes = publishes;
        self
    }

    /// The name of the connection, which is the first part of every key its server publishes.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether anything the server returns is kept.
    #[must_use]
    pub fn may_publish(&self) -> bool {
        self.publishes
    }

    /// Whether the server may be given the value under a key.
    #[must_use]
    pub fn may_receive(&self, key: &str) -> bool {
        match &self.receives {
            Receives::Everything => true,
            Receives::Only(prefixes) => self.owns(key) || prefixes.iter().any(|prefix| prefix.covers(key)),
        }
    }

    /// Whether a key lies under the server's own prefix.
    pub(crate) fn owns(&self, key: &str) -> bool {
        key.strip_prefix(&self.name)
            .is_some_and(|rest| rest.starts_with('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_where_a_part_of_a_key_ends() {
        let prefix = KeyPrefix::new("zeno-aoi/");
        assert!(prefix.covers("zeno-aoi/pick_aoi/aoi_selection"));
        assert!(!prefix.covers("zeno-aoi-evil/pick_aoi/aoi_selection"));
        assert!(KeyPrefix::new("a/b/c").covers("a/b/c"));
        assert!(!KeyPrefix::new("").covers("a/b/c"));
    }

    #[test]
    fn a_name_with_a_slash_would_let_servers_share_a_prefix() {
        assert!(Connection::new("met").is_ok());
        for bad in ["", "a/b", "a,b", " a", "a\nb", &"x".repeat(101)] {
            assert!(Connection::new(bad).is_err(), "{bad:?}");
        }
    }
}
