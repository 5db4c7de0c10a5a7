//! What of a conversation reaches each wire.

use periplus_llm::{
    AssistantMessage, ChatRequest, Generation, Message, ModelSettings, ToolCall, ToolChoice, ToolDefinition,
    ToolResult, connect,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    fake::{Answer, Fake},
    wires::{KEY, Wire, anthropic, anthropic_delta, gemini, openai_delta},
};

fn tools() -> Vec<ToolDefinition> {
    let schema =
        json!({"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]});
    let mut tool = ToolDefinition::new("search", "Searches.", schema);
    tool.meta.insert(
        "io.developmentseed.toolsets/produces".to_owned(),
        json!([{"stateKey": "PRIVATE-META"}]),
    );
    vec![tool]
}

fn conversation() -> ChatRequest {
    let call = |id: &str| ToolCall::new(id, "search", json!({"query": id}).as_object().unwrap().clone());
    let (one, two) = (call("c1"), call("c2"));
    let messages = vec![
        Message::user("find maps"),
        Message::Assistant(AssistantMessage {
            text: "Looking.".into(),
            tool_calls: vec![one.clone(), two.clone()],
            continuation: None,
        }),
        Message::Tool(ToolResult::of(&one, "3 maps")),
        Message::Tool(ToolResult::failed(&two, "no such field")),
        Message::assistant(""),
        Message::user("thanks"),
    ];
    let mut request = ChatRequest::new(messages)
        .with_system("Be brief.")
        .with_tools(tools());
    request.generation = Generation {
        max_tokens: Some(77),
        temperature: Some(0.0),
    };
    request.tool_choice = ToolChoice::Required;
    request
}

async fn sent(wire: Wire, request: ChatRequest) -> Value {
    let fake = Fake::serve([Answer::events(wire.text(&["ok"]))]).await;
    wire.connect(&fake)
        .reply(request, CancellationToken::new())
        .await
        .unwrap();
    fake.only().body
}

#[tokio::test]
async fn openai_sees_the_whole_conversation() {
    let body = sent(Wire::OpenAi, conversation()).await;
    let roles: Vec<_> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["role"].as_str().unwrap())
        .collect();
    assert_eq!(
        roles,
        ["system", "user", "assistant", "tool", "tool", "user"],
        "an empty answer is left out: {body}"
    );
    assert_eq!(body["messages"][2]["tool_calls"][1]["id"], "c2");
    assert_eq!(
        body["messages"][4],
        json!({"role": "tool", "content": "no such field", "tool_call_id": "c2"})
    );
    assert_eq!(body["tools"][0]["function"]["parameters"], tools()[0].parameters);
    assert_eq!(
        (&body["max_tokens"], &body["temperature"], &body["tool_choice"]),
        (&json!(77), &json!(0.0), &json!("required"))
    );
    assert_eq!(body["stream_options"], json!({"include_usage": true}));
    assert!(!body.to_string().contains("PRIVATE-META"), "{body}");
}

#[tokio::test]
async fn anthropic_sees_results_of_one_answer_together() {
    let body = sent(Wire::Anthropic, conversation()).await;
    assert_eq!(body["system"], "Be brief.");
    let roles: Vec<_> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "assistant", "user", "user"], "{body}");
    assert_eq!(body["messages"][2]["content"][1]["tool_use_id"], "c2");
    assert_eq!(body["messages"][1]["content"][1]["input"], json!({"query": "c1"}));
    assert_eq!(
        (&body["max_tokens"], &body["tool_choice"]["type"]),
        (&json!(77), &json!("any"))
    );
    assert!(!body.to_string().contains("PRIVATE-META"), "{body}");
}

#[tokio::test]
async fn google_sees_results_under_their_tools_name() {
    let body = sent(Wire::Gemini, conversation()).await;
    assert_eq!(body["systemInstruction"]["parts"][0]["text"], "Be brief.");
    let response = &body["contents"][2]["parts"][1]["functionResponse"];
    assert_eq!(
        (&response["name"], &response["id"]),
        (&json!("search"), &json!("c2"))
    );
    assert_eq!(
        body["tools"][0]["functionDeclarations"][0]["parametersJsonSchema"],
        tools()[0].parameters
    );
    assert_eq!(body["generationConfig"]["maxOutputTokens"], 77);
    assert!(
        body["generationConfig"].get("thinkingConfig").is_none(),
        "older models reject it: {body}"
    );
    assert!(!body.to_string().contains("PRIVATE-META"), "{body}");
}

#[tokio::test]
async fn structured_output_is_asked_for_in_each_wires_own_way() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"],
        "additionalProperties": false});
    for (wire, pointer) in [
        (Wire::OpenAi, "/response_format/json_schema/schema"),
        (Wire::Anthropic, "/output_config/format/schema"),
        (Wire::Gemini, "/generationConfig/responseJsonSchema"),
    ] {
        let request = ChatRequest::new(vec![Message::user("n")]).with_format("n", schema.clone());
        let body = sent(wire, request).await;
        assert_eq!(body.pointer(pointer), Some(&schema), "{wire:?} {body}");
    }
}

#[tokio::test]
async fn signed_thinking_of_anthropic_goes_back_before_the_call_it_led_to() {
    let block = json!({"type": "thinking", "thinking": "", "signature": ""});
    let mut events = anthropic(json!({"type": "content_block_start", "index": 0, "content_block": block}));
    events.extend(anthropic_delta(
        json!({"type": "thinking_delta", "thinking": "Hm."}),
    ));
    events.extend(anthropic_delta(
        json!({"type": "signature_delta", "signature": "SIGNED"}),
    ));
    events.extend(anthropic(json!({"type": "content_block_stop", "index": 0})));
    events.extend(Wire::Anthropic.call("search", &["{}"]));
    let fake = Fake::serve([
        Answer::events(events),
        Answer::events(Wire::Anthropic.text(&["ok"])),
    ])
    .await;
    let model = Wire::Anthropic.connect(&fake);
    let reply = model
        .reply(
            ChatRequest::new(vec![Message::user("hi")]),
            CancellationToken::new(),
        )
        .await
        .unwrap();
    assert_eq!(reply.reasoning, "Hm.");
    replay(&*model, reply.message).await;
    let content = fake.seen()[1].body["messages"][1]["content"].clone();
    assert_eq!(
        content[0],
        json!({"type": "thinking", "thinking": "Hm.", "signature": "SIGNED"})
    );
    assert_eq!(content[1]["type"], "tool_use");
}

#[tokio::test]
async fn thought_signatures_of_google_go_back_on_their_call() {
    let parts = json!([{"functionCall": {"name": "search", "args": {}}, "thoughtSignature": "SIGNED"}]);
    let mut events = gemini(json!({"candidates": [{"content": {"parts": parts}}]}));
    events.extend(Wire::Gemini.end("stop"));
    let fake = Fake::serve([Answer::events(events), Answer::events(Wire::Gemini.text(&["ok"]))]).await;
    let model = Wire::Gemini.connect(&fake);
    let reply = model
        .reply(
            ChatRequest::new(vec![Message::user("hi")]),
            CancellationToken::new(),
        )
        .await
        .unwrap();
    replay(&*model, reply.message).await;
    let parts = fake.seen()[1].body["contents"][1]["parts"].clone();
    assert_eq!(parts.as_array().unwrap().len(), 1, "{parts}");
    assert_eq!(parts[0]["thoughtSignature"], "SIGNED");
}

#[tokio::test]
async fn plain_reasoning_of_a_compatible_server_goes_back_with_its_call() {
    let mut events = openai_delta(json!({"reasoning_content": "Hm."}));
    events.extend(Wire::OpenAi.call("search", &["{}"]));
    let fake = Fake::serve([Answer::events(events), Answer::events(Wire::OpenAi.text(&["ok"]))]).await;
    let settings = ModelSettings {
        api_key: Some(KEY.into()),
        base_url: Some(fake.url("v1")),
        ..Default::default()
    };
    let model = connect(&"openai-compatible:deepseek".parse().unwrap(), settings).unwrap();
    let reply = model
        .reply(
            ChatRequest::new(vec![Message::user("hi")]),
            CancellationToken::new(),
        )
        .await
        .unwrap();
    assert_eq!(reply.reasoning, "Hm.");
    replay(&*model, reply.message).await;
    assert_eq!(fake.seen()[1].body["messages"][1]["reasoning_content"], "Hm.");
}

#[tokio::test]
async fn what_one_provider_signed_is_not_shown_to_another() {
    let message = AssistantMessage {
        text: "Hello.".into(),
        continuation: Some(periplus_llm::Continuation {
            provider: "anthropic".into(),
            parts: vec![
                json!({"ThoughtSignature": "SIGNED"}),
                json!({"ReasoningContent": "Hm."}),
                json!("garbage"),
            ],
        }),
        ..Default::default()
    };
    for wire in Wire::ALL {
        let request = ChatRequest::new(vec![
            Message::user("hi"),
            Message::Assistant(message.clone()),
            Message::user("?"),
        ]);
        let body = sent(wire, request).await.to_string();
        assert_eq!(body.contains("SIGNED"), wire == Wire::Anthropic, "{body}");
        assert!(body.contains("Hello.") && !body.contains("garbage"), "{body}");
    }
}

/// Sends an answer back with the results of its calls.
async fn replay(model: &dyn periplus_llm::ChatModel, message: AssistantMessage) {
    let results: Vec<_> = message
        .tool_calls
        .iter()
        .map(|call| Message::Tool(ToolResult::of(call, "found")))
        .collect();
    let mut messages = vec![Message::user("hi"), Message::Assistant(message)];
    messages.extend(results);
    model
        .reply(ChatRequest::new(messages), CancellationToken::new())
        .await
        .unwrap();
}
