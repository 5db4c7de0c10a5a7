//! The command line of Periplus, as a library that is handed its toolsets.
//!
//! ```no_run
//! use periplus_cli::{Entry, Toolset};
//!
//! fn main() -> std::process::ExitCode {
//!     periplus_cli::run(vec![Entry {
//!         name: "words",
//!         summary: "Counts words",
//!         build: |_settings, _purpose| Ok(Toolset::new("words")),
//!     }])
//! }
//! ```

mod agent;
pub mod areas;
mod args;
mod arguments;
mod attachments;
mod chat;
mod commands;
pub mod config;
mod exit;
mod logging;
pub mod met;
mod printer;
mod profile;
mod progress;
mod question;
mod repl;
mod scaffold;
mod script;
mod wrap;
pub mod zeno;

use std::process::ExitCode;

use clap::Parser;
pub use periplus_toolset::{Secret, Toolset};

use crate::{
    args::{Agent, Cli, Command, Global, Listen, eval::Eval},
    commands::App,
    config::{Environment, Key, Settings, keys},
};
pub use crate::{
    exit::{CliError, Exit, Outcome},
    profile::Profile,
};

/// A toolset that the binary ships; it is built only by the commands that need it.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Kebab-case name, that of the toolset it builds.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub summary: &'static str,
    /// Builds the toolset from the settings in force.
    pub build: fn(&Settings, Purpose) -> anyhow::Result<Toolset>,
}

/// What a toolset is built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To answer calls.
    Calls,
    /// To be listed: nothing has to be loaded, no key is needed.
    Listing,
}

/// Runs the command line of the process to its end.
#[must_use]
pub fn run(entries: Vec<Entry>) -> ExitCode {
    run_with_fixtures(entries, Vec::new())
}

/// As [`run`], with toolsets that are served when they are named, and neither listed nor served otherwise.
#[must_use]
pub fn run_with_fixtures(entries: Vec<Entry>, fixtures: Vec<Entry>) -> ExitCode {
    let program = Program {
        toolsets: entries,
        fixtures,
        ..Program::default()
    };
    program.run()
}

/// Everything a binary lends the command line.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The toolsets it ships.
    pub toolsets: Vec<Entry>,
    /// Toolsets that are served when they are named, and neither listed nor served otherwise.
    pub fixtures: Vec<Entry>,
    /// The work behind `aoi`.
    pub areas: Option<areas::Areas>,
    /// What its agent can be for.
    pub profiles: Vec<Profile>,
}

impl Program {
    /// Runs the command line of the process to its end.
    #[must_use]
    pub fn run(self) -> ExitCode {
        // A second installation is refused, which happens when the embedding program has chosen already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let cli = match Cli::try_parse() {
            Ok(cli) => cli,
            Err(error) => return finish_parsing(&error),
        };
        match dispatch(cli, self, Environment::of_process()) {
            Ok(exit) => exit.into(),
            Err(error) => {
                printer::error(&error);
                error.exit.into()
            }
        }
    }
}

/// Help and version are answers, everything else the parser says is a usage error.
fn finish_parsing(error: &clap::Error) -> ExitCode {
    // Nobody reading the help is no failure.
    let _ = error.print();
    if error.use_stderr() {
        Exit::Usage.into()
    } else {
        Exit::Success.into()
    }
}

fn dispatch(cli: Cli, program: Program, environment: Environment) -> Outcome {
    let flags = flags(&cli.global, &cli.command);
    let settings = Settings::load(environment, cli.global.config.as_deref(), &flags)?;
    let log_level = match cli.command {
        Command::Serve(_) | Command::Index(_) | Command::Web(_) => "info",
        // The report counts what tools refuse, a conversation tells it.
        Command::Chat(_) | Command::Eval(_) => "error",
        _ => "warn",
    };
    logging::start(&settings, log_level)?;
    if matches!(
        cli.command,
        Command::Serve(_) | Command::Index(_) | Command::Web(_) | Command::Doctor(_)
    ) {
        settings
            .warnings()
            .iter()
            .for_each(|warning| printer::warning(warning));
    }
    let app = App {
        entries: program.toolsets,
        fixtures: program.fixtures,
        areas: program.areas,
        profiles: program.profiles,
        settings,
    };
    match cli.command {
        Command::Serve(args) if args.stdio => commands::stdio::run(&app),
        Command::Serve(_) => commands::serve::run(&app),
        Command::Index(_) => commands::index::run(&app),
        Command::Analytics(args) => commands::analytics::run(&args),
        Command::List(args) => commands::list::run(&app, &args),
        Command::Call(args) => commands::call::run(&app, &args),
        Command::Repl(args) => commands::repl::run(&app, &args.headers),
        Command::New(args) => commands::new::run(&args),
        Command::Remove(args) => commands::remove::run(&args),
        Command::Chat(args) => commands::chat::run(&app, &args),
        Command::Web(_) => commands::web::run(&app),
        Command::Met(args) => commands::met::run(args),
        Command::Aoi(args) => commands::aoi::run(&app, args),
        Command::Eval(args) => commands::eval::run(&app, &args),
        Command::Doctor(args) => commands::doctor::run(&app, args.json),
        Command::Config(args) => commands::config::run(&app, &args),
        Command::Completions { shell } => commands::completions::run(shell),
        Command::Man { dir } => commands::man::run(dir.as_deref()),
        Command::ConformanceClient { url } => commands::conformance_client::run(&app, &url),
        Command::Reference { page } => commands::reference::run(&app, page),
    }
}

/// What the command line says, by setting.
fn flags(global: &Global, command: &Command) -> Vec<(&'static Key, Option<String>)> {
    let mut flags = vec![
        (&keys::LOG, global.log.clone()),
        (&keys::LOG_FORMAT, global.log_format.clone()),
    ];
    match command {
        Command::Serve(args) => {
            flags.push((&keys::TOOLSETS, joined(&args.toolsets)));
            flags.extend(listening(&args.listen));
        }
        Command::Index(args) => {
            flags.push((&keys::TOOLSETS_STATIC, joined(&args.toolsets)));
            flags.extend(listening(&args.listen));
        }
        Command::List(args) => flags.push((&keys::MCP_URL, args.address.clone().or(args.url.clone()))),
        Command::Call(args) => flags.push((&keys::MCP_URL, args.url.clone())),
        Command::Repl(args) => flags.push((&keys::MCP_URL, args.address.clone().or(args.url.clone()))),
        Command::Chat(args) => flags.extend(speaking(&args.agent)),
        Command::Web(args) => {
            flags.extend(speaking(&args.agent));
            flags.push((&keys::AGENT_CORS_ORIGINS, joined(&args.origins)));
            flags.push((&keys::AGENT_OWNER_HEADER, args.owner_header.clone()));
            flags.extend(listening(&args.listen));
        }
        Command::Doctor(args) => flags.push((&keys::MCP_URL, args.url.clone())),
        Command::Eval(Eval::Zeno(args)) => flags.push((&keys::ZENO_MODEL, args.model.clone())),
        Command::Analytics(_)
        | Command::Aoi(_)
        | Command::New(_)
        | Command::Remove(_)
        | Command::Met(_)
        | Command::Config(_)
        | Command::Completions { .. }
        | Command::Man { .. }
        | Command::ConformanceClient { .. }
        | Command::Reference { .. } => {}
    }
    flags
}

fn speaking(agent: &Agent) -> [(&'static Key, Option<String>); 4] {
    [
        (&keys::MCP_URL, agent.address.clone()),
        (&keys::PROVIDER_MODEL, agent.model.clone()),
        (&keys::AGENT_PROFILE, agent.profile.clone()),
        (&keys::AGENT_CHECKPOINT, agent.checkpoint.clone()),
    ]
}

fn listening(listen: &Listen) -> [(&'static Key, Option<String>); 7] {
    [
        (&keys::HOST, listen.host.clone()),
        (&keys::PORT, listen.port.clone()),
        (&keys::PUBLIC_URL, listen.public_url.clone()),
        (&keys::MCP_PATH_PREFIX, listen.path_prefix.clone()),
        (&keys::ALLOWED_HOSTS, joined(&listen.allowed_hosts)),
        (&keys::ALLOWED_ORIGINS, joined(&listen.allowed_origins)),
        (&keys::DRAIN_SECONDS, listen.drain_seconds.clone()),
    ]
}

fn joined(values: &[String]) -> Option<String> {
    (!values.is_empty()).then(|| values.join(","))
}
