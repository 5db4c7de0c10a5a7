//! The address of a PostgreSQL server, as people write it for psql, for SQLAlchemy or for libpq.

use std::{fmt, path::PathBuf, time::Duration};

use tokio_postgres::{Config, config::SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;
use url::form_urlencoded;

use crate::{
    cause,
    tls::{self, Trust},
};

/// What an address may start with; the last is what Python services have in their configuration.
const SCHEMES: [&str; 3] = ["postgresql://", "postgres://", "postgresql+asyncpg://"];

/// How long a connection may take to be made, unless the address says otherwise.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// After this long without an answer to what was sent, the server counts as gone.
const UNANSWERED: Duration = Duration::from_secs(30);

/// How long a connection may be silent before it is asked whether it lives: a run holds one without a word, and what
/// stands between us and the server forgets such connections after minutes.
const SILENCE: Duration = Duration::from_secs(60);

/// Whether a text is meant as the address of a PostgreSQL server.
#[must_use]
pub fn is_address(text: &str) -> bool {
    SCHEMES.iter().any(|scheme| text.starts_with(scheme))
}

/// Where a server is and how the connection is secured.
pub struct Address {
    /// Where the server is and who asks.
    pub config: Config,
    /// How the connection is encrypted and whom it trusts.
    pub tls: MakeRustlsConnect,
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The configuration holds a password.
        f.debug_struct("Address").finish_non_exhaustive()
    }
}

impl Address {
    /// Reads an address.
    ///
    /// `sslmode` has libpq's meanings: `prefer`, which is the default, and `require` encrypt without asking who answers;
    /// `verify-ca` and `verify-full` trust the authorities of `sslrootcert`, or else those of the system.
    ///
    /// # Errors
    /// What is wrong with it; no part that may be a password is repeated.
    pub fn parse(text: &str) -> Result<Self, String> {
        let rest = SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme));
        let rest = rest.ok_or_else(|| format!("it starts with none of {}", SCHEMES.join(", ")))?;
        let (server, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let (security, parameters) = Security::take(parameters)?;
        let mut config: Config = format!("postgresql://{server}?{parameters}")
            .parse()
            .map_err(|error: tokio_postgres::Error| cause(&error))?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err("it names no host".to_owned());
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(UNANSWERED);
        }
        if config.get_keepalives_idle() > SILENCE && !parameters.contains("keepalives_idle") {
            config.keepalives_idle(SILENCE);
        }
        if config.get_application_name().is_none() {
            config.application_name("periplus");
        }
        config.ssl_mode(security.mode);
        let tls = tls::client_config(security.trust, security.authorities)?;
        Ok(Self {
            config,
            tls: MakeRustlsConnect::new(tls),
        })
    }
}

struct Security {
    mode: SslMode,
    trust: Trust,
    authorities: Option<PathBuf>,
}

impl Security {
    /// Takes what concerns security out of the parameters of an address, and returns the others as they were.
    fn take(parameters: &str) -> Result<(Self, String), String> {
        let mut mode = "prefer".to_owned();
        let mut authorities = None;
        let mut others = Vec::new();
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            let value = || form_urlencoded::parse(parameter.as_bytes()).map(|(_, value)| value.into_owned());
            match parameter.split('=').next() {
                // SQLAlchemy's name for it.
                Some("sslmode" | "ssl") => mode = value().collect(),
                Some("sslrootcert") => authorities = Some(value().collect()),
                _ => others.push(parameter),
            }
        }
        let (mode, trust) = meaning(&mode, authorities.is_some())?;
        let authorities = authorities
            .filter(|file: &String| file != "system")
            .map(PathBuf::from);
        let security = Self {
            mode,
            trust,
            authorities,
        };
        Ok((security, others.join("&")))
    }
}

fn meaning(mode: &str, has_authorities: bool) -> Result<(SslMode, Trust), String> {
    match mode {
        "disable" => Ok((SslMode::Disable, Trust::Anyone)),
        "allow" | "prefer" => Ok((SslMode::Prefer, Trust::Anyone)),
        // As libpq has it: who names authorities wants them asked.
        "require" if has_authorities => Ok((SslMode::Require, Trust::Authority)),
        "require" => Ok((SslMode::Require, Trust::Anyone)),
        "verify-ca" => Ok((SslMode::Require, Trust::Authority)),
        "verify-full" => Ok((SslMode::Require, Trust::Host)),
        _ => Err(format!(
            "sslmode is `{mode}`; it can be disable, prefer, require, verify-ca or verify-full"
        )),
    }
}

#[cfg(test)]
mod tests {
    use tokio_postgres::config::Host;

    use super::*;

    #[test]
    fn an_address_is_read_in_every_spelling() {
        for scheme in SCHEMES {
            let address = Address::parse(&format!("{scheme}me:pa%20ss@db.example:5433/threads")).unwrap();
            assert_eq!(address.config.get_hosts(), [Host::Tcp("db.example".to_owned())]);
            assert_eq!(address.config.get_ports(), [5433]);
            assert_eq!(address.config.get_user(), Some("me"));
            assert_eq!(address.config.get_password(), Some(b"pa ss".as_slice()));
            assert_eq!(address.config.get_dbname(), Some("threads"));
            assert_eq!(address.config.get_ssl_mode(), SslMode::Prefer);
        }
    }

    #[test]
    fn the_modes_of_libpq_keep_their_meaning() {
        let read = |parameters: &str| {
            let (security, rest) = Security::take(parameters).unwrap();
            (security.mode, security.trust, rest)
        };
        let none = String::new;
        assert_eq!(read(""), (SslMode::Prefer, Trust::Anyone, none()));
        assert_eq!(read("sslmode=disable"), (SslMode::Disable, Trust::Anyone, none()));
        assert_eq!(read("ssl=require"), (SslMode::Require, Trust::Anyone, none()));
        let parameters = "application_name=x&sslmode=require&sslrootcert=%2Fca.pem&options=-csearch_path%3Dy";
        let rest = "application_name=x&options=-csearch_path%3Dy".to_owned();
        assert_eq!(read(parameters), (SslMode::Require, Trust::Authority, rest));
        assert_eq!(
            read("sslmode=verify-full"),
            (SslMode::Require, Trust::Host, none())
        );
    }

    #[test]
    fn what_is_wrong_with_an_address_is_said_without_its_password() {
        for (address, what) in [
            ("mysql://me:hunter2@db/x", "starts with none of"),
            ("postgres://me:hunter2@db/x?sslmode=maybe", "`maybe`"),
            ("postgres://me:hunter2@db/x?colour=red", "colour"),
            ("postgres://me:hunter2@db:port/x", "port"),
            ("postgres://me:hunter2@/x", "host"),
            (
                "postgres://me:hunter2@db/x?sslmode=verify-ca&sslrootcert=/no/such",
                "/no/such",
            ),
        ] {
            let error = Address::parse(address).err().unwrap();
            assert!(error.contains(what) && !error.contains("hunter2"), "{error}");
        }
    }
}
