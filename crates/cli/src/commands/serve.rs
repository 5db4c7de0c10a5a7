//! `serve`: toolsets over MCP until the process is told to stop.

use std::{net::IpAddr, time::Duration};

use periplus_runtime::server::{Server, ServerConfig};
use periplus_toolset::{Secret, Toolset};
use serde_json::{Map, Value, json};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::App;
use crate::{
    Purpose,
    config::{ConfigError, Settings, keys},
    exit::{CliError, Exit, Outcome},
    printer,
};

pub(crate) fn run(app: &App) -> Outcome {
    let mut config = server_config(&app.settings)?;
    config.state_key = state_key(&app.settings)?;
    if config.replicas > 1 && config.state_key.is_none() {
        printer::warning(&format!(
            "a question asked by one of {} processes cannot be answered to another: give all the same {}",
            config.replicas,
            keys::STATE_KEY_FILE.env,
        ));
    }
    let toolsets = chosen(app)?;
    let banner = Banner::of(&config, &toolsets);
    serve(config.drain, move || {
        let server = Server::bind(config, toolsets)?;
        Ok((server, Box::new(move |port| banner.text(port))))
    })
}

/// What a person reads when a server is up on a port.
pub(super) type Announcement = Box<dyn FnOnce(u16) -> String>;

/// Serves what `bind` returns until the process is told to stop.
pub(super) fn serve(
    drain: Duration,
    bind: impl FnOnce() -> Result<(Server, Announcement), CliError>,
) -> Outcome {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::answer(format!("cannot start the async runtime: {error}")))?;
    let outcome = runtime.block_on(async {
        let (server, announcement) = bind()?;
        until_stopped(server, announcement).await
    });
    runtime.shutdown_timeout(drain.min(Duration::from_secs(1)));
    outcome
}

async fn until_stopped(server: Server, announcement: Announcement) -> Outcome {
    let port = server.addresses().first().map_or(0, std::net::SocketAddr::port);
    let stop = CancellationToken::new();
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    printer::note(&announcement(port));
    let running = server.run(stop.clone());
    tokio::pin!(running);
    tokio::select! {
        outcome = &mut running => return outcome.map(|()| Exit::Success).map_err(Into::into),
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    printer::note("stopping: running calls may finish; a second signal ends at once");
    stop.cancel();
    tokio::select! {
        outcome = running => outcome?,
        _ = interrupt.recv() => return Ok(Exit::Interrupted),
        _ = terminate.recv() => return Ok(Exit::Interrupted),
    }
    // Ctrl-C is how a person stops a server: a clean stop is a success, whatever the signal.
    Ok(Exit::Success)
}

/// The toolsets that the settings name; all that the binary ships if they name none.
pub(super) fn chosen(app: &App) -> Result<Vec<Toolset>, CliError> {
    let named = match app.settings.list(&keys::TOOLSETS) {
        names if names.is_empty() => app.settings.list(&keys::TOOLSET),
        names => names,
    };
    if named.is_empty() {
        return app
            .entries
            .iter()
            .map(|entry| app.build(entry, Purpose::Calls))
            .collect();
    }
    named
        .iter()
        .map(|name| app.build(app.entry(name)?, Purpose::Calls))
        .collect()
}

/// The key that all replicas share.
fn state_key(settings: &Settings) -> Result<Option<Secret>, CliError> {
    let key = &keys::STATE_KEY_FILE;
    let secret =
        crate::met::secret_file(settings, key).map_err(|error| CliError::usage(format!("{error:#}")))?;
    let text = |secret: Vec<u8>| {
        let text = String::from_utf8(secret);
        text.map_err(|_binary| CliError::usage(format!("the file of {} is not text", key.env)))
    };
    Ok(secret.map(text).transpose()?.map(|text| Secret::new(&text)))
}

pub(super) fn server_config(settings: &Settings) -> Result<ServerConfig, ConfigError> {
    let defaults = ServerConfig::default();
    let drain = settings.parse::<u32>(&keys::DRAIN_SECONDS, "whole number of seconds")?;
    Ok(ServerConfig {
        host: settings
            .parse::<IpAddr>(&keys::HOST, "IP address")?
            .unwrap_or(defaults.host),
        port: settings
            .parse::<u16>(&keys::PORT, "port number (0 to 65535)")?
            .unwrap_or(defaults.port),
        public_url: settings.parse::<Url>(&keys::PUBLIC_URL, "URL")?,
        path_prefix: settings
            .text(&keys::MCP_PATH_PREFIX)
            .unwrap_or_default()
            .to_owned(),
        allowed_hosts: settings.list(&keys::ALLOWED_HOSTS),
        allowed_origins: settings.list(&keys::ALLOWED_ORIGINS),
        replicas: settings
            .parse::<u32>(&keys::REPLICAS, "number of processes")?
            .unwrap_or(defaults.replicas),
        drain: drain.map_or(defaults.drain, |seconds| Duration::from_secs(seconds.into())),
        ..defaults
    })
}

/// What a person reads when the server is up: where it is, what it serves, what to paste.
struct Banner {
    address: Address,
    toolsets: Vec<Line>,
}

/// Where a server is found.
pub(super) struct Address {
    host: IpAddr,
    public_url: Option<Url>,
    path_prefix: String,
}

impl Address {
    pub(super) fn of(config: &ServerConfig) -> Self {
        Self {
            host: config.host,
            public_url: config.public_url.clone(),
            path_prefix: config.path_prefix.trim_matches('/').to_owned(),
        }
    }

    /// Where clients find the server; an address that means "all addresses" is no address to connect to.
    pub(super) fn base(&self, port: u16) -> String {
        let base = match (&self.public_url, self.host) {
            (Some(url), _) => url.as_str().trim_end_matches('/').to_owned(),
            (None, host) if host.is_unspecified() => format!("http://127.0.0.1:{port}"),
            (None, IpAddr::V4(host)) => format!("http://{host}:{port}"),
            (None, IpAddr::V6(host)) => format!("http://[{host}]:{port}"),
        };
        match (&self.public_url, self.path_prefix.as_str()) {
            // The public URL is complete: it already says where the proxy has put the server.
            (Some(_), _) | (None, "") => base,
            (None, prefix) => format!("{base}/{prefix}"),
        }
    }
}

struct Line {
    name: String,
    tool_count: usize,
    headers: Vec<String>,
}

impl Banner {
    fn of(config: &ServerConfig, toolsets: &[Toolset]) -> Self {
        let line = |toolset: &Toolset| Line {
            name: toolset.name().to_owned(),
            tool_count: toolset.tools().len(),
            headers: toolset.credential_headers().to_vec(),
        };
        Self {
            address: Address::of(config),
            toolsets: toolsets.iter().map(line).collect(),
        }
    }

    fn base(&self, port: u16) -> String {
        self.address.base(port)
    }

    fn endpoint(&self, base: &str, toolset: &str) -> String {
        if self.toolsets.len() == 1 {
            format!("{base}/mcp")
        } else {
            format!("{base}/{toolset}/mcp")
        }
    }

    fn text(&self, port: u16) -> String {
        let base = self.base(port);
        let width = self
            .toolsets
            .iter()
            .map(|line| line.name.len())
            .max()
            .unwrap_or_default();
        let mut text = format!("Periplus {} serves at {base}\n", env!("CARGO_PKG_VERSION"));
        for line in &self.toolsets {
            let plural = if line.tool_count == 1 { " " } else { "s" };
            let endpoint = self.endpoint(&base, &line.name);
            text += &format!(
                "\n  {:width$}  {:2} tool{plural}  {endpoint}",
                line.name, line.tool_count
            );
            if !line.headers.is_empty() {
                text += &format!("  (header {})", line.headers.join(", "));
            }
        }
        let address = if Some(base.as_str()) == keys::MCP_URL.default {
            ""
        } else {
            &base
        };
        text + &format!(
            "\n\nPaste a URL into an MCP host, or this:\n{:#}\n\nIn a second terminal: periplus list {address}",
            self.snippet(&base)
        )
    }

    /// The configuration that MCP hosts read.
    fn snippet(&self, base: &str) -> Value {
        let servers: Map<String, Value> = self
            .toolsets
            .iter()
            .map(|line| {
                let mut server = json!({ "type": "http", "url": self.endpoint(base, &line.name) });
                if !line.headers.is_empty() {
                    let headers: Map<String, Value> = line
                        .headers
                        .iter()
                        .map(|name| (name.clone(), json!("<your value>")))
                        .collect();
                    server["headers"] = Value::Object(headers);
                }
                (line.name.clone(), server)
            })
            .collect();
        json!({ "mcpServers": servers })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn banner(host: &str, names: &[&str]) -> Banner {
        let line = |name: &&str| Line {
            name: (*name).to_owned(),
            tool_count: 1,
            headers: if *name == "credential-demo" {
                vec!["x-demo-token".to_owned()]
            } else {
                vec![]
            },
        };
        Banner {
            address: Address {
                host: host.parse().unwrap(),
                public_url: None,
                path_prefix: String::new(),
            },
            toolsets: names.iter().map(line).collect(),
        }
    }

    #[test]
    fn one_toolset_is_at_mcp_and_several_below_their_names() {
        let one = banner("127.0.0.1", &["hello"]);
        assert_eq!(one.endpoint(&one.base(1), "hello"), "http://127.0.0.1:1/mcp");
        let two = banner("::1", &["hello", "credential-demo"]);
        assert_eq!(two.endpoint(&two.base(1), "hello"), "http://[::1]:1/hello/mcp");
    }

    #[test]
    fn a_wildcard_address_is_shown_as_one_to_connect_to() {
        assert_eq!(banner("0.0.0.0", &["hello"]).base(80), "http://127.0.0.1:80");
    }

    #[test]
    fn a_public_url_is_shown_as_it_is() {
        let public_url = Some("https://tools.example.org/mcp-tools/".parse().unwrap());
        let address = Address {
            public_url,
            path_prefix: "mcp-tools".to_owned(),
            ..banner("0.0.0.0", &["hello"]).address
        };
        assert_eq!(address.base(80), "https://tools.example.org/mcp-tools");
    }

    #[test]
    fn the_snippet_names_the_headers_to_fill_in() {
        let banner = banner("127.0.0.1", &["hello", "credential-demo"]);
        let snippet = banner.snippet(&banner.base(8000));
        assert_eq!(
            snippet["mcpServers"]["credential-demo"],
            json!({"type": "http", "url": "http://127.0.0.1:8000/credential-demo/mcp",
                   "headers": {"x-demo-token": "<your value>"}})
        );
    }
}
