use periplus_toolset::prelude::*;

struct Opaque;

#[derive(ToolResult)]
struct Found {
    /// What was found.
    message: String,
    /// The thing itself.
    thing: Option<Opaque>,
}

fn main() {}
