//! From addresses to tools.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use futures::{StreamExt, stream};
use periplus_runtime::client::{Absent, Client, ClientError, Connection, Credentials, Directory, RemoteTool};
use periplus_state::Toolbox;
use serde_json::{Value, json};
use tokio::time::timeout;
use tracing::warn;
use url::Url;

use super::{Connected, ConnectedTool, LIST_TIMEOUT, ToolsetSources, Toolsets, Unreachable, names};
use crate::ToolSource;

/// Servers that are asked at once.
const PARALLEL: usize = 8;

/// The name that the client gives to a server which was addressed directly.
const DIRECT: &str = "server";

/// What the name of a toolset's server starts with.
const SERVER_PREFIX: &str = "mcp-";

/// A tool as it was listed, and how its server is reached.
type Remote = (Arc<RemoteTool>, Arc<Connection>);

/// A server that listed its tools.
struct Listed {
    name: String,
    connection: Arc<Connection>,
    source: Url,
    tools: Vec<Arc<RemoteTool>>,
}

impl Listed {
    /// A server as it was listed before.
    fn again(server: &Connected, previous: &Toolsets) -> Self {
        let tools = previous
            .tools
            .iter()
            .filter(|tool| tool.source.server == server.name);
        Self {
            name: server.name.clone(),
            connection: Arc::clone(&server.connection),
            source: server.source.clone(),
            tools: tools.map(|tool| Arc::clone(&tool.remote)).collect(),
        }
    }
}

pub(super) async fn connect(
    client: &Client,
    sources: &ToolsetSources,
    credentials: &Credentials,
    own_tools: &[&str],
    previous: &Toolsets,
) -> Toolsets {
    let found = stream::iter(sources.urls.clone())
        .map(|url| async move {
            let directory = open(client, &url).await;
            (url, directory)
        })
        .buffered(PARALLEL)
        .collect::<Vec<_>>()
        .await;
    let mut listed = Vec::new();
    let mut unreachable = Vec::new();
    for (url, directory) in found {
        match directory {
            Ok(mut directory) => {
                for absent in std::mem::take(&mut directory.absent) {
                    let was_at = |server: &&Connected| server.name == absent.name && server.source == url;
                    keep(
                        Err(absent_now(&absent)),
                        &mut listed,
                        &mut unreachable,
                        previous,
                        was_at,
                    );
                }
                let outcomes = list_all(directory, &url, credentials).await;
                for (address, outcome) in outcomes {
                    let was_at = |server: &&Connected| *server.connection.url() == address;
                    keep(outcome, &mut listed, &mut unreachable, previous, was_at);
                }
            }
            Err(reason) => {
                let was_at = |server: &&Connected| server.source == url;
                keep(Err(reason), &mut listed, &mut unreachable, previous, was_at);
            }
        }
    }
    for reason in &unreachable {
        warn!(%reason, "a toolset is not connected");
    }
    bind(listed, unreachable, sources, own_tools)
}

/// Keeps a list, or the last good one of the servers that are away.
fn keep(
    outcome: Result<Listed, Unreachable>,
    listed: &mut Vec<Listed>,
    unreachable: &mut Vec<Unreachable>,
    previous: &Toolsets,
    was_at: impl Fn(&&Connected) -> bool,
) {
    match outcome {
        Ok(server) => listed.push(server),
        Err(reason) => {
            let earlier = previous.connected.iter().filter(was_at);
            listed.extend(earlier.map(|server| Listed::again(server, previous)));
            unreachable.push(reason);
        }
    }
}

async fn open(client: &Client, url: &Url) -> Result<Directory, Unreachable> {
    let failed = |reason| Unreachable {
        name: None,
        url: shown(url),
        reason,
    };
    match timeout(LIST_TIMEOUT, client.open(url)).await {
        Ok(Ok(directory)) => Ok(directory),
        Ok(Err(error)) => Err(failed(redacted(&error.to_string()))),
        Err(_) => Err(failed(too_slow())),
    }
}

/// A server that its directory cannot reach.
fn absent_now(absent: &Absent) -> Unreachable {
    Unreachable {
        name: Some(absent.name.clone()),
        url: redacted(&absent.url),
        reason: format!("its directory says that it is {}", absent.status),
    }
}

/// The tools of every server of a directory, each with the server's address.
async fn list_all(
    directory: Directory,
    source: &Url,
    credentials: &Credentials,
) -> Vec<(Url, Result<Listed, Unreachable>)> {
    stream::iter(directory.entries)
        .map(|entry| async move {
            let address = entry.connection.url().clone();
            (address, list(entry.connection, source, credentials).await)
        })
        .buffered(PARALLEL)
        .collect()
        .await
}

async fn list(
    connection: Connection,
    source: &Url,
    credentials: &Credentials,
) -> Result<Listed, Unreachable> {
    let listing = async {
        let tools = connection.list_tools(credentials).await?;
        Ok::<_, ClientError>((tools, name_of(&connection, credentials).await))
    };
    let reason = match timeout(LIST_TIMEOUT, listing).await {
        Ok(Ok((tools, name))) => {
            return Ok(Listed {
                name,
                tools: tools.into_iter().map(Arc::new).collect(),
                source: source.clone(),
                connection: Arc::new(connection),
            });
        }
        Ok(Err(error)) => redacted(&error.to_string()),
        Err(_) => too_slow(),
    };
    Err(Unreachable {
        name: (connection.name() != DIRECT).then(|| connection.name().to_owned()),
        url: shown(connection.url()),
        reason,
    })
}

/// The name in the directory; a toolset that was addressed directly says its own, because its keys start with it.
async fn name_of(connection: &Connection, credentials: &Credentials) -> String {
    if connection.name() != DIRECT {
        return connection.name().to_owned();
    }
    let introduced = connection.server_name(credentials).await.ok().flatten();
    let toolset = introduced
        .as_deref()
        .and_then(|name| name.strip_prefix(SERVER_PREFIX))
        .filter(|name| is_toolset_name(name));
    toolset.unwrap_or(DIRECT).to_owned()
}

fn is_toolset_name(name: &str) -> bool {
    name.split('-').all(|part| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

fn too_slow() -> String {
    format!("it did not answer within {} s", LIST_TIMEOUT.as_secs())
}

/// An address as people may see it: it can hold a password or a token.
pub(crate) fn shown(url: &Url) -> String {
    let mut shown = url.clone();
    shown.set_query(None);
    shown.set_fragment(None);
    // An address that cannot have a password has none to remove.
    let _ = shown.set_password(None);
    let _ = shown.set_username("");
    shown.to_string()
}

/// A text with every address in it as people may see it.
pub(crate) fn redacted(text: &str) -> String {
    let ends = |c: char| c.is_whitespace() || "\"'`<>)".contains(c);
    let mut redacted = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("http").filter(|_| rest.contains("://")) {
        let (before, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(ends).unwrap_or(from.len()));
        redacted.push_str(before);
        let address = word.trim_end_matches([':', ';', ',', '.']);
        match Url::parse(address) {
            Ok(url) => redacted.push_str(&shown(&url)),
            Err(_) => redacted.push_str(address),
        }
        redacted.push_str(word.get(address.len()..).unwrap_or_default());
        rest = after;
    }
    redacted.push_str(rest);
    redacted
}

/// Binds all tools, each server under a name that is its alone.
fn bind(
    listed: Vec<Listed>,
    unreachable: Vec<Unreachable>,
    sources: &ToolsetSources,
    own_tools: &[&str],
) -> Toolsets {
    let mut toolsets = Toolsets {
        unreachable,
        ..Toolsets::default()
    };
    let mut servers = Vec::new();
    let mut remotes = BTreeMap::new();
    for mut server in listed {
        server.name = unique(&server.name, &toolsets.connected);
        let grant = sources.grants.get(&server.name).unwrap_or(&sources.default_grant);
        let bound = match periplus_state::Connection::new(&server.name) {
            Ok(bound) => bound.publishes(grant.publishes).receives(grant.receives()),
            Err(error) => {
                toolsets.unreachable.push(Unreachable {
                    name: Some(server.name),
                    url: shown(server.connection.url()),
                    reason: error.to_string(),
                });
                continue;
            }
        };
        let declarations = server.tools.iter().map(|tool| declaration(tool)).collect();
        servers.push((Arc::new(bound), declarations));
        for tool in server.tools {
            let source = (server.name.clone(), tool.name.clone());
            remotes
                .entry(source)
                .or_insert((tool, Arc::clone(&server.connection)));
        }
        toolsets.connected.push(Connected {
            name: server.name,
            connection: server.connection,
            source: server.source,
        });
    }
    let (toolbox, warnings) = Toolbox::bind(&servers, own_tools);
    toolsets.warnings = warnings.iter().map(ToString::to_string).collect();
    for warning in &toolsets.warnings {
        warn!("{warning}");
    }
    toolsets.offer(toolbox, &remotes, own_tools);
    toolsets
}

impl Toolsets {
    fn offer(&mut self, toolbox: Toolbox, remotes: &BTreeMap<(String, String), Remote>, own_tools: &[&str]) {
        let mut taken: BTreeSet<String> = own_tools.iter().map(|&name| name.to_owned()).collect();
        for bound in toolbox.tools() {
            let source = ToolSource {
                server: bound.connection().name().to_owned(),
                tool: bound.name().to_owned(),
            };
            let Some((remote, connection)) = remotes.get(&(source.server.clone(), source.tool.clone()))
            else {
                continue;
            };
            let offered_name = names::offered(bound.exposed_name(), &mut taken);
            self.by_offered_name
                .insert(offered_name.clone(), self.tools.len());
            self.tools.push(ConnectedTool {
                source,
                offered_name,
                remote: Arc::clone(remote),
                bound: bound.clone(),
                connection: Arc::clone(connection),
            });
        }
        self.toolbox = toolbox;
    }
}

/// Two servers of one name would share a prefix: the second one gets a number.
fn unique(name: &str, connected: &[Connected]) -> String {
    let is_taken = |name: &str| connected.iter().any(|other| other.name == name);
    if !is_taken(name) {
        return name.to_owned();
    }
    (2..)
        .map(|number| format!("{name}-{number}"))
        .find(|name| !is_taken(name))
        .expect("there are more numbers than servers")
}

/// A listed tool as the JSON it was.
fn declaration(tool: &RemoteTool) -> Value {
    let schema: Value = serde_json::from_str(tool.input_schema.get()).unwrap_or_default();
    json!({
        "name": tool.name, "description": tool.description, "inputSchema": schema, "_meta": tool.meta,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_shows_no_password_and_no_query() {
        for (text, expected) in [
            (
                "cannot connect to http://u:p@h:1/mcp?k=v: refused",
                "cannot connect to http://h:1/mcp: refused",
            ),
            (
                "https://h/a?b=c redirects to http://x/y#z, which",
                "https://h/a redirects to http://x/y, which",
            ),
            (
                "the http answer was no http at all",
                "the http answer was no http at all",
            ),
            ("http status of http://h/", "http status of http://h/"),
        ] {
            assert_eq!(redacted(text), expected);
        }
    }

    #[test]
    fn only_names_of_toolsets_are_taken_from_an_introduction() {
        for (name, expected) in [
            ("met", true),
            ("zeno-aoi", true),
            ("Met", false),
            ("a--b", false),
            ("a/b", false),
        ] {
            assert_eq!(is_toolset_name(name), expected, "{name}");
        }
    }
}
