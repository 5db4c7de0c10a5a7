//! `prompts/get` and `completion/complete`.

use std::{
    panic::AssertUnwindSafe,
    time::{Duration, Instant},
};

use futures::FutureExt as _;
use http::HeaderMap;
use periplus_toolset::{Prompt, PromptArguments, PromptMessage, Speaker, ToolError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    content,
    endpoint::Endpoint,
    protocol::{Era, Params, RpcError},
    round::Round,
    stream::Outcome,
};

/// Longest time to write the messages of a prompt.
const PATIENCE: Duration = Duration::from_secs(30);
/// Most suggestions that the protocol lets a completion carry.
const MAX_SUGGESTIONS: usize = 100;

/// Writes a prompt.
pub(super) async fn get(
    endpoint: &Endpoint,
    era: Era,
    params: &Params<'_>,
    headers: &HeaderMap,
    request_id: &str,
) -> Outcome {
    let name = params
        .name()
        .ok_or_else(|| RpcError::invalid_params("`name` must be a string"))?;
    let prompt = find(endpoint, &name)?;
    let arguments: PromptArguments = params.prompt_arguments()?;
    let mut round = Round::of(endpoint, era, params, &name, headers)?;
    let cancellation = endpoint.shared.stop.child_token();
    let _cancel_when_dropped = cancellation.clone().drop_guard();
    let cx = endpoint
        .toolset
        .context()
        .headers(headers)
        .request_id(request_id)
        .deadline(Instant::now() + PATIENCE)
        .cancellation(cancellation);
    let cx = round.inform(cx).build();
    let work = AssertUnwindSafe(prompt.messages(arguments, &cx)).catch_unwind();
    let written = match tokio::time::timeout(PATIENCE, work).await {
        Ok(Ok(written)) => written,
        Ok(Err(_panic)) => Err(ToolError::internal("the prompt panicked")),
        Err(_elapsed) => Err(ToolError::internal("the prompt was not written in time")),
    };
    match written {
        Ok(messages) => Ok(endpoint.published.result(era, messages_of(prompt, &messages))),
        Err(ToolError::InputRequired(asked)) if era == Era::Modern => round.ask(endpoint, asked),
        Err(error) => Err(refusal(endpoint, era, request_id, error)),
    }
}

/// Completes an argument of a prompt; of anything else there is nothing to suggest.
pub(super) fn complete(endpoint: &Endpoint, era: Era, params: &Params<'_>) -> Outcome {
    #[derive(Deserialize)]
    struct Reference {
        r#type: String,
        name: Option<String>,
    }
    #[derive(Deserialize)]
    struct Argument {
        name: String,
        value: String,
    }
    let reference: Reference = params.reference()?;
    let argument: Argument = params.argument()?;
    let mut values = match (reference.r#type.as_str(), reference.name) {
        ("ref/prompt", Some(name)) => {
            let suggestions = find(endpoint, &name)?.suggestions(&argument.name, &argument.value);
            suggestions.ok_or_else(|| RpcError::invalid_params("the prompt has no such argument"))?
        }
        ("ref/resource", _) => Vec::new(),
        _ => return Err(RpcError::invalid_params("`ref` must name a prompt or a resource")),
    };
    let total = values.len();
    values.truncate(MAX_SUGGESTIONS);
    let completion = json!({ "values": values, "total": total, "hasMore": total > MAX_SUGGESTIONS });
    Ok(endpoint
        .published
        .result(era, json!({ "completion": completion })))
}

fn find<'a>(endpoint: &'a Endpoint, name: &str) -> Result<&'a Prompt, RpcError> {
    let prompts = endpoint.toolset.prompts();
    prompts
        .iter()
        .find(|prompt| prompt.name == name)
        .ok_or_else(|| RpcError::unknown_prompt(name))
}

fn messages_of(prompt: &Prompt, messages: &[PromptMessage]) -> Value {
    let messages: Vec<Value> = messages
        .iter()
        .map(|message| {
            let role = match message.speaker {
                Speaker::User => "user",
                Speaker::Assistant => "assistant",
            };
            json!({ "role": role, "content": content::block(&message.content) })
        })
        .collect();
    json!({ "description": prompt.description, "messages": messages })
}

fn refusal(endpoint: &Endpoint, era: Era, request_id: &str, error: ToolError) -> RpcError {
    match error {
        ToolError::MissingCapability(capability) if era == Era::Modern => {
            RpcError::missing_capability(capability)
        }
        ToolError::Internal(cause) => {
            tracing::error!(toolset = endpoint.name(), incident = request_id, %cause, "a prompt failed unexpectedly");
            RpcError::internal(format!(
                "internal error; the server's log has the cause under incident {request_id}"
            ))
        }
        error => RpcError::invalid_params(error.to_string()),
    }
}
