//! MCP over streamable HTTP, seen from the caller: reading a directory, listing tools, calling them.
//!
//! The messages are few and the schemas must survive untouched, so this speaks JSON-RPC over `reqwest` directly.
//! Both protocol eras are spoken: a server is first asked in the modern one, and `initialize` is the fallback.
//! Credential headers are given with each call and reach only the connections that declare them.

mod agree;
mod connection;
mod credentials;
mod directory;
mod error;
mod http;
mod params;
mod question;
mod respond;
mod rpc;
mod session;
mod sse;
mod stream;
#[cfg(test)]
mod tests;
mod tool;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use url::{Origin, Url};

pub(crate) use self::http::Http;
use self::session::Era;
pub use self::{
    connection::Connection,
    credentials::{Credentials, DeclaredHeaders},
    directory::{Absent, Directory, Listed},
    error::ClientError,
    question::{Answers, CallOutcome, Question, Questions},
    respond::Responder,
    tool::{CallResult, RemoteTool},
};

/// Bounds of everything the client does; the defaults suit a person at a terminal and an agent alike.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// Longest wait for a TCP or TLS connection.
    pub connect_timeout: Duration,
    /// Longest wait for the whole answer to one request.
    pub request_timeout: Duration,
    /// Largest answer that is read, in bytes.
    pub max_response_bytes: usize,
    /// Most pages of one list.
    pub max_pages: usize,
    /// Name and version under which servers see this client.
    pub identity: (String, String),
    /// What servers may ask of this client, as the protocol declares it, such as `{"elicitation": {}}`; nothing unless
    /// set. Who declares something calls with [`Connection::call`] and answers the questions it returns.
    pub capabilities: serde_json::Value,
    /// Answers questions while a call waits; without one, [`Connection::call`] returns them.
    pub responder: Option<Arc<dyn Responder>>,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            request_timeout: Duration::from_secs(120),
            max_response_bytes: 16 * 1024 * 1024,
            max_pages: 100,
            identity: ("periplus".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            capabilities: serde_json::json!({}),
            responder: None,
        }
    }
}

/// A client of any number of servers. Clones share connections and what was learnt about each server.
#[derive(Debug, Clone)]
pub struct Client(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    http: Http,
    options: ClientOptions,
    /// Which era each origin spoke last; a verdict that stops holding is forgotten and asked again.
    eras: Mutex<HashMap<Origin, Era>>,
}

impl Client {
    /// Prepares a client; nothing is sent yet.
    #[must_use]
    pub fn new(options: ClientOptions) -> Self {
        Self(Arc::new(Inner {
            http: Http::new(&options),
            options,
            eras: Mutex::default(),
        }))
    }

    /// Finds out what stands at a URL that a person pasted: a directory of toolsets, a server's root, or one MCP endpoint.
    ///
    /// # Errors
    /// [`ClientError`] if nothing answers there, or what answers speaks neither MCP nor the directory's format.
    pub async fn open(&self, url: &Url) -> Result<Directory, ClientError> {
        directory::open(self, url).await
    }

    /// A connection to one MCP endpoint whose declarations are already known.
    #[must_use]
    pub fn connection(&self, name: &str, url: &Url, headers: DeclaredHeaders) -> Connection {
        Connection::new(self.clone(), name, url, headers)
    }

    fn http(&self) -> &Http {
        &self.0.http
    }

    fn options(&self) -> &ClientOptions {
        &self.0.options
    }

    fn era_of(&self, url: &Url) -> Option<Era> {
        self.0
            .eras
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&url.origin())
            .copied()
    }

    fn remember_era(&self, url: &Url, era: Option<Era>) {
        let mut eras = self.0.eras.lock().unwrap_or_else(PoisonError::into_inner);
        match era {
            Some(era) => eras.insert(url.origin(), era),
            None => eras.remove(&url.origin()),
        };
    }
}
