//! The smallest toolset: one tool that greets. It is the pattern to copy and the load to measure the server with.

mod tools;

use periplus_toolset::Toolset;

/// The toolset `hello`.
#[must_use]
pub fn toolset() -> Toolset {
    Toolset::new("hello")
        .title("Hello")
        .version(env!("CARGO_PKG_VERSION"))
        .tool(tools::hello)
}
