use periplus_toolset::prelude::*;

/// A result.
#[derive(Debug, ToolResult)]
struct Done {
    /// What was done.
    message: String,
}

/// Searches.
#[tool]
async fn search() {}

fn main() {}
