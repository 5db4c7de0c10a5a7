use periplus_toolset::prelude::*;

/// A result.
#[derive(Debug, ToolResult)]
struct Done {
    /// What was done.
    message: String,
}

/// Searches.
#[tool(name = "search the catalogue", title = 5, idempotent = "yes", timeout = "soon", rename_all = "PascalCase")]
async fn search() -> Done {
    Done { message: String::new() }
}

fn main() {}
