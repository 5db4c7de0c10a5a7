//! The command line of the scaffolder.

use std::path::PathBuf;

use clap::Args;

/// Make a toolset to start from
#[derive(Debug, Args)]
#[command(after_long_help = "\
The toolset is a package below toolsets/, listed in Cargo.toml, app/Cargo.toml and app/src/main.rs.
All of it is written or nothing: the result is compiled and its tests are run before it is kept.

Examples:
  periplus new land-cover
  periplus new land-cover --with-ui
  periplus new land-cover --workspace ../acme-tools")]
pub(crate) struct New {
    /// Name of the toolset, such as land-cover
    pub(crate) name: String,
    /// Also make a view that hosts show beside the result; it needs no Node
    #[arg(long)]
    pub(crate) with_ui: bool,
    /// Make a workspace with a binary of its own in this new folder
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// Where the new workspace gets Periplus from: a clone or a git URL; the clone this binary was built from unless set
    #[arg(long, value_name = "PATH_OR_URL", requires = "workspace")]
    pub(crate) periplus: Option<String>,
    /// Do not compile and test the result
    #[arg(long)]
    pub(crate) no_check: bool,
}

/// Remove a toolset from its workspace
#[derive(Debug, Args)]
#[command(after_long_help = "\
The folder below toolsets/ and the lines that list the toolset go away, unless the rest does not
compile without them.

Examples:
  periplus remove land-cover --dry-run
  periplus remove land-cover")]
pub(crate) struct Remove {
    /// Name of the toolset
    pub(crate) name: String,
    /// Only say what would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Remove work that is not committed
    #[arg(long)]
    pub(crate) force: bool,
    /// Do not compile what is left
    #[arg(long)]
    pub(crate) no_check: bool,
}
