use periplus_toolset::prelude::*;

/// A result.
#[derive(Debug, ToolResult)]
struct Done {
    /// What was done.
    message: String,
}

/// Searches.
#[tool(read_only, destructive, open_world = true, closed_world, title = "One", title = "Two")]
async fn search() -> Done {
    Done { message: String::new() }
}

fn main() {}
