//! The toolset `__NAME__`.

mod tools;

use periplus_toolset::Toolset;

/// The toolset `__NAME__`.
#[must_use]
pub fn toolset() -> Toolset {
    Toolset::new("__NAME__")
        .title("__TITLE__")
        .version(env!("CARGO_PKG_VERSION"))
        .tool(tools::example)
}
