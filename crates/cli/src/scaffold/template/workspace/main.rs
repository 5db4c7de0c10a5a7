//! The command of this workspace: its toolsets, handed to the command line of Periplus.
//!
//! Everything that `periplus` does, this binary does with these toolsets: `serve`, `list`, `call`, `repl`, `doctor`.

use std::process::ExitCode;

use periplus_cli::Entry;

fn main() -> ExitCode {
    let toolsets = vec![
        // `periplus new` adds toolsets above this line.
    ];
    periplus_cli::run(toolsets)
}
