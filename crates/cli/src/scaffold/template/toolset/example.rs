//! `example`: a tool to start from.

use periplus_toolset::prelude::*;

/// What was said.
#[derive(Debug, ToolResult)]
pub(crate) struct Said {
    /// The query, repeated.
    message: String,
}

/// Repeat a query.
#[tool(title = "Example", read_only, idempotent, closed_world)]
pub(crate) async fn example(
    /// What to repeat.
    #[tool(max_length(200))]
    query: String,
) -> Said {
    Said {
        message: format!("you said: {query}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_query_is_repeated() {
        assert_eq!(call_example("hello".to_owned()).await.message, "you said: hello");
    }
}
