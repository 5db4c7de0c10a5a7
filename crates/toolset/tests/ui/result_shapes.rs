use periplus_toolset::prelude::*;

#[derive(ToolResult)]
enum Either {
    Found,
    Missing,
}

#[derive(ToolResult)]
struct Pair(String, u32);

#[derive(ToolResult)]
struct Found<T> {
    /// What was found.
    message: String,
    /// The thing itself.
    thing: T,
}

fn main() {}
