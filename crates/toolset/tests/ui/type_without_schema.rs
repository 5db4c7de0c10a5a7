use periplus_toolset::prelude::*;

/// A result.
#[derive(Debug, ToolResult)]
struct Done {
    /// What was done.
    message: String,
}

#[derive(serde::Deserialize)]
struct Area {
    name: String,
}

/// Searches.
#[tool]
async fn search(
    /// Where.
    area: Area,
) -> Done {
    Done { message: area.name }
}

fn main() {}
