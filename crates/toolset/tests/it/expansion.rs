//! Code that the macros must take: awkward names, no imports, schemas written by hand.

use periplus_toolset::{Failure, Toolset, contract, json, testing::call};

mod awkward_names {
    //! Parameters and locals may be called what the generated code calls its own.

    use periplus_toolset::prelude::*;

    #[derive(Debug, ToolResult)]
    pub(super) struct Done {
        /// What was done.
        message: String,
        /// A keyword in Rust, a plain name on the wire.
        r#type: u32,
        /// A name that generated code uses too.
        object: u32,
    }

    /// Adds up.
    #[tool]
    pub(super) async fn work(
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
        Ok(Done {
            message: work.to_string(),
            r#type,
            object: work,
        })
    }
}

mod no_imports {
    //! Everything the macros need is named in full by what they expand to.

    #[derive(Debug, periplus_toolset::ToolResult)]
    pub(super) struct Done {
        /// What was done.
        message: String,
    }

    type Answer = Result<Done, periplus_toolset::ToolError>;

    /// Does it.
    #[periplus_toolset::tool(name = "do.it", read_only)]
    pub(super) async fn work(
        /// How often.
        #[tool(default = 1, range(1..))]
        times: u64,
        /// What to call it.
        #[tool(default = "it")]
        name: String,
    ) -> Answer {
        Ok(Done {
            message: format!("did {name} {times} times"),
        })
    }
}

mod written_schema {
    //! A parameter may bring a schema of its own, and then be any JSON.

    use periplus_toolset::{Value, prelude::*};

    #[derive(Debug, ToolResult)]
    pub(super) struct Done {
        /// What was done.
        message: String,
    }

    fn condition() -> JsonObject {
        let schema =
            json!({ "type": "object", "required": ["op"], "properties": { "op": { "type": "string" } } });
        schema.as_object().cloned().unwrap_or_default()
    }

    /// Filters.
    #[tool]
    pub(super) async fn filter(
        /// What to keep.
        #[tool(schema = condition())]
        keep: Value,
        /// What to drop.
        #[tool(schema = condition(), unchecked)]
        dropped: Option<Value>,
    ) -> Done {
        Done {
            message: json!([keep, dropped]).to_string(),
        }
    }
}

#[tokio::test]
async fn names_of_the_author_and_of_the_macro_do_not_meet() {
    let toolset = Toolset::new("demo").tool(awkward_names::work);
    contract::sweep(&toolset);
    let arguments = json!({ "arguments": 1, "handler": 2, "type": 3, "value": 4 });
    let output = call(&toolset, "work", arguments).await.unwrap();
    assert_eq!(output.text, r#"{"message":"11","type":3,"object":11}"#);
    let refused = call(&toolset, "work", json!({ "arguments": -1 })).await;
    assert!(matches!(refused, Err(Failure::Arguments(problems)) if problems.len() == 4));
}

#[tokio::test]
async fn nothing_needs_to_be_imported() {
    let toolset = Toolset::new("demo").tool(no_imports::work());
    contract::sweep(&toolset);
    let output = call(&toolset, "do.it", json!({ "times": 2 })).await.unwrap();
    assert_eq!(output.structured["message"], "did it 2 times");
}

#[tokio::test]
async fn a_written_schema_is_checked_unless_the_tool_does() {
    let toolset = Toolset::new("demo").tool(written_schema::filter);
    contract::sweep(&toolset);
    let arguments = json!({ "keep": "{\"op\":\"eq\"}", "dropped": { "op": 5 } });
    let output = call(&toolset, "filter", arguments).await.unwrap();
    assert_eq!(output.structured["message"], r#"[{"op":"eq"},{"op":5}]"#);
    assert!(
        call(&toolset, "filter", json!({ "keep": { "op": 5 } }))
            .await
            .is_err()
    );
}
