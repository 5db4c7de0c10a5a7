// Parameters and locals may be called what the generated code calls its own.
use periplus_toolset::{Failure, prelude::*, testing};

#[derive(ToolResult)]
pub struct Done {
    /// What was done.
    message: String,
    /// A keyword in Rust, a plain name on the wire.
    r#type: u32,
    /// A name that generated code uses too.
    object: u32,
}

/// Adds up.
#[tool]
pub async fn work(
    /// One.
    arguments: u32,
    /// Two.
    handler: u32,
    /// A keyword in Rust, a plain name on the wire.
    r#type: u32,
    cx: &Context,
    /// Four.
    mut value: u32,
) -> Result<Done, ToolError> {
    let _ = cx;
    value += 1;
    let work = arguments + handler + r#type + value;
    Ok(Done { message: work.to_string(), r#type, object: work })
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let toolset = Toolset::new("demo").tool(work);
    periplus_toolset::contract::sweep(&toolset);
    let arguments = serde_json::json!({ "arguments": 1, "handler": 2, "type": 3, "value": 4 });
    let output = testing::call(&toolset, "work", arguments).await.unwrap();
    assert_eq!(output.text, r#"{"message":"11","type":3,"object":11}"#);
    let refused = testing::call(&toolset, "work", serde_json::json!({ "arguments": -1 })).await;
    assert!(matches!(refused, Err(Failure::Arguments(problems)) if problems.len() == 4));
}
