use periplus_toolset::prelude::*;

/// A result.
#[derive(Debug, ToolResult)]
struct Done {
    /// What was done.
    message: String,
}

///
#[tool]
async fn search(
    ///
    query: String,
) -> Done {
    Done { message: query }
}

fn main() {}
