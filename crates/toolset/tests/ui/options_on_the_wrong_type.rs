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
    /// Words.
    #[tool(range(1..=5))]
    query: String,
    /// How many.
    #[tool(max_length(5))]
    count: u32,
    /// Whether.
    #[tool(max_items(5))]
    deep: bool,
) -> Done {
    Done { message: format!("{query} {count} {deep}") }
}

fn main() {}
