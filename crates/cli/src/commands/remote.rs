//! A server and its toolsets, as `list` and `call` see them.

use periplus_runtime::client::{
    Client, ClientError, ClientOptions, Connection, Credentials, DeclaredHeaders, Directory, RemoteTool,
};

use super::App;
use crate::{
    arguments,
    config::Settings,
    exit::{CliError, Exit},
};

/// Prefix of the name under which our servers introduce themselves.
const SERVER_NAME_PREFIX: &str = "mcp-";

/// Most tools that an error lists.
const MAX_NAMED: usize = 12;

/// Opens the server that the settings name.
pub(crate) async fn open(app: &App) -> Result<Directory, CliError> {
    open_with(app, ClientOptions::default()).await
}

/// Opens the server that the settings name as a client of another kind.
pub(crate) async fn open_with(app: &App, options: ClientOptions) -> Result<Directory, CliError> {
    Ok(Client::new(options).open(&app.server_url()?).await?)
}

/// The `-H` headers of a command line.
pub(crate) fn given_headers(texts: &[String]) -> Result<Vec<(String, String)>, CliError> {
    texts.iter().map(|text| arguments::header(text)).collect()
}

/// The given headers, and for declared ones that were not given the variable of their name.
pub(crate) fn with_environment(
    given: &[(String, String)],
    declared: &[String],
    settings: &Settings,
) -> Vec<(String, String)> {
    let is_given = |name: &str| given.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
    let from_environment = declared
        .iter()
        .filter(|name| !is_given(name))
        .filter_map(|name| Some((name.clone(), settings.credential(name)?.to_owned())));
    given.iter().cloned().chain(from_environment).collect()
}

/// The credentials for a connection.
pub(crate) fn credentials(
    connection: &Connection,
    given: &[(String, String)],
    settings: &Settings,
) -> Result<Credentials, CliError> {
    let declared = match connection.declared_headers() {
        DeclaredHeaders::Only(names) => names.as_slice(),
        DeclaredHeaders::Unknown => &[],
    };
    Ok(Credentials::new(with_environment(given, declared, settings))?)
}

/// A tool and the connection that has it.
pub(crate) struct Found {
    pub(crate) connection: Connection,
    pub(crate) credentials: Credentials,
    pub(crate) tool: RemoteTool,
}

/// Finds a tool in one toolset, or in all of them if none is named.
pub(crate) async fn find(
    app: &App,
    directory: Directory,
    toolset: Option<&str>,
    tool: &str,
    headers: &[(String, String)],
) -> Result<Found, CliError> {
    let connections = select(app, directory, toolset, headers).await?;
    let listings = connections.into_iter().map(|connection| async {
        let credentials = credentials(&connection, headers, &app.settings)?;
        let tools = connection.list_tools(&credentials).await;
        Ok::<_, CliError>((connection, credentials, tools))
    });
    let (mut found, mut known, mut failed) = (Vec::new(), Vec::new(), None);
    for listing in futures::future::join_all(listings).await {
        let (connection, credentials, tools) = listing?;
        match tools {
            Ok(tools) => {
                known.extend(
                    tools
                        .iter()
                        .map(|tool| format!("{}/{}", connection.name(), tool.name)),
                );
                if let Some(tool) = tools.into_iter().find(|candidate| candidate.name == tool) {
                    found.push(Found {
                        connection,
                        credentials,
                        tool,
                    });
                }
            }
            Err(error) => failed = Some(error),
        }
    }
    match failed {
        // What was asked for may be just what could not be listed.
        Some(error) if found.is_empty() => Err(error.into()),
        _ => only_one(tool, found, |found| found.connection.name().to_owned(), &known),
    }
}

/// The connections a name can mean.
async fn select(
    app: &App,
    directory: Directory,
    toolset: Option<&str>,
    headers: &[(String, String)],
) -> Result<Vec<Connection>, CliError> {
    let is_index = directory.is_index;
    if let Some(absent) = directory
        .absent
        .iter()
        .find(|absent| Some(absent.name.as_str()) == toolset)
    {
        let message = format!(
            "toolset {:?} is {}, says the directory",
            absent.name, absent.status
        );
        return Err(CliError {
            exit: Exit::Connect,
            ..CliError::answer(message)
        });
    }
    let mut connections: Vec<Connection> = directory
        .entries
        .into_iter()
        .map(|entry| entry.connection)
        .collect();
    let Some(toolset) = toolset else {
        return Ok(connections);
    };
    if is_index {
        let names: Vec<String> = connections
            .iter()
            .map(|connection| connection.name().to_owned())
            .collect();
        connections.retain(|connection| connection.name() == toolset);
        if connections.is_empty() {
            let served = names.join(", ");
            return Err(CliError::usage(format!(
                "the server has no toolset {toolset:?}; it serves {served}"
            )));
        }
        return Ok(connections);
    }
    for connection in &connections {
        let credentials = credentials(connection, headers, &app.settings)?;
        let served = toolset_name(connection, &credentials).await?;
        if served != toolset {
            return Err(CliError::usage(format!(
                "{} serves {served:?}, not {toolset:?}",
                connection.url()
            )));
        }
    }
    Ok(connections)
}

/// The toolset that an endpoint serves, by the name under which it introduces itself.
pub(crate) async fn toolset_name(
    connection: &Connection,
    credentials: &Credentials,
) -> Result<String, CliError> {
    let name = connection.server_name(credentials).await?.unwrap_or_default();
    Ok(name.strip_prefix(SERVER_NAME_PREFIX).unwrap_or(&name).to_owned())
}

/// The only candidate, or an error that names what there is.
pub(crate) fn only_one<T>(
    tool: &str,
    mut found: Vec<T>,
    toolset_of: impl Fn(&T) -> String,
    known: &[String],
) -> Result<T, CliError> {
    match found.len() {
        1 => Ok(found.swap_remove(0)),
        0 => {
            let names = known.iter().filter_map(|path| path.rsplit('/').next());
            let hint = match crate::config::nearest(tool, names) {
                Some(near) => format!("did you mean {near:?}? `periplus list` shows them all"),
                None => "`periplus list` shows the tools".to_owned(),
            };
            Err(CliError::usage(format!("there is no tool {tool:?} {}", place(known))).hint(hint))
        }
        _ => {
            let candidates: Vec<String> = found
                .iter()
                .map(|found| format!("{}/{tool}", toolset_of(found)))
                .collect();
            Err(CliError::usage(format!("several toolsets have a tool {tool:?}"))
                .hint(format!("name one of {}", candidates.join(", "))))
        }
    }
}

/// Where a tool was looked for: a few tools, or the toolsets of many, by paths such as `hello/hello`.
fn place(known: &[String]) -> String {
    if known.len() <= MAX_NAMED {
        return format!("among {}", known.join(", "));
    }
    let mut toolsets: Vec<&str> = known.iter().filter_map(|path| path.split('/').next()).collect();
    toolsets.dedup();
    format!("in {}", toolsets.join(", "))
}

/// What to tell about a connection that did not answer.
pub(crate) fn status_of(error: &ClientError) -> &'static str {
    match error {
        ClientError::Unauthorized { .. } => "needs a credential",
        error if error.is_connection() => "unreachable",
        _ => "error",
    }
}
