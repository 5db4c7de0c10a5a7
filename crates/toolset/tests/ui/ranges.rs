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
    /// Open at its end.
    #[tool(range(1..5))]
    a: u32,
    /// Upside down.
    #[tool(range(5..=1))]
    b: u32,
    /// No range.
    #[tool(range(5))]
    c: u32,
    /// Assigned.
    #[tool(range = 1..=5)]
    d: u32,
) -> Done {
    Done { message: format!("{a} {b} {c} {d}") }
}

fn main() {}
