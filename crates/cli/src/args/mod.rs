//! The command line, and nothing but the command line: the doc comments are the help text.

mod agent;
pub(crate) mod aoi;
mod chat;
pub(crate) mod eval;
mod index;
mod listen;
pub(crate) mod met;
mod scaffold;
mod web;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub(crate) use self::{
    agent::Agent,
    chat::Chat,
    index::Index,
    listen::Listen,
    scaffold::{New, Remove},
    web::Web,
};
use self::{aoi::Aoi, eval::Eval, met::Met};

/// Serve MCP toolsets, and call tools of any MCP server.
#[derive(Debug, Parser)]
#[command(
    name = "periplus",
    version,
    max_term_width = 100,
    after_help = "Start with `periplus serve`; then, in a second terminal, `periplus list`.",
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Configuration file; ./periplus.toml is read if it exists and nothing is named [env: PERIPLUS_CONFIG]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Everywhere")]
    pub(crate) config: Option<PathBuf>,
    /// What is logged to stderr: error, warn, info, debug, trace, or a filter by module [env: PERIPLUS_LOG]
    #[arg(long, global = true, value_name = "FILTER", help_heading = "Everywhere")]
    pub(crate) log: Option<String>,
    /// Form of the log: text or json [env: PERIPLUS_LOG_FORMAT]
    #[arg(long, global = true, value_name = "FORMAT", help_heading = "Everywhere")]
    pub(crate) log_format: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve toolsets over MCP
    Serve(Serve),
    /// Serve the directory of toolsets that other processes serve
    Index(Index),
    /// Serve published forest statistics as the analytics service does
    Analytics(Analytics),
    /// List the tools of a server
    List(List),
    /// Call a tool
    Call(Call),
    /// Call tools one after the other, and pass values from one to the next
    Repl(Repl),
    /// Make a toolset to start from
    New(New),
    /// Remove a toolset from its workspace
    Remove(Remove),
    /// Talk to an agent that has the tools of a server
    Chat(Chat),
    /// Serve the agent over HTTP
    Web(Web),
    /// Build and check snapshots of the museum collection
    #[command(subcommand)]
    Met(Met),
    /// Search catalogues of areas, and make them
    #[command(subcommand)]
    Aoi(Aoi),
    /// Ask questions with known answers, and score what the tools say
    #[command(subcommand)]
    Eval(Eval),
    /// Check the configuration, the toolsets, the server and the agent
    Doctor(Doctor),
    /// Show the configuration
    #[command(subcommand)]
    Config(Config),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one page per command
    Man {
        /// Write the pages into this folder
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
    /// Be the client that the official MCP conformance suite judges
    #[command(hide = true)]
    ConformanceClient {
        /// The suite's server
        url: String,
    },
    /// Print a generated reference page as Markdown
    #[command(hide = true)]
    Reference {
        /// The page
        page: Page,
    },
}

/// Serve toolsets over MCP
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  periplus serve                 every toolset, each at /<name>/mcp
  periplus serve hello           one toolset, at /mcp
  periplus serve --stdio hello   one toolset, for a host that runs this command
  HOST=0.0.0.0 ALLOWED_HOSTS=tools.example.org periplus serve hello")]
pub(crate) struct Serve {
    /// Toolsets to serve; all of them if none is named [env: TOOLSETS, TOOLSET]
    #[arg(value_name = "TOOLSET")]
    pub(crate) toolsets: Vec<String>,
    /// Serve the program that started this one over standard input and output, as desktop hosts do
    #[arg(long, conflicts_with_all = ["host", "port", "public_url", "path_prefix", "allowed_hosts", "allowed_origins"])]
    pub(crate) stdio: bool,
    #[command(flatten)]
    pub(crate) listen: Listen,
}

/// Serve published forest statistics as the analytics service does
///
/// What is not held is answered with a failed analysis that names what is.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  periplus analytics
  periplus analytics --port 0 --delay 2
  ANALYTICS_API_BASE_URL=http://127.0.0.1:8010 periplus serve zeno-analysis")]
pub(crate) struct Analytics {
    /// IP address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) host: std::net::IpAddr,
    /// Port to listen on; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 8010)]
    pub(crate) port: u16,
    /// Seconds that a new analysis stays pending
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=3600))]
    pub(crate) delay: u64,
}

/// List the tools of a server
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  periplus list
  periplus list http://127.0.0.1:8000/hello/mcp
  periplus list --local --json")]
pub(crate) struct List {
    /// An index, a server's root, or one MCP URL [env: MCP_URL] [default: http://127.0.0.1:8000]
    #[arg(value_name = "URL")]
    pub(crate) address: Option<String>,
    /// The same, as a flag
    #[arg(long, value_name = "URL", conflicts_with = "address")]
    pub(crate) url: Option<String>,
    /// List the toolsets of this binary; no server is needed
    #[arg(long, conflicts_with_all = ["address", "url"])]
    pub(crate) local: bool,
    /// Print JSON, with the schemas
    #[arg(long)]
    pub(crate) json: bool,
    /// Credential header, sent to the toolsets that declare it; may be repeated
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<String>,
}

/// Call a tool
#[derive(Debug, Args)]
#[command(after_long_help = "\
A value is read as JSON if it is JSON, else as text.
A credential header that the toolset declares is also taken from the environment: x-demo-token from
X_DEMO_TOKEN.
What the tool asks is answered by --answer, of several with one name by one after the other; else at
the terminal, where Ctrl-D declines.

Examples:
  periplus call hello/hello name=Ada
  periplus call --local hello name=Ada
  periplus call credential-demo/whoami -H 'X-Demo-Token: my-token'
  periplus call met/collection_facets field=department pageSize=10 --json | jq .values
  echo '{\"name\": \"Ada\"}' | periplus call hello/hello --arg-file -")]
pub(crate) struct Call {
    /// The tool, alone if its name is unique, else as TOOLSET/TOOL
    #[arg(value_name = "[TOOLSET/]TOOL")]
    pub(crate) tool: String,
    /// Arguments of the tool
    #[arg(value_name = "NAME=VALUE")]
    pub(crate) arguments: Vec<String>,
    /// JSON object of arguments; `-` reads it from standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) arg_file: Option<PathBuf>,
    /// An index, a server's root, or one MCP URL [env: MCP_URL] [default: http://127.0.0.1:8000]
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Run the tool in this process; no server is needed
    #[arg(long, conflicts_with = "url")]
    pub(crate) local: bool,
    /// Answer to what the tool asks its user, by the name of a field; may be repeated
    #[arg(long = "answer", value_name = "NAME=VALUE")]
    pub(crate) answers: Vec<String>,
    /// Print the result as one line of JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write images, sound, embedded and linked resources, charts (SVG and CSV) and the tool's view into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "local")]
    pub(crate) save: Option<PathBuf>,
    /// Credential header, sent to the toolset if it declares it; may be repeated
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<String>,
}

/// Call tools one after the other, and pass values from one to the next
#[derive(Debug, Args)]
#[command(after_long_help = "\
What a call publishes is kept under a key; the next call takes it as name=@state:KEY. Type `help`.
On a terminal, Tab completes and the lines are remembered in $XDG_DATA_HOME/periplus/repl-history.
In a pipe, each line is read as it comes, and the command ends with 1 if one of them failed.

Examples:
  periplus repl
  periplus repl http://127.0.0.1:8000/met/mcp
  echo 'hello name=Ada' | periplus repl")]
pub(crate) struct Repl {
    /// An index, a server's root, or one MCP URL [env: MCP_URL] [default: http://127.0.0.1:8000]
    #[arg(value_name = "URL")]
    pub(crate) address: Option<String>,
    /// The same, as a flag
    #[arg(long, value_name = "URL", conflicts_with = "address")]
    pub(crate) url: Option<String>,
    /// Credential header, sent to the toolsets that declare it; may be repeated
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<String>,
}

/// Check the configuration, the toolsets, the server and the agent
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Server to look at [env: MCP_URL] [default: http://127.0.0.1:8000]
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show the configuration
#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Print every setting that has a value
    Show {
        /// Also print where each value comes from
        #[arg(long)]
        origin: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// A generated reference page.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum Page {
    Cli,
    Environment,
    Errors,
    ExitCodes,
    Limits,
    Routes,
    Tools,
}
