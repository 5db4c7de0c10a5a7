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
    query: &str,
    /// Place.
    point: (f64, f64),
    /// Filter.
    filter: impl Fn(u32) -> bool,
    /// Identifier.
    id: u128,
    /// Anything.
    extra: serde_json::Value,
    /// Several.
    list: &[u32],
) -> Done {
    Done { message: String::new() }
}

fn main() {}
