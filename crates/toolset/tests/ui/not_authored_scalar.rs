use periplus_toolset::prelude::*;

/// A result.
#[derive(Debug, ToolResult)]
struct Done {
    /// What was done.
    message: String,
}

/// Searches.
#[tool]
async fn search(
    /// How many.
    #[tool(not_authored)]
    count: u32,
    /// Words.
    #[tool(not_authored)]
    query: Option<String>,
) -> Done {
    Done { message: format!("{count} {query:?}") }
}

fn main() {}
