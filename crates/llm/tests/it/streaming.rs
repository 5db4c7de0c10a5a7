//! What a consumer sees of answers that go well.

use std::{collections::BTreeMap, time::Duration};

use futures::StreamExt;
use periplus_llm::{ChatEvent, ChatModel, ChatRequest, Message, Reply, StopReason};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{
    fake::{Answer, Fake, Piece},
    wires::Wire,
};

/// Runs a request to its end and checks that the deltas join to the reply.
pub(crate) async fn run(model: &dyn ChatModel) -> Reply {
    let request = ChatRequest::new(vec![Message::user("hi")]);
    let events: Vec<_> = model.stream(request, CancellationToken::new()).collect().await;
    let (mut text, mut calls) = (String::new(), BTreeMap::<usize, String>::new());
    for event in &events {
        match event {
            Ok(ChatEvent::Text(delta)) => text.push_str(delta),
            Ok(ChatEvent::ToolCallStarted { index, .. }) => {
                assert!(calls.insert(*index, String::new()).is_none())
            }
            Ok(ChatEvent::ToolCallArguments { index, delta }) => {
                calls.get_mut(index).unwrap().push_str(delta)
            }
            Ok(_) => {}
            Err(error) => panic!("{error}"),
        }
    }
    let Some(Ok(ChatEvent::Finished(reply))) = events.last() else {
        panic!("{events:?}")
    };
    assert_eq!(reply.message.text, text);
    assert_eq!(reply.message.tool_calls.len(), calls.len());
    reply.clone()
}

#[tokio::test]
async fn text_arrives_as_it_is_written_with_usage_and_reason() {
    for wire in Wire::ALL {
        let fake = Fake::serve([Answer::events(wire.text(&[
            "The Thames ",
            "ends ",
            "at Southend.",
        ]))])
        .await;
        let reply = run(&*wire.connect(&fake)).await;
        assert_eq!(reply.message.text, "The Thames ends at Southend.", "{wire:?}");
        assert_eq!(reply.stop_reason, StopReason::Complete, "{wire:?}");
        assert_eq!(
            (reply.usage.input_tokens, reply.usage.output_tokens),
            (Some(12), Some(5)),
            "{wire:?}"
        );
    }
}

#[tokio::test]
async fn a_slow_stream_gives_each_delta_when_it_comes() {
    for wire in Wire::ALL {
        let mut pieces = vec![
            Piece::Bytes(wire.text_begun(&["first"])),
            Piece::Pause(Duration::from_millis(30)),
        ];
        let mut rest = wire.text_begun(&["second"]);
        rest.extend(wire.end("stop"));
        pieces.push(Piece::Bytes(rest));
        pieces.push(Piece::Hang);
        let fake = Fake::serve([Answer::pieces(pieces)]).await;
        let reply = run(&*wire.connect(&fake)).await;
        assert_eq!(
            reply.message.text, "firstsecond",
            "{wire:?}: the end mark counts, not the end of the connection"
        );
    }
}

#[tokio::test]
async fn characters_split_across_chunks_stay_whole() {
    for wire in Wire::ALL {
        let text = ["größe ", "東京", " 🦀\u{301}"];
        let bytes = wire.text(&text);
        let pieces = bytes.iter().map(|byte| Piece::Bytes(vec![*byte])).collect();
        let fake = Fake::serve([Answer::pieces(pieces)]).await;
        assert_eq!(
            run(&*wire.connect(&fake)).await.message.text,
            text.concat(),
            "{wire:?}"
        );
    }
}

#[tokio::test]
async fn a_tool_call_comes_with_its_id_name_and_arguments() {
    for wire in Wire::ALL {
        let fragments = ["{\"query\": \"eau", " \\u00e9\", \"li", "mit\": 3}"];
        let fake = Fake::serve([Answer::events(wire.call("search", &fragments))]).await;
        let reply = run(&*wire.connect(&fake)).await;
        let call = &reply.message.tool_calls[0];
        assert_eq!(
            (call.id.as_str(), call.name.as_str()),
            ("call_A", "search"),
            "{wire:?}"
        );
        assert_eq!(call.arguments, json!({"query": "eau é", "limit": 3}), "{wire:?}");
        assert_eq!(
            reply.stop_reason,
            StopReason::ToolCalls,
            "{wire:?}: Gemini itself only says stop"
        );
    }
}

#[tokio::test]
async fn an_answer_at_the_output_limit_says_so() {
    for wire in Wire::ALL {
        let mut events = wire.text_begun(&["half a sen"]);
        events.extend(wire.end("length"));
        let fake = Fake::serve([Answer::events(events)]).await;
        assert_eq!(
            run(&*wire.connect(&fake)).await.stop_reason,
            StopReason::MaxTokens,
            "{wire:?}"
        );
    }
}
