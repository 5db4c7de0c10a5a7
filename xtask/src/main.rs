//! `cargo xtask`: every check and generator of the project, each also alone.

#![expect(
    clippy::print_stdout,
    reason = "a task runner talks to the person who runs it"
)]

mod bans;
mod bench;
mod check;
mod clients;
mod conformance;
mod edges;
mod inspector;
mod install;
mod metadata;
mod model;
mod node;
mod postgres;
mod reference;
mod scaffold;
mod shell;
mod suite;
mod ui;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <task>

  test        everything below that checks, and all tests; what CI runs
  edges       dependencies between crates follow the table
  bans        no second TLS stack, only known licences
  check-gen   the generated reference is current
  gen         write the generated reference
  bench       figures beside peers: `bench server`, `bench met`, `bench agent`, `bench zeno`, and `bench load` (flags of the bench program may follow)
  clients     official MCP clients and the Inspector against the built binary (needs Python and Node)
  model       a real, very small language model answers in the terminal and over HTTP (fetches about 180 MB; needs Python and Node; not part of `test`)
  postgres    a private PostgreSQL with PostGIS while a command runs: `postgres -- cargo nextest run -p periplus-agent`
  conformance the official MCP conformance suite against our server and our client (needs npm)
  scaffold    `periplus new` and `periplus remove` in a workspace of their own
  ui          build the views into their toolsets (needs Node); with --check, check and test them (needs Chromium)";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.first().map(String::as_str) {
        Some("test") => return suite::run(),
        Some("edges") => edges::check(),
        Some("bans") => bans::check(),
        Some("check-gen") => reference::check(),
        Some("gen") => reference::write(),
        Some("bench") => bench::run(arguments.get(1..).unwrap_or_default()),
        Some("clients") => clients::run(),
        Some("model") => model::run(),
        Some("postgres") => postgres::run(arguments.get(1..).unwrap_or_default()),
        Some("conformance") => conformance::run(),
        Some("scaffold") => scaffold::check(),
        Some("ui") => ui::run(arguments.get(1..).unwrap_or_default()),
        _ => {
            println!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
