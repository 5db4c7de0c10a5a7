//! `hello`: greets someone.

use periplus_toolset::prelude::*;

/// A greeting.
#[derive(Debug, ToolResult)]
pub(crate) struct Greeting {
    /// The greeting itself.
    message: String,
}

/// Say hello to someone by name.
#[tool(title = "Say hello", read_only, idempotent, closed_world)]
pub(crate) async fn hello(
    /// Who to greet.
    #[tool(default = "world", max_length(200))]
    name: String,
) -> Greeting {
    Greeting {
        message: format!("Hello, {name}!"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_name_is_greeted() {
        assert_eq!(call_hello("dev".to_owned()).await.message, "Hello, dev!");
    }
}
