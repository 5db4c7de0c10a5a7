// A parameter may bring a schema of its own, and then be any JSON.
use periplus_toolset::{prelude::*, testing};
use serde_json::{Value, json};

#[derive(ToolResult)]
pub struct Done {
    /// What was done.
    message: String,
}

fn condition() -> JsonObject {
    json!({ "type": "object", "required": ["op"], "properties": { "op": { "type": "string" } } })
        .as_object()
        .cloned()
        .unwrap_or_default()
}

/// Filters.
#[tool]
pub async fn filter(
    /// What to keep.
    #[tool(schema = condition())]
    keep: Value,
    /// What to drop.
    #[tool(schema = condition(), unchecked)]
    dropped: Option<Value>,
) -> Done {
    Done { message: json!([keep, dropped]).to_string() }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let toolset = Toolset::new("demo").tool(filter);
    periplus_toolset::contract::sweep(&toolset);
    let arguments = json!({ "keep": "{\"op\":\"eq\"}", "dropped": { "op": 5 } });
    let output = testing::call(&toolset, "filter", arguments).await.unwrap();
    assert_eq!(output.structured["message"], r#"[{"op":"eq"},{"op":5}]"#);
    assert!(testing::call(&toolset, "filter", json!({ "keep": { "op": 5 } })).await.is_err());
}
