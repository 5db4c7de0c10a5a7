use periplus_toolset::prelude::*;

/// Everything wrong with fields, reported together.
#[derive(ToolResult)]
struct Found {
    /// Not a text.
    message: Option<String>,
    collections: Vec<String>,
    /// Means a failed call.
    error: Option<String>,
    /// Renamed for serde only.
    #[serde(rename = "theCount")]
    count: u32,
    /// Cannot live that long.
    borrowed: &'static str,
    /// An option that results do not have.
    #[tool(default = 5)]
    limit: u32,
}

fn main() {}
