// One build names every mistake of an item, each where it was made.
use periplus_toolset::prelude::*;

#[derive(ToolResult)]
struct Found {
    collections: Vec<String>,
}

#[tool(readonly, timeout = "soon")]
fn search(
    query: &str,
    /// At most this many.
    #[tool(default = 8, range(50..=1))]
    limit: Option<u32>,
    /// Where.
    #[tool(not_authored, max_items(5))]
    place: String,
    cx: Context,
) -> Option<Found> {
    None
}

fn main() {
    // The tool is still there, so that nothing else is reported.
    let _ = Toolset::new("catalogue").tool(search);
}
