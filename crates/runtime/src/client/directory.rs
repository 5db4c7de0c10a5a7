//! The directory of a server: which connections stand behind a URL, and what each declares.

use ::http::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::{Client, ClientError, Connection, Credentials, DeclaredHeaders, http::Answer};
use crate::directory::{IndexDocument, ToolsetEntry};

/// Name of the only connection when an endpoint is addressed directly.
const DIRECT: &str = "server";

/// What stands behind a URL.
#[derive(Debug)]
pub struct Directory {
    /// The toolsets, in the order of the index document; one entry named `server` for a single endpoint.
    pub entries: Vec<Listed>,
    /// Toolsets that the index lists and gives no connection for.
    pub absent: Vec<Absent>,
    /// Whether the URL is an index of toolsets, rather than one MCP endpoint.
    pub is_index: bool,
}

/// A toolset of a directory.
#[derive(Debug)]
pub struct Listed {
    /// How to reach it.
    pub connection: Connection,
    /// `ok`, `unreachable`, or whatever else the directory says; `ok` for a direct endpoint.
    pub status: String,
}

/// A toolset of a directory that cannot be reached now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent {
    /// Its name.
    pub name: String,
    /// Where it would be, if the directory says so.
    pub url: String,
    /// Most often `unreachable`.
    pub status: String,
}

/// The part of a health document that declares what an endpoint takes.
#[derive(Debug, Deserialize)]
struct Health {
    credential_headers: Vec<String>,
}

/// Finds out what stands at `url`, which a person may have copied from anywhere.
pub(super) async fn open(client: &Client, url: &Url) -> Result<Directory, ClientError> {
    if is_endpoint(url) {
        return direct(client, url).await;
    }
    let answer = client.http().get(url).await?;
    if let Some(document) = read::<Value>(&answer).filter(|document| document.get("connections").is_some()) {
        return match serde_json::from_value(document) {
            Ok(index) => index_entries(client, url, &index),
            Err(error) => Err(broken_index(url, &error.to_string())),
        };
    }
    if answer.status == StatusCode::UNAUTHORIZED {
        return Err(ClientError::Unauthorized {
            url: url.to_string(),
            challenge: None,
        });
    }
    // No index: the root of a server of one toolset, or an endpoint that is not called `mcp`.
    let inner = child(url, "mcp");
    match direct(client, &inner).await {
        Ok(directory) if speaks_mcp(&directory).await => Ok(directory),
        Ok(_) | Err(_) => direct(client, url).await,
    }
}

async fn direct(client: &Client, url: &Url) -> Result<Directory, ClientError> {
    let health = match client.http().get(&sibling_health(url)).await {
        Ok(answer) => read::<Health>(&answer),
        Err(error) if error.is_connection() => return Err(error),
        Err(_) => None,
    };
    let headers = health.map_or(DeclaredHeaders::Unknown, |health| {
        DeclaredHeaders::Only(lower(health.credential_headers))
    });
    let connection = client.connection(DIRECT, url, headers);
    Ok(Directory {
        entries: vec![Listed {
            connection,
            status: "ok".to_owned(),
        }],
        absent: Vec::new(),
        is_index: false,
    })
}

/// Whether the endpoint answers as an MCP server, be it with a demand for credentials.
async fn speaks_mcp(directory: &Directory) -> bool {
    let Some(listed) = directory.entries.first() else {
        return false;
    };
    match listed.connection.server_name(&Credentials::default()).await {
        Ok(_)
        | Err(ClientError::Unauthorized { .. } | ClientError::Busy { .. } | ClientError::Forbidden { .. }) => {
            true
        }
        Err(_) => false,
    }
}

fn index_entries(client: &Client, url: &Url, index: &IndexDocument) -> Result<Directory, ClientError> {
    let mut entries = Vec::new();
    for (name, endpoint) in &index.connections {
        let listed = index.toolsets.iter().find(|entry| entry.name == *name);
        let headers = listed.map_or(DeclaredHeaders::Unknown, |entry| {
            DeclaredHeaders::Only(lower(entry.declares.credential_headers.clone()))
        });
        let endpoint = url
            .join(&endpoint.url)
            .map_err(|error| broken_index(url, &format!("the URL of {name:?} is unusable ({error})")))?;
        entries.push(Listed {
            connection: client.connection(name, &endpoint, headers),
            status: listed.map_or_else(|| "ok".to_owned(), |entry| entry.status.clone()),
        });
    }
    let is_absent = |entry: &&ToolsetEntry| index.connections.iter().all(|(name, _)| *name != entry.name);
    let absent = index.toolsets.iter().filter(is_absent).map(|entry| Absent {
        name: entry.name.clone(),
        url: entry.url.clone(),
        status: entry.status.clone(),
    });
    Ok(Directory {
        entries,
        absent: absent.collect(),
        is_index: true,
    })
}

fn broken_index(url: &Url, reason: &str) -> ClientError {
    ClientError::Protocol {
        url: url.to_string(),
        reason: format!("its index is malformed: {reason}"),
    }
}

fn read<T: for<'de> Deserialize<'de>>(answer: &Answer) -> Option<T> {
    answer
        .status
        .is_success()
        .then(|| serde_json::from_slice(&answer.body).ok())
        .flatten()
}

fn lower(names: Vec<String>) -> Vec<String> {
    names.into_iter().map(|name| name.to_ascii_lowercase()).collect()
}

fn is_endpoint(url: &Url) -> bool {
    url.path().trim_end_matches('/').rsplit('/').next() == Some("mcp")
}

/// `…/mcp` → `…/health`; an endpoint of another name has its health document beneath it.
fn sibling_health(url: &Url) -> Url {
    let mut base = url.clone();
    if is_endpoint(url) {
        let path = url.path().trim_end_matches('/');
        base.set_path(path.strip_suffix("mcp").unwrap_or(path));
    }
    child(&base, "health")
}

fn child(url: &Url, name: &str) -> Url {
    let mut child = url.clone();
    child.set_path(&format!("{}/{name}", url.path().trim_end_matches('/')));
    child.set_query(None);
    child.set_fragment(None);
    child
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn an_endpoint_is_told_from_a_root() {
        for (text, expected) in [
            ("http://h/mcp", true),
            ("http://h/hello/mcp/", true),
            ("http://h/", false),
            ("http://h/hello", false),
            ("http://h/mcp/tools", false),
        ] {
            assert_eq!(is_endpoint(&url(text)), expected, "{text}");
        }
    }

    #[test]
    fn the_health_document_is_a_sibling() {
        for (text, expected) in [
            ("http://h/mcp", "http://h/health"),
            ("http://h/a/hello/mcp/?x=1", "http://h/a/hello/health"),
            ("http://h/other", "http://h/other/health"),
        ] {
            assert_eq!(sibling_health(&url(text)).as_str(), expected, "{text}");
        }
    }
}
