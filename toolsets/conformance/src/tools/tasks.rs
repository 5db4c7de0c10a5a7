//! Long work: calls that become tasks, and one that never does.

use std::time::Duration;

use periplus_toolset::{Tool, prelude::*, schemars::JsonSchema};
use serde::Deserialize;
use tokio::time::sleep;

use super::rounds::{Name, user_name};

pub(crate) fn all() -> Vec<Tool> {
    vec![
        greet(),
        slow_compute(),
        failing_job(),
        protocol_error_job(),
        confirm_delete(),
        multi_input(),
        test_tool_with_task(),
    ]
}

/// Greets at once.
#[tool(read_only)]
async fn greet(
    /// Who to greet.
    name: String,
) -> Content {
    Content::text(format!("Hello, {name}!"))
}

/// Computes for some seconds.
#[tool(read_only, task, timeout = "10m")]
async fn slow_compute(
    /// How long.
    #[tool(range(0.0..=600.0))]
    seconds: f64,
    /// What to call the result.
    #[tool(default = "result")]
    label: String,
    cx: &Context,
) -> Content {
    cx.detach().await;
    sleep(Duration::from_secs_f64(seconds)).await;
    Content::text(format!("{label}: computed for {seconds} s"))
}

/// Fails after a second.
#[tool(read_only, task = "required")]
async fn failing_job(cx: &Context) -> Result<Content, ToolError> {
    cx.detach().await;
    sleep(Duration::from_secs(1)).await;
    Err(ToolError::is_error("The job failed.".into()))
}

/// Breaks down.
#[tool(read_only, task)]
async fn protocol_error_job(cx: &Context) -> Result<Content, ToolError> {
    cx.detach().await;
    Err(ToolError::internal("the job broke down on purpose"))
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Confirmation {
    /// Whether to go on.
    confirm: bool,
}

/// Deletes a file once its user confirms; nothing is deleted.
#[tool(task = "required", timeout = "10m")]
async fn confirm_delete(
    /// The file.
    filename: String,
    cx: &Context,
) -> Result<Content, ToolError> {
    cx.detach().await;
    let message = format!("Delete {filename}?");
    let answer = cx
        .ask(Question::<Confirmation>::form("confirm", &message))
        .await?;
    let done = if answer.confirm { "Deleted" } else { "Kept" };
    Ok(Content::text(format!("{done} {filename}.")))
}

/// Asks two questions at once while it works.
#[tool(read_only, task = "required", timeout = "10m")]
async fn multi_input(cx: &Context) -> Result<Content, ToolError> {
    cx.detach().await;
    let questions = (
        Question::<Name>::form("first", "What is the first name?"),
        Question::<Name>::form("second", "What is the second name?"),
    );
    let (first, second) = cx.ask(questions).await?;
    Ok(Content::text(format!("{} and {}", first.name, second.name)))
}

/// Asks before it becomes a task.
#[tool(read_only, task = "required")]
async fn test_tool_with_task(cx: &Context) -> Result<Content, ToolError> {
    let user = cx.ask(user_name()).await?;
    cx.detach().await;
    Ok(Content::text(format!("Worked for {}.", user.name)))
}
