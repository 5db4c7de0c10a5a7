//! A tool that acts for the user who calls it: the credential rides on the request, never in the arguments.

mod tools;

use periplus_toolset::Toolset;

/// The header that carries the user's token.
pub const TOKEN_HEADER: &str = "x-demo-token";

/// The toolset `credential-demo`.
#[must_use]
pub fn toolset() -> Toolset {
    Toolset::new("credential-demo")
        .title("Credential demo")
        .version(env!("CARGO_PKG_VERSION"))
        .tool(tools::whoami)
        .credential_header(TOKEN_HEADER)
}
