use periplus_toolset::prelude::*;

/// A result.
#[derive(Debug, ToolResult)]
struct Done {
    /// What was done.
    message: String,
}

/// Searches.
#[tool]
async fn search(cx: &Context, other: &Context) -> Done {
    Done { message: format!("{} {}", cx.request_id(), other.request_id()) }
}

fn main() {}
