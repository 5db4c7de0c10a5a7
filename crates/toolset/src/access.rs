//! Who may reach a toolset, on top of the server's own host and origin rules.

use std::fmt;

/// A bearer secret: it never prints, and is compared in constant time by the runtime.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Wraps the secret text, without surrounding white space.
    #[must_use]
    pub fn new(secret: &str) -> Self {
        Self(secret.trim().to_owned())
    }

    /// The secret itself, for comparing or sending; never for printing.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Access rules of one toolset.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// The bearer secret that every MCP request must present; `None` leaves the toolset open.
    pub bearer: Option<Secret>,
    /// With no bearer secret, refuse to serve on an address other machines can reach.
    pub loopback_without_bearer: bool,
    /// Host names (with or without a port) accepted beside the server's own.
    pub allowed_hosts: Vec<String>,
    /// Origins (scheme, host, optional port) accepted beside the server's own.
    pub allowed_origins: Vec<String>,
}
