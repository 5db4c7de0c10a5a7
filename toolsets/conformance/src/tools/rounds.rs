//! Questions that end a call and are answered by its repetition.

use periplus_toolset::{Capability, Root, Tool, prelude::*, schemars::JsonSchema};
use serde::Deserialize;

pub(crate) fn all() -> Vec<Tool> {
    vec![
        test_missing_capability(),
        test_streaming_elicitation(),
        test_input_required_result_elicitation(),
        test_input_required_result_sampling(),
        test_input_required_result_list_roots(),
        test_input_required_result_request_state(),
        test_input_required_result_multiple_inputs(),
        test_input_required_result_multi_round(),
        test_input_required_result_tampered_state(),
        test_input_required_result_capabilities(),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Name {
    /// Your name.
    pub(crate) name: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Color {
    /// Your favorite color.
    color: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Confirmation {
    /// Whether it is all right.
    ok: bool,
}

pub(crate) fn user_name() -> Question<Name> {
    Question::form("user_name", "What is your name?")
}

/// Needs a client whose model can be asked.
#[tool(read_only)]
async fn test_missing_capability(cx: &Context) -> Result<Content, ToolError> {
    cx.require(Capability::Sampling)?;
    Ok(Content::text("The client can sample."))
}

/// Asks its user, and never on the stream of the call.
#[tool(read_only)]
async fn test_streaming_elicitation(cx: &Context) -> Result<Content, ToolError> {
    greet(cx).await
}

/// Asks the user for a name.
#[tool(read_only)]
async fn test_input_required_result_elicitation(cx: &Context) -> Result<Content, ToolError> {
    greet(cx).await
}

async fn greet(cx: &Context) -> Result<Content, ToolError> {
    let user = cx.ask(user_name()).await?;
    Ok(Content::text(format!("Hello, {}!", user.name)))
}

/// Asks the client's model for a capital.
#[tool(read_only)]
async fn test_input_required_result_sampling(cx: &Context) -> Result<Content, ToolError> {
    let question = Question::model("capital_question", "What is the capital of France?", 100);
    Ok(Content::text(cx.ask(question).await?))
}

/// Asks which folders the client works in.
#[tool(read_only)]
async fn test_input_required_result_list_roots(cx: &Context) -> Result<Content, ToolError> {
    let roots = cx.ask(Question::roots("client_roots")).await?;
    Ok(Content::text(format!("Roots: {}", uris(&roots))))
}

fn uris(roots: &[Root]) -> String {
    let uris: Vec<&str> = roots.iter().map(|root| root.uri.as_str()).collect();
    uris.join(", ")
}

/// Asks for a confirmation that comes back with a state.
#[tool(read_only)]
async fn test_input_required_result_request_state(cx: &Context) -> Result<Content, ToolError> {
    confirm(cx).await
}

/// Asks for a confirmation whose state must not be changed.
#[tool(read_only)]
async fn test_input_required_result_tampered_state(cx: &Context) -> Result<Content, ToolError> {
    confirm(cx).await
}

async fn confirm(cx: &Context) -> Result<Content, ToolError> {
    let question = Question::<Confirmation>::form("confirm", "Please confirm");
    let confirmation = cx.ask(question).await?;
    Ok(Content::text(format!("state-ok, confirmed: {}", confirmation.ok)))
}

/// Asks three questions at once.
#[tool(read_only)]
async fn test_input_required_result_multiple_inputs(cx: &Context) -> Result<Content, ToolError> {
    let questions = (
        user_name(),
        Question::model("greeting", "Generate a greeting", 100),
        Question::roots("client_roots"),
    );
    let (user, greeting, roots) = cx.ask(questions).await?;
    Ok(Content::text(format!(
        "{greeting} {}, at {}",
        user.name,
        uris(&roots)
    )))
}

/// Asks one question after the other.
#[tool(read_only)]
async fn test_input_required_result_multi_round(cx: &Context) -> Result<Content, ToolError> {
    let user = cx
        .ask(Question::<Name>::form("step1", "Step 1: What is your name?"))
        .await?;
    let taste = cx
        .ask(Question::<Color>::form(
            "step2",
            "Step 2: What is your favorite color?",
        ))
        .await?;
    Ok(Content::text(format!("{} likes {}.", user.name, taste.color)))
}

/// Asks only what the client can answer.
#[tool(read_only)]
async fn test_input_required_result_capabilities(cx: &Context) -> Result<Content, ToolError> {
    let client = cx.client();
    let mut asked = Vec::new();
    if client.elicitation {
        asked.push(cx.ask(user_name()).await?.name);
    }
    if client.sampling {
        asked.push(
            cx.ask(Question::model("greeting", "Generate a greeting", 100))
                .await?,
        );
    }
    if client.roots {
        asked.push(uris(&cx.ask(Question::roots("client_roots")).await?));
    }
    Ok(Content::text(asked.join("; ")))
}
