//! Habits of the library behind the remote models that a caller would trip over, one test each.

use std::sync::Arc;

use periplus_llm::{ChatModel, ChatRequest, Message, ModelSettings, StopReason, ToolDefinition, connect};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{
    fake::{Answer, Fake},
    streaming::run,
    wires::{KEY, Wire, data, gemini, openai_delta},
};

fn model(name: &str, fake: &Fake) -> Arc<dyn ChatModel> {
    let settings = ModelSettings {
        api_key: Some(KEY.into()),
        base_url: Some(fake.url("v1")),
        ..ModelSettings::default()
    };
    connect(&name.parse().unwrap(), settings).unwrap()
}

/// The library's own Ollama adapter drops a JSON schema and sends no key.
#[tokio::test]
async fn ollama_gets_the_json_schema_and_the_key() {
    let fake = Fake::serve([Answer::events(Wire::OpenAi.text(&["{\"n\": 3}"]))]).await;
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let request = ChatRequest::new(vec![Message::user("a number")]).with_format("number", schema);
    let reply = model("ollama:qwen3:8b", &fake)
        .reply(request, CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(reply.json::<serde_json::Value>().unwrap(), json!({"n": 3}));
    let seen = fake.only();
    assert_eq!(seen.target, "/v1/chat/completions");
    assert_eq!(seen.headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(seen.body["model"], "qwen3:8b");
    let sent = &seen.body["response_format"]["json_schema"]["schema"];
    assert_eq!(sent["properties"]["n"]["type"], "integer");
}

/// A call without arguments arrives as the empty string, or as nothing.
#[tokio::test]
async fn a_call_without_arguments_has_an_empty_object() {
    for wire in Wire::ALL {
        for fragments in [&[][..], &[""], &["{}"]] {
            let fake = Fake::serve([Answer::events(wire.call("whoami", fragments))]).await;
            let reply = run(&*wire.connect(&fake)).await;
            assert_eq!(
                reply.message.tool_calls[0].arguments,
                json!({}),
                "{wire:?} {fragments:?}"
            );
        }
    }
}

/// Unreadable arguments are handed on as text in a string, which looks like any other value.
#[tokio::test]
async fn malformed_arguments_are_told_apart_and_can_be_replayed() {
    for wire in [Wire::OpenAi, Wire::Anthropic] {
        let fake = Fake::serve([
            Answer::events(wire.call("search", &["{\"query\": ", "\"eau"])),
            Answer::events(wire.text(&["sorry"])),
        ])
        .await;
        let model = wire.connect(&fake);
        let reply = run(&*model).await;
        let call = reply.message.tool_calls[0].clone();
        let error = call.object().unwrap_err();
        assert!(error.to_string().starts_with("search was not called"), "{error}");

        let result = periplus_llm::ToolResult::failed(&call, error.to_string());
        let messages = vec![
            Message::user("hi"),
            Message::Assistant(reply.message),
            Message::Tool(result),
        ];
        model
            .reply(ChatRequest::new(messages), CancellationToken::new())
            .await
            .unwrap();
        let sent = &fake.seen()[1].body["messages"];
        let arguments = match wire {
            Wire::Anthropic => sent[1]["content"][0]["input"].clone(),
            _ => serde_json::from_str(
                sent[1]["tool_calls"][0]["function"]["arguments"]
                    .as_str()
                    .unwrap(),
            )
            .unwrap(),
        };
        assert_eq!(
            arguments,
            json!({"malformed_arguments": "{\"query\": \"eau"}),
            "{wire:?}"
        );
    }
}

/// A fragment's position is used as an index into memory: a hostile one would allocate gigabytes.
#[tokio::test]
async fn an_absurd_call_position_allocates_nothing() {
    let call = json!({"index": u32::MAX, "id": "c", "function": {"name": "f", "arguments": "{}"}});
    let mut events = openai_delta(json!({"tool_calls": [call]}));
    events.extend(Wire::OpenAi.end("tool_calls"));
    let fake = Fake::serve([Answer::events(events)]).await;
    assert_eq!(
        run(&*Wire::OpenAi.connect(&fake)).await.message.tool_calls.len(),
        1
    );
}

/// Two calls that grow in turns.
#[tokio::test]
async fn interleaved_calls_do_not_mix() {
    let first = |index: u32, id: &str, name: &str| json!({"index": index, "id": id, "function": {"name": name, "arguments": ""}});
    let more = |index: u32, text: &str| json!({"index": index, "function": {"arguments": text}});
    let mut events = openai_delta(json!({"tool_calls": [first(0, "a", "f"), first(1, "b", "g")]}));
    events.extend(openai_delta(
        json!({"tool_calls": [more(1, "{\"y\""), more(0, "{\"x\":1")]}),
    ));
    events.extend(openai_delta(
        json!({"tool_calls": [more(0, "}"), more(1, ":2}")]}),
    ));
    events.extend(Wire::OpenAi.end("tool_calls"));
    let fake = Fake::serve([Answer::events(events)]).await;
    let calls = run(&*Wire::OpenAi.connect(&fake)).await.message.tool_calls;
    assert_eq!(
        (calls[0].name.as_str(), &calls[0].arguments),
        ("f", &json!({"x": 1}))
    );
    assert_eq!(
        (calls[1].name.as_str(), &calls[1].arguments),
        ("g", &json!({"y": 2}))
    );
}

/// Gemini sends no ids; the library numbers them anew in every frame and every answer.
#[tokio::test]
async fn made_up_ids_are_unique_within_the_conversation() {
    let call = |n: u32| {
        let parts = json!([{"functionCall": {"name": "search", "args": {"page": n}}}]);
        gemini(json!({"candidates": [{"content": {"parts": parts}}]}))
    };
    let answer = |pages: [u32; 2]| {
        let mut events: Vec<u8> = pages.into_iter().flat_map(call).collect();
        events.extend(Wire::Gemini.end("stop"));
        Answer::events(events)
    };
    let fake = Fake::serve([answer([1, 2]), answer([3, 4])]).await;
    let model = Wire::Gemini.connect(&fake);
    let mut messages = vec![Message::user("search")];
    for _ in 0..2 {
        let reply = model
            .reply(ChatRequest::new(messages.clone()), CancellationToken::new())
            .await
            .unwrap();
        let calls = reply.message.tool_calls.clone();
        messages.push(Message::Assistant(reply.message));
        messages.extend(
            calls
                .iter()
                .map(|call| Message::Tool(periplus_llm::ToolResult::of(call, "found"))),
        );
    }
    let mut ids: Vec<_> = messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool(result) => Some(result.call_id.clone()),
            _ => None,
        })
        .collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 4, "{ids:?}");
    let replayed = &fake.seen()[1].body["contents"];
    assert!(
        replayed[1]["parts"][0]["functionCall"].get("id").is_none(),
        "Google does not know our ids: {replayed}"
    );
    assert_eq!(
        replayed[2]["parts"].as_array().unwrap().len(),
        2,
        "both results in one message: {replayed}"
    );
}

/// A tool named like one of a provider's own is replaced by that one, schema and all.
#[tokio::test]
async fn a_toolsets_web_search_stays_the_toolsets() {
    for (wire, name) in [(Wire::Anthropic, "web_search"), (Wire::Gemini, "googleSearch")] {
        let wire_name = format!("{name}_tool");
        let fake = Fake::serve([Answer::events(wire.call(&wire_name, &["{}"]))]).await;
        let schema = json!({"type": "object", "properties": {"query": {"type": "string"}}});
        let tools = vec![ToolDefinition::new(name, "Searches our catalogue.", schema)];
        let request = ChatRequest::new(vec![Message::user("hi")]).with_tools(tools);
        let reply = wire
            .connect(&fake)
            .reply(request, CancellationToken::new())
            .await
            .unwrap();
        assert_eq!(reply.message.tool_calls[0].name, name, "{wire:?}");
        let sent = fake.only().body["tools"].to_string();
        assert!(
            sent.contains(&wire_name) && sent.contains("\"query\""),
            "{wire:?} {sent}"
        );
    }
}

/// The end of a model's name is taken for a wish to think more; a `::` in it for a namespace.
#[tokio::test]
async fn a_model_name_arrives_as_it_was_written() {
    for name in ["house-model-high", "team::model-none", "o1-mini-max"] {
        let fake = Fake::serve([Answer::events(Wire::OpenAi.text(&["ok"]))]).await;
        run(&*model(&format!("openai-compatible:{name}"), &fake)).await;
        let body = fake.only().body;
        assert_eq!(body["model"], name);
        assert!(body.get("reasoning_effort").is_none(), "{body}");
    }
}

/// The adapter is guessed from the model's name unless it is forced.
#[tokio::test]
async fn a_foreign_model_name_does_not_change_the_wire() {
    let fake = Fake::serve([Answer::events(Wire::OpenAi.text(&["ok"]))]).await;
    run(&*model("openai-compatible:claude-3-5-haiku", &fake)).await;
    assert_eq!(fake.only().target, "/v1/chat/completions");
}

/// Without its final slash the last segment of an address is replaced.
#[tokio::test]
async fn every_provider_is_asked_under_its_base_url() {
    for (name, path, target, wire) in [
        ("openai:m", "proxy/v1", "/proxy/v1/chat/completions", Wire::OpenAi),
        ("mistral:m", "v1/", "/v1/chat/completions", Wire::OpenAi),
        ("groq:m", "openai/v1", "/openai/v1/chat/completions", Wire::OpenAi),
        ("anthropic:m", "v1", "/v1/messages", Wire::Anthropic),
        (
            "gemini:m",
            "v1beta",
            "/v1beta/models/m:streamGenerateContent?alt=sse",
            Wire::Gemini,
        ),
    ] {
        let fake = Fake::serve([Answer::events(wire.text(&["ok"]))]).await;
        let settings = ModelSettings {
            api_key: Some(KEY.into()),
            base_url: Some(fake.url(path)),
            ..ModelSettings::default()
        };
        run(&*connect(&name.parse().unwrap(), settings).unwrap()).await;
        assert_eq!(fake.only().target, target, "{name}");
    }
}

/// An empty choice list, a comment and an unknown field are all legal.
#[tokio::test]
async fn keep_alive_comments_and_empty_choices_are_skipped() {
    let mut events = b": keep-alive\n\n".to_vec();
    events.extend(data(json!({"choices": [], "prompt_filter_results": []})));
    events.extend(Wire::OpenAi.text(&["ok"]));
    let fake = Fake::serve([Answer::events(events)]).await;
    let reply = run(&*Wire::OpenAi.connect(&fake)).await;
    assert_eq!(
        (reply.message.text.as_str(), reply.stop_reason),
        ("ok", StopReason::Complete)
    );
}

/// A redirect would carry the key to another host.
#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Fake::serve([]).await;
    let answer = Answer::error(307, &json!({})).with_header("location", elsewhere.url("v1").as_str());
    let fake = Fake::serve([answer]).await;
    let request = ChatRequest::new(vec![Message::user("hi")]);
    assert!(
        Wire::OpenAi
            .connect(&fake)
            .reply(request, CancellationToken::new())
            .await
            .is_err()
    );
    assert!(elsewhere.seen().is_empty());
}
