//! Ending a call early closes its connection.

use std::time::Duration;

use futures::StreamExt;
use periplus_llm::{ChatError, ChatEvent, ChatRequest, Message};
use tokio_util::sync::CancellationToken;

use crate::{
    fake::{Answer, Fake, Piece},
    wires::Wire,
};

/// What a person does not notice.
const SOON: Duration = Duration::from_millis(100);

fn request() -> ChatRequest {
    ChatRequest::new(vec![Message::user("hi")])
}

async fn hanging(wire: Wire) -> Fake {
    Fake::serve([Answer::pieces(vec![
        Piece::Bytes(wire.text_begun(&["word"])),
        Piece::Hang,
    ])])
    .await
}

#[tokio::test]
async fn cancelling_ends_the_stream_and_the_request_soon() {
    for wire in Wire::ALL {
        let fake = hanging(wire).await;
        let cancel = CancellationToken::new();
        let mut stream = wire.connect(&fake).stream(request(), cancel.clone());
        assert_eq!(
            stream.next().await,
            Some(Ok(ChatEvent::Text("word".into()))),
            "{wire:?}"
        );
        cancel.cancel();
        let end = tokio::time::timeout(SOON, stream.next())
            .await
            .expect("the stream ends soon");
        assert_eq!(end, Some(Err(ChatError::Cancelled)), "{wire:?}");
        assert_eq!(stream.next().await, None, "{wire:?}");
        tokio::time::timeout(SOON, fake.let_go())
            .await
            .expect("the server sees the client go");
    }
}

#[tokio::test]
async fn dropping_the_stream_ends_the_request_soon() {
    for wire in Wire::ALL {
        let fake = hanging(wire).await;
        let mut stream = wire.connect(&fake).stream(request(), CancellationToken::new());
        assert!(
            matches!(stream.next().await, Some(Ok(ChatEvent::Text(_)))),
            "{wire:?}"
        );
        drop(stream);
        tokio::time::timeout(SOON, fake.let_go())
            .await
            .expect("the server sees the client go");
    }
}

#[tokio::test]
async fn cancelling_during_a_wait_for_another_attempt_ends_it() {
    let limited = Answer::error(429, &serde_json::json!({})).with_header("retry-after", "20");
    let fake = Fake::serve([limited]).await;
    let cancel = CancellationToken::new();
    let mut stream = Wire::OpenAi.connect(&fake).stream(request(), cancel.clone());
    assert!(matches!(
        stream.next().await,
        Some(Ok(ChatEvent::Retrying { .. }))
    ));
    cancel.cancel();
    let end = tokio::time::timeout(SOON, stream.next())
        .await
        .expect("the stream ends soon");
    assert_eq!(end, Some(Err(ChatError::Cancelled)));
}

#[tokio::test]
async fn a_call_cancelled_before_it_starts_sends_nothing() {
    let fake = Fake::serve([]).await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let error = Wire::OpenAi
        .connect(&fake)
        .reply(request(), cancel)
        .await
        .unwrap_err();
    assert_eq!(error, ChatError::Cancelled);
    assert!(fake.seen().is_empty());
}
