use periplus_toolset::prelude::*;

/// A result.
#[derive(Debug, ToolResult)]
struct Done {
    /// What was done.
    message: String,
}

#[tool]
async fn search(query: String, #[tool(default = 8)] limit: u32) -> Done {
    Done { message: format!("{query} {limit}") }
}

fn main() {}
