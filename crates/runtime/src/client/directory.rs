//! The directory of a server: which connections stand behind a URL, and what each declares.

use ::http::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value};
use url::Url;

use super::{Client, ClientError, Connection, Credentials, DeclaredHeaders, http::Answer};

/// Name of the only connection when an endpoint is addressed directly.
const DIRECT: &str = "server";

/// What stands behind a URL.
#[derive(Debug)]
pub struct Directory {
    /// The toolsets, in the order of the index document; one entry named `server` for a single endpoint.
    pub entries: Vec<Listed>,
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

/// The index document.
#[derive(Debug, Deserialize)]
struct Index {
    connections: Map<String, Value>,
    #[serde(default)]
    toolsets: Vec<IndexEntry>,
}

#[derive(Debug, Deserialize)]
struct IndexEntry {
    name: String,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    credential_headers: Vec<String>,
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
    if let Some(index) = read::<Index>(&answer) {
        return index_entries(client, url, &index);
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

fn index_entries(client: &Client, url: &Url, index: &Index) -> Result<Directory, ClientError> {
    let mut entries = Vec::new();
    for (name, connection) in &index.connections {
        let listed = index.toolsets.iter().find(|entry| entry.name == *name);
        let headers = listed.map_or(DeclaredHeaders::Unknown, |entry| {
            DeclaredHeaders::Only(lower(entry.credential_headers.clone()))
        });
        let endpoint = connection
            .get("url")
            .and_then(Value::as_str)
            .and_then(|text| url.join(text).ok());
        let endpoint = endpoint.ok_or_else(|| ClientError::Protocol {
            url: url.to_string(),
            reason: format!("its index gives no usable URL for {name:?}"),
        })?;
        let status = listed
            .and_then(|entry| entry.status.clone())
            .unwrap_or_else(|| "ok".to_owned());
        entries.push(Listed {
            connection: client.connection(name, &endpoint, headers),
            status,
        });
    }
    Ok(Directory {
        entries,
        is_index: true,
    })
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
