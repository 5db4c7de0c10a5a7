use std::time::Duration;

use serde_json::json;

use super::*;
use crate::{ChatEvent, Message, StopReason, ToolDefinition, ToolResult};

fn ask(text: &str) -> ChatRequest {
    ChatRequest::new(vec![Message::user(text)])
}

async fn error_of(model: &Scripted, request: ChatRequest) -> String {
    model
        .reply(request, CancellationToken::new())
        .await
        .unwrap_err()
        .to_string()
}

#[tokio::test]
async fn turns_are_played_in_order_and_pieces_join_to_the_reply() {
    let model = Scripted::new(
        Script::new("two turns")
            .turn(Turn {
                reasoning: "Let me see.".into(),
                ..Turn::call("search", json!({"query": "größe 東京"}))
            })
            .turn(Turn::say("Found it.")),
    );
    let events: Vec<_> = model
        .stream(ask("find"), CancellationToken::new())
        .collect()
        .await;
    let mut arguments = String::new();
    for event in &events {
        if let Ok(ChatEvent::ToolCallArguments { delta, .. }) = event {
            arguments.push_str(delta);
        }
    }
    assert_eq!(arguments, "{\"query\":\"größe 東京\"}");
    let Some(Ok(ChatEvent::Finished(reply))) = events.last() else {
        panic!("{events:?}")
    };
    assert_eq!(reply.stop_reason, StopReason::ToolCalls);
    assert_eq!(
        reply.message.tool_calls[0].object().unwrap()["query"],
        "größe 東京"
    );

    let reply = model.reply(ask("and?"), CancellationToken::new()).await.unwrap();
    assert_eq!(
        (reply.message.text.as_str(), reply.stop_reason),
        ("Found it.", StopReason::Complete)
    );
    assert_eq!((model.remaining(), model.requests().len()), (0, 2));
}

#[tokio::test]
async fn an_unexpected_request_is_an_error_that_names_the_difference() {
    let expect = Expect {
        tools: vec!["hello".into()],
        ..Expect::user("Ada")
    };
    let model = Scripted::new(Script::new("strict").turn(Turn::say("Hi").expecting(expect)));
    let error = error_of(&model, ask("greet Bob")).await;
    assert!(
        error.contains("turn 1") && error.contains("\"Ada\"") && error.contains("greet Bob"),
        "{error}"
    );
    let error = error_of(&model, ask("greet Ada")).await;
    assert!(error.contains("\"hello\" is not offered"), "{error}");

    let tools = vec![ToolDefinition::new("hello", "Greets.", json!({"type": "object"}))];
    model
        .reply(ask("greet Ada").with_tools(tools), CancellationToken::new())
        .await
        .unwrap();
    let error = error_of(&model, ask("once more")).await;
    assert!(
        error.contains("all are played") && error.contains("once more"),
        "{error}"
    );
}

#[tokio::test]
async fn absent_fragments_and_message_counts_are_checked() {
    let expect = Expect {
        absent: vec!["secret-geometry".into()],
        message_count: Some(1),
        ..Expect::default()
    };
    let model = Scripted::new(Script::new("s").turn(Turn::say("ok").expecting(expect)));
    assert!(
        error_of(&model, ask("here: secret-geometry"))
            .await
            .contains("must not be in the request")
    );
    let two = ChatRequest::new(vec![Message::user("a"), Message::user("b")]);
    assert!(
        error_of(&model, two)
            .await
            .contains("expected 1 message(s), got 2")
    );
}

#[tokio::test]
async fn only_the_latest_tool_results_are_looked_at() {
    let call = crate::ToolCall::new("c1", "search", serde_json::Map::new());
    let model =
        Scripted::new(Script::new("s").turn(Turn::say("ok").expecting(Expect::tool_result("3 found"))));
    let stale = ChatRequest::new(vec![
        Message::Tool(ToolResult::of(&call, "3 found")),
        Message::user("and now?"),
    ]);
    assert!(error_of(&model, stale).await.contains("latest tool results"));
    let fresh = ChatRequest::new(vec![
        Message::user("now"),
        Message::Tool(ToolResult::of(&call, "3 found")),
    ]);
    model.reply(fresh, CancellationToken::new()).await.unwrap();
}

#[tokio::test]
async fn a_script_in_any_order_answers_by_fit_and_repeatedly() {
    let model = Scripted::new(
        Script::new("any")
            .in_any_order()
            .turn(Turn::say("A").expecting(Expect::user("first")))
            .turn(Turn::say("B").expecting(Expect::user("second"))),
    );
    for (question, answer) in [("second", "B"), ("first", "A"), ("second", "B")] {
        let reply = model
            .reply(ask(question), CancellationToken::new())
            .await
            .unwrap();
        assert_eq!(reply.message.text, answer);
    }
    assert!(error_of(&model, ask("third")).await.contains("no turn fits"));
}

#[tokio::test]
async fn a_fault_comes_after_the_pieces_before_it() {
    let model = Scripted::new(
        Script::new("f")
            .turn(Turn::say("one two three").failing(FaultKind::Interrupted, 2))
            .turn(Turn::fail(FaultKind::RateLimited)),
    );
    let events: Vec<_> = model.stream(ask("x"), CancellationToken::new()).collect().await;
    assert_eq!(events.len(), 3, "{events:?}");
    assert_eq!(events[1], Ok(ChatEvent::Text("two ".into())));
    assert!(
        matches!(events[2], Err(ChatError::Interrupted { .. })),
        "{events:?}"
    );
    let error = model.reply(ask("x"), CancellationToken::new()).await.unwrap_err();
    assert!(matches!(error, ChatError::RateLimited { .. }) && error.is_transient());
}

#[tokio::test(start_paused = true)]
async fn a_stall_ends_when_the_call_is_cancelled() {
    let model = Scripted::new(Script::new("s").turn(Turn::say("one two").failing(FaultKind::Stall, 1)));
    let cancel = CancellationToken::new();
    let mut stream = model.stream(ask("x"), cancel.clone());
    assert_eq!(stream.next().await, Some(Ok(ChatEvent::Text("one ".into()))));
    let waiting = tokio::time::timeout(Duration::from_secs(3600), stream.next()).await;
    assert!(waiting.is_err(), "{waiting:?}");
    cancel.cancel();
    assert_eq!(stream.next().await, Some(Err(ChatError::Cancelled)));
    assert_eq!(stream.next().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_slow_turn_takes_its_time_between_pieces() {
    let model = Scripted::new(Script::new("s").turn(Turn::say("one two").slowly(Duration::from_secs(5))));
    let start = tokio::time::Instant::now();
    model.reply(ask("x"), CancellationToken::new()).await.unwrap();
    assert_eq!(start.elapsed(), Duration::from_secs(15));
}

#[tokio::test]
async fn a_script_is_read_from_json() {
    let script = Script::from_json(
        "from-file",
        r#"{"turns": [
            {"expect": {"user": ["clip"]}, "tool_calls": [{"name": "clip", "arguments": "{broken"}]},
            {"text": "done", "fault": {"kind": "unavailable"}}
        ]}"#,
    )
    .unwrap();
    let model = Scripted::new(script);
    assert_eq!(model.name().to_string(), "scripted:from-file");
    let reply = model
        .reply(ask("clip it"), CancellationToken::new())
        .await
        .unwrap();
    assert!(reply.message.tool_calls[0].object().is_err());
    assert!(model.reply(ask("x"), CancellationToken::new()).await.is_err());

    let error = Script::from_json("bad", r#"{"turns": [{"txt": "typo"}]}"#)
        .unwrap_err()
        .to_string();
    assert!(error.contains("bad") && error.contains("txt"), "{error}");
}
