use periplus_toolset::prelude::*;

/// A result.
#[derive(Debug, ToolResult)]
struct Done {
    /// What was done.
    message: String,
}

/// Searches.
#[tool]
async fn search(cx: Context) -> Done {
    Done { message: cx.request_id().to_owned() }
}

fn main() {}
