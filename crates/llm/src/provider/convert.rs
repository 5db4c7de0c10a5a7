//! Our request in the library's terms.

use genai::chat::{
    self as wire, ChatMessage, ChatOptions, ContentPart, JsonSpec, MessageContent, ReasoningEffort,
    ToolResponse,
};
use serde_json::{Value, json};

use super::{
    target::{Target, Wire},
    tool_names::ToolNames,
};
use crate::{AssistantMessage, ChatRequest, Message, ToolCall, ToolChoice, ToolDefinition, ToolResult};

pub(super) fn request(request: &ChatRequest, names: &ToolNames, target: &Target) -> wire::ChatRequest {
    let mut converted = wire::ChatRequest::new(messages(request, names, target));
    converted.system = request.system.clone().filter(|system| !system.is_empty());
    if !request.tools.is_empty() {
        converted = converted.with_tools(request.tools.iter().map(|definition| tool(definition, names)));
    }
    converted
}

pub(super) fn options(request: &ChatRequest, names: &ToolNames, target: &Target) -> ChatOptions {
    let mut options = ChatOptions::default()
        .with_capture_usage(true)
        .with_stream_header_timeout(target.timeouts.first_byte)
        .with_stream_read_timeout(target.timeouts.idle);
    options.temperature = request.generation.temperature;
    options.max_tokens = request.generation.max_tokens;
    // Only here does the option keep signed reasoning without also asking the provider for more of it.
    options.capture_reasoning_content = (target.wire == Wire::Anthropic).then_some(true);
    if target.wire == Wire::OpenAi {
        // A budget means nothing to this wire; setting one keeps the library from taking "-high" and its like off the
        // end of the model's name.
        options.reasoning_effort = Some(ReasoningEffort::Budget(0));
    }
    if let Some(format) = &request.format {
        options.response_format = Some(JsonSpec::new(&format.name, format.schema.clone()).into());
    }
    options.tool_choice = tool_choice(request, names);
    options
}

fn tool_choice(request: &ChatRequest, names: &ToolNames) -> Option<wire::ToolChoice> {
    if request.tools.is_empty() {
        return None;
    }
    match &request.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(wire::ToolChoice::None),
        ToolChoice::Required => Some(wire::ToolChoice::Required),
        ToolChoice::Tool(name) => Some(wire::ToolChoice::Tool {
            name: names.on_wire(name).to_owned(),
        }),
    }
}

fn tool(definition: &ToolDefinition, names: &ToolNames) -> wire::Tool {
    let tool = wire::Tool::new(names.on_wire(&definition.name)).with_schema(definition.parameters.clone());
    if definition.description.is_empty() {
        tool
    } else {
        tool.with_description(&definition.description)
    }
}

/// The conversation; results that follow each other become one message, because Anthropic and Google want all results
/// of one answer together.
fn messages(request: &ChatRequest, names: &ToolNames, target: &Target) -> Vec<ChatMessage> {
    let mut converted = Vec::with_capacity(request.messages.len());
    let mut results: Vec<ToolResponse> = Vec::new();
    for message in &request.messages {
        if let Message::Tool(result) = message {
            results.push(tool_response(result, names));
            continue;
        }
        flush(&mut results, &mut converted);
        match message {
            Message::User { text } => converted.push(ChatMessage::user(text)),
            Message::Assistant(message) => converted.extend(assistant(message, names, target)),
            Message::Tool(_) => {}
        }
    }
    flush(&mut results, &mut converted);
    converted
}

fn flush(results: &mut Vec<ToolResponse>, converted: &mut Vec<ChatMessage>) {
    if !results.is_empty() {
        converted.push(std::mem::take(results).into());
    }
}

fn tool_response(result: &ToolResult, names: &ToolNames) -> ToolResponse {
    ToolResponse::new(&result.call_id, &result.text).with_fn_name(names.on_wire(&result.tool))
}

/// An answer of the model, with the reasoning parts its provider wants back; nothing if there is nothing to send.
fn assistant(message: &AssistantMessage, names: &ToolNames, target: &Target) -> Option<ChatMessage> {
    let mut parts = continuation(message, target);
    if !message.text.is_empty() {
        parts.push(ContentPart::Text(message.text.clone()));
    }
    parts.extend(
        message
            .tool_calls
            .iter()
            .map(|call| ContentPart::ToolCall(tool_call(call, names))),
    );
    (!parts.is_empty()).then(|| ChatMessage::assistant(MessageContent::from_parts(parts)))
}

/// Parts of another provider, or of a version of the library that wrote them otherwise, are left out: the conversation
/// goes on without them.
fn continuation(message: &AssistantMessage, target: &Target) -> Vec<ContentPart> {
    message
        .continuation
        .iter()
        .filter(|continuation| continuation.provider == target.model.provider().as_str())
        .flat_map(|continuation| &continuation.parts)
        .filter_map(|part| serde_json::from_value(part.clone()).ok())
        .collect()
}

fn tool_call(call: &ToolCall, names: &ToolNames) -> wire::ToolCall {
    wire::ToolCall {
        call_id: call.id.clone(),
        fn_name: names.on_wire(&call.name).to_owned(),
        fn_arguments: replayed_arguments(&call.arguments),
        thought_signatures: (!call.signatures.is_empty()).then(|| call.signatures.clone()),
    }
}

/// Arguments that were no object go back inside one, because providers reject everything else.
fn replayed_arguments(arguments: &Value) -> Value {
    match arguments {
        Value::Object(_) => arguments.clone(),
        other => json!({ "malformed_arguments": other }),
    }
}
