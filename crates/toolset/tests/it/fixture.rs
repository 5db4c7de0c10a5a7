//! A toolset with every kind of parameter and result.

use std::time::Duration;

use periplus_toolset::{Concurrency, prelude::*};
use serde::{Deserialize, Serialize};

/// How results are ordered.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Order {
    /// Best match first.
    BestFirst,
    /// Alphabetically by title.
    ByTitle,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Window {
    /// First year.
    start: i32,
    /// Last year, open if absent.
    end: Option<u16>,
}

/// A tree of conditions.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(crate) enum Condition {
    /// All of them.
    All { children: Vec<Self> },
    /// This text occurs.
    Contains { text: String },
}

/// What was asked for.
#[derive(Debug, ToolResult)]
#[tool(rename_all = "camelCase")]
pub(crate) struct Echo {
    /// Says that the arguments arrived.
    message: String,
    /// The arguments as the tool saw them.
    seen_arguments: JsonObject,
    /// A share between 0 and 1.
    share: Option<f64>,
    /// A note under another name.
    #[tool(name = "note")]
    remark: Option<String>,
}

/// Repeats its arguments.
///
/// Use it to see what arrives.
#[tool(
    title = "Echo arguments",
    read_only,
    destructive = false,
    idempotent,
    open_world = false,
    timeout = "1500ms",
    max_result_bytes = 4096,
    concurrency = "echo",
    rename_all = "camelCase"
)]
pub(crate) async fn echo(
    /// Words to look for.
    #[tool(min_length(1), max_length(20))]
    query: String,
    /// At most this many.
    #[tool(name = "limit", default = 8, range(1..=50))]
    max_count: u8,
    /// Least similarity.
    #[tool(range(0.0..=1.0))]
    min_score: Option<f64>,
    /// Order of the results.
    #[tool(default = Order::BestFirst)]
    order: Order,
    /// Whether to go deep.
    #[tool(default = false)]
    deep: bool,
    /// Labels that must all be there.
    #[tool(min_items(1), max_items(3))]
    tags: Option<Vec<String>>,
    /// Years.
    window: Option<Window>,
    /// Area to search in.
    #[tool(not_authored)]
    area: Option<JsonObject>,
    /// What must hold.
    condition: Option<Condition>,
) -> Result<Echo, ToolError> {
    if query == "nothing" {
        return Err(ToolError::new("not_found", "nothing has these words; try others"));
    }
    let serde_json::Value::Object(seen_arguments) = serde_json::json!({
        "query": query, "limit": max_count, "minScore": min_score, "order": order, "deep": deep,
        "tags": tags, "window": window, "area": area, "condition": condition,
    }) else {
        return Err(ToolError::internal("an object literal is an object"));
    };
    Ok(Echo {
        message: "Here they are.".to_owned(),
        seen_arguments,
        share: min_score,
        remark: None,
    })
}

/// A bare result.
#[derive(Debug, ToolResult)]
pub(crate) struct Done {
    /// What was done.
    message: String,
}

/// Fails in the way that is asked for.
#[tool]
pub(crate) async fn fail(
    cx: &Context,
    /// The way to fail.
    way: String,
) -> Result<Done, ToolError> {
    match way.as_str() {
        "internal" => Err(ToolError::internal(std::io::Error::other("the disk is on fire"))),
        "body" => Err(ToolError::is_error(
            serde_json::json!({ "code": "bad", "supportedAlternatives": [] }),
        )),
        "credential" => {
            cx.credential("x-demo-token")?;
            Ok(Done {
                message: "The token is there.".to_owned(),
            })
        }
        "argument" => Err(ToolError::invalid_argument("/way", "is no way to fail")),
        _ => Ok(Done {
            message: format!("There is no failure `{way}`."),
        }),
    }
}

pub(crate) fn toolset() -> Toolset {
    let echo_class = Concurrency {
        running: 4,
        waiting: 4,
        retry_after: Duration::from_secs(1),
    };
    Toolset::new("fixture")
        .tool(echo)
        .tool(fail)
        .concurrency("echo", echo_class)
        .credential_header("X-Demo-Token")
}
