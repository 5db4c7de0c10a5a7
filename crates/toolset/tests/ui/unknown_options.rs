use periplus_toolset::prelude::*;

/// A result.
#[derive(Debug, ToolResult)]
struct Done {
    /// What was done.
    message: String,
}

/// Searches.
#[tool(readonly, cost = 5)]
async fn search(
    /// Words.
    #[tool(maximum = 5)]
    query: String,
) -> Done {
    Done { message: query }
}

fn main() {}
