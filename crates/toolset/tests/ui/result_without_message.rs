use periplus_toolset::prelude::*;

/// No sentence to quote.
#[derive(ToolResult)]
struct Found {
    /// Matches.
    collections: Vec<String>,
}

fn main() {}
