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
    /// Two numbers.
    [from, to]: [u32; 2],
) -> Done {
    Done { message: format!("{from} {to}") }
}

fn main() {}
