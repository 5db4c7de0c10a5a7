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
    #[tool(default = true)]
    limit: u32,
) -> Done {
    Done { message: format!("{limit}") }
}

fn main() {}
