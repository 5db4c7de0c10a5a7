//! `example`: a tool to start from. Hosts show its result in the view `panel`.

use periplus_toolset::prelude::*;

/// A greeting.
#[derive(Debug, ToolResult)]
pub(crate) struct Greeting {
    /// The greeting itself.
    message: String,
    /// Who was greeted.
    name: String,
}

/// Greet someone by name.
#[tool(title = "Example", read_only, idempotent, closed_world)]
pub(crate) async fn example(
    /// Who to greet.
    #[tool(default = "world", max_length(200))]
    name: String,
) -> Greeting {
    Greeting {
        message: format!("Hello, {name}!"),
        name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_name_is_greeted() {
        assert_eq!(call_example("dev".to_owned()).await.message, "Hello, dev!");
    }
}
