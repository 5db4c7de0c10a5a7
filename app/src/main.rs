//! The `periplus` command: the toolsets it ships, handed to the command line.

mod met;
mod profiles;
#[cfg(test)]
mod published;
mod stac_explorer;
mod zeno_analysis;
mod zeno_aoi;

use std::process::ExitCode;

use periplus_cli::{Entry, Program};
use periplus_interpreter::worker;

#[global_allocator]
static ALLOCATOR: worker::CountingAllocator = worker::CountingAllocator;

fn main() -> ExitCode {
    // A worker knows no other command and must have opened nothing.
    if let Some(code) = worker::serve_if_asked() {
        return code;
    }
    let fixtures = vec![Entry {
        name: "conformance",
        summary: "The fixtures of the official MCP conformance suite",
        build: |_settings, _purpose| Ok(periplus_conformance::toolset()),
    }];
    let program = Program {
        toolsets: toolsets(),
        fixtures,
        areas: Some(zeno_aoi::AREAS),
        profiles: vec![profiles::ZENO],
    };
    program.run()
}

/// Every toolset that the binary ships.
fn toolsets() -> Vec<Entry> {
    vec![
        Entry {
            name: "hello",
            summary: "Greets; the smallest toolset there is",
            build: |_settings, _purpose| Ok(periplus_hello::toolset()),
        },
        Entry {
            name: "credential-demo",
            summary: "Shows how a tool reads a user's own credential header",
            build: |_settings, _purpose| Ok(periplus_credential_demo::toolset()),
        },
        Entry {
            name: "met",
            summary: "Evidence-first research over the Met's open-access catalogue",
            build: met::toolset,
        },
        Entry {
            name: "stac-explorer",
            summary: "Finds earth observation collections in a STAC catalogue and shows them on a map",
            build: stac_explorer::toolset,
        },
        Entry {
            name: "zeno-aoi",
            summary: "Resolves the places of a question to areas that can be analysed",
            build: zeno_aoi::toolset,
        },
        Entry {
            name: "zeno-analysis",
            summary: "Finds the dataset that answers a question about land or forests, pulls its statistics and charts what they say",
            build: zeno_analysis::toolset,
        },
        // `periplus new` adds toolsets above this line.
    ]
}
