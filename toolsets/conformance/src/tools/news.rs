//! Tools that announce a change to whoever listens.

use periplus_toolset::{Change, Changes, Tool, prelude::*};

pub(crate) fn all() -> Vec<Tool> {
    vec![test_trigger_tool_change(), test_trigger_prompt_change()]
}

/// Announces that the list of tools changed.
#[tool]
async fn test_trigger_tool_change(cx: &Context) -> Result<Content, ToolError> {
    announce(cx, Change::Tools)
}

/// Announces that the list of prompts changed.
#[tool]
async fn test_trigger_prompt_change(cx: &Context) -> Result<Content, ToolError> {
    announce(cx, Change::Prompts)
}

fn announce(cx: &Context, change: Change) -> Result<Content, ToolError> {
    let changes = cx
        .state::<Changes>()
        .ok_or_else(|| ToolError::internal("the toolset was built without its changes"))?;
    changes.announce(change);
    Ok(Content::text("Announced."))
}
