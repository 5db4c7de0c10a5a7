//! Servers that fail, and what a consumer is told.

use std::time::Duration;

use futures::StreamExt;
use periplus_llm::{
    ChatError, ChatEvent, ChatModel, ChatRequest, Limits, Message, Retries, TimeoutPhase, Timeouts, connect,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{
    fake::{Answer, Fake, Piece},
    streaming::run,
    wires::{Wire, anthropic, data, gemini, openai_delta},
};

fn request() -> ChatRequest {
    ChatRequest::new(vec![Message::user("hi")])
}

async fn events(model: &dyn ChatModel) -> Vec<Result<ChatEvent, ChatError>> {
    model.stream(request(), CancellationToken::new()).collect().await
}

async fn error_of(model: &dyn ChatModel) -> ChatError {
    model
        .reply(request(), CancellationToken::new())
        .await
        .unwrap_err()
}

/// The error of a model that is asked once.
async fn only_error(wire: Wire, answer: Answer) -> ChatError {
    let fake = Fake::serve([answer]).await;
    let mut settings = wire.settings(&fake);
    settings.retries = Retries::never();
    error_of(&*wire.connect_with(settings)).await
}

#[tokio::test]
async fn a_stream_cut_inside_an_event_is_interrupted_and_not_repeated() {
    for wire in Wire::ALL {
        let mut begun = wire.text_begun(&["some", " words"]);
        let half_an_event = wire.text_begun(&["lost"]);
        begun.extend(&half_an_event[..half_an_event.len() - 9]);
        for end in [vec![Piece::Cut], vec![]] {
            let mut pieces = vec![
                Piece::Bytes(begun.clone()),
                Piece::Pause(Duration::from_millis(20)),
            ];
            pieces.extend(end);
            let fake = Fake::serve([Answer::pieces(pieces)]).await;
            let events = events(&*wire.connect(&fake)).await;
            assert!(
                events.contains(&Ok(ChatEvent::Text(" words".into()))),
                "{wire:?} {events:?}"
            );
            assert!(
                matches!(events.last(), Some(Err(ChatError::Interrupted { .. }))),
                "{wire:?} {events:?}"
            );
            assert_eq!(
                fake.seen().len(),
                1,
                "{wire:?}: what was said cannot be unsaid, so there is no second attempt"
            );
        }
    }
}

#[tokio::test]
async fn a_stream_that_closes_before_it_says_anything_is_repeated() {
    for wire in Wire::ALL {
        let fake = Fake::serve([
            Answer::pieces(vec![Piece::Cut]),
            Answer::events(wire.text(&["ok"])),
        ])
        .await;
        assert_eq!(run(&*wire.connect(&fake)).await.message.text, "ok", "{wire:?}");
    }
}

#[tokio::test]
async fn too_many_requests_are_repeated_after_the_wait_that_is_asked_for() {
    for wire in Wire::ALL {
        let limited = Answer::error(429, &json!({"error": {"message": "slow down"}}));
        let fake = Fake::serve([
            limited.clone().with_header("retry-after-ms", "20"),
            limited,
            Answer::events(wire.text(&["at last"])),
        ])
        .await;
        let events = events(&*wire.connect(&fake)).await;
        let waits: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                Ok(ChatEvent::Retrying {
                    attempt,
                    wait,
                    reason,
                }) => {
                    assert!(reason.contains("slow down"), "{reason}");
                    Some((*attempt, wait.as_millis()))
                }
                _ => None,
            })
            .collect();
        assert_eq!(waits, [(2, 20), (3, 2)], "{wire:?}");
        assert!(
            matches!(events.last(), Some(Ok(ChatEvent::Finished(_)))),
            "{wire:?} {events:?}"
        );
    }
}

#[tokio::test]
async fn a_wait_in_seconds_is_kept() {
    let limited = Answer::error(429, &json!({"error": {"message": "slow"}})).with_header("retry-after", "7");
    let fake = Fake::serve([limited]).await;
    let mut stream = Wire::OpenAi
        .connect(&fake)
        .stream(request(), CancellationToken::new());
    let Some(Ok(ChatEvent::Retrying { wait, .. })) = stream.next().await else {
        panic!()
    };
    assert_eq!(wait, Duration::from_secs(7));
}

#[tokio::test]
async fn a_wait_beyond_patience_is_an_error_that_names_it() {
    for wire in Wire::ALL {
        let answer =
            Answer::error(429, &json!({"error": {"message": "slow"}})).with_header("retry-after", "3600");
        let fake = Fake::serve([answer]).await;
        let error = error_of(&*wire.connect(&fake)).await;
        assert_eq!(
            error.retry_after(),
            Some(Duration::from_secs(3600)),
            "{wire:?} {error}"
        );
        assert_eq!(fake.seen().len(), 1);
    }
}

#[tokio::test]
async fn a_server_fault_is_repeated_and_then_reported() {
    for wire in Wire::ALL {
        let fault = Answer::error(500, &json!({"error": {"message": "something broke"}}));
        let fake = Fake::serve(vec![fault; 3]).await;
        let error = error_of(&*wire.connect(&fake)).await;
        assert!(
            matches!(error, ChatError::Unavailable { status: 500, .. }),
            "{wire:?} {error}"
        );
        assert!(error.to_string().contains("something broke"), "{error}");
        assert_eq!(fake.seen().len(), 3, "{wire:?}");
    }
}

#[tokio::test]
async fn a_refused_key_is_not_tried_again() {
    for wire in Wire::ALL {
        let fake = Fake::serve([Answer::error(401, &json!({"error": {"message": "bad key"}}))]).await;
        let error = error_of(&*wire.connect(&fake)).await;
        assert!(
            matches!(error, ChatError::Auth { status: 401, .. }),
            "{wire:?} {error}"
        );
        assert_eq!(fake.seen().len(), 1);
    }
}

#[tokio::test]
async fn errors_inside_a_stream_have_their_kind() {
    let overloaded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let error = only_error(Wire::Anthropic, Answer::events(anthropic(overloaded))).await;
    assert!(
        matches!(error, ChatError::Unavailable { status: 0, .. }),
        "{error}"
    );

    let limited = json!({"error": {"type": "rate_limit_exceeded", "message": "slow"}});
    let error = only_error(Wire::OpenAi, Answer::events(data(limited))).await;
    assert!(matches!(error, ChatError::RateLimited { .. }), "{error}");

    let exhausted = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "quota"}});
    let error = only_error(Wire::Gemini, Answer::events(gemini(exhausted))).await;
    assert!(matches!(error, ChatError::RateLimited { .. }), "{error}");
}

#[tokio::test]
async fn a_conversation_that_is_too_long_is_named() {
    for (wire, body) in [
        (
            Wire::OpenAi,
            json!({"error": {"code": "context_length_exceeded", "message": "This model's maximum"}}),
        ),
        (
            Wire::Anthropic,
            json!({"type": "error", "error": {"message": "prompt is too long: 200001 tokens"}}),
        ),
        (
            Wire::Gemini,
            json!({"error": {"message": "The input token count (9) exceeds the maximum number"}}),
        ),
    ] {
        let error = only_error(wire, Answer::error(400, &body)).await;
        assert!(
            matches!(error, ChatError::ContextLength { .. }),
            "{wire:?} {error}"
        );
    }
}

#[tokio::test]
async fn a_refusal_is_an_error_with_the_models_words() {
    let mut refusal = openai_delta(json!({"refusal": "I cannot "}));
    refusal.extend(openai_delta(json!({"refusal": "help with that."})));
    refusal.extend(Wire::OpenAi.end("stop"));
    let error = only_error(Wire::OpenAi, Answer::events(refusal)).await;
    assert!(error.to_string().contains("I cannot help with that."), "{error}");

    let error = only_error(Wire::Anthropic, Answer::events(Wire::Anthropic.end("refusal"))).await;
    assert!(matches!(error, ChatError::Refused { .. }), "{error}");

    let error = only_error(Wire::Gemini, Answer::events(Wire::Gemini.end("SAFETY"))).await;
    assert!(error.to_string().contains("SAFETY"), "{error}");

    let blocked = gemini(json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}));
    let error = only_error(Wire::Gemini, Answer::events(blocked)).await;
    assert!(error.to_string().contains("PROHIBITED_CONTENT"), "{error}");
}

#[tokio::test]
async fn frames_that_are_not_json_are_malformed() {
    for wire in Wire::ALL {
        let mut events = if wire == Wire::Anthropic {
            b"event: content_block_delta\n".to_vec()
        } else {
            Vec::new()
        };
        events.extend(b"data: {\"choices\": [oops\n\n");
        let error = only_error(wire, Answer::events(events)).await;
        assert!(matches!(error, ChatError::Malformed { .. }), "{wire:?} {error}");
    }
}

#[tokio::test]
async fn a_page_instead_of_a_stream_is_no_answer() {
    for wire in Wire::ALL {
        let error = only_error(
            wire,
            Answer::events(b"<html>Please log in to the hotel network</html>".to_vec()),
        )
        .await;
        assert!(matches!(error, ChatError::Interrupted { .. }), "{wire:?} {error}");
    }
}

#[tokio::test]
async fn an_answer_without_end_is_bounded() {
    for wire in Wire::ALL {
        let many = vec!["0123456789"; 500];
        let fake = Fake::serve([Answer::pieces(vec![
            Piece::Bytes(wire.text_begun(&many)),
            Piece::Hang,
        ])])
        .await;
        let mut settings = wire.settings(&fake);
        settings.limits = Limits {
            answer_bytes: 4000,
            ..Limits::default()
        };
        let error = error_of(&*wire.connect_with(settings)).await;
        assert!(
            matches!(
                error,
                ChatError::TooLarge {
                    limit: 4000,
                    unit: "bytes",
                    ..
                }
            ),
            "{wire:?} {error}"
        );
    }
}

#[tokio::test]
async fn calls_without_end_are_bounded() {
    let calls: Vec<_> = (0..9)
        .flat_map(|index| {
            let call = json!({"index": index, "id": format!("c{index}"), "function": {"name": "f", "arguments": ""}});
            openai_delta(json!({"tool_calls": [call]}))
        })
        .collect();
    let fake = Fake::serve([Answer::pieces(vec![Piece::Bytes(calls), Piece::Hang])]).await;
    let mut settings = Wire::OpenAi.settings(&fake);
    settings.limits = Limits {
        tool_calls: 8,
        ..Limits::default()
    };
    let error = error_of(&*Wire::OpenAi.connect_with(settings)).await;
    assert!(
        matches!(
            error,
            ChatError::TooLarge {
                limit: 8,
                unit: "tool calls",
                ..
            }
        ),
        "{error}"
    );
}

#[tokio::test]
async fn each_wait_has_its_own_limit() {
    let short = Duration::from_millis(80);
    let phases = [
        (
            Timeouts {
                idle: short,
                ..Timeouts::default()
            },
            true,
            TimeoutPhase::Idle,
        ),
        (
            Timeouts {
                total: short,
                ..Timeouts::default()
            },
            true,
            TimeoutPhase::Total,
        ),
        (
            Timeouts {
                total: short,
                ..Timeouts::default()
            },
            false,
            TimeoutPhase::Total,
        ),
    ];
    for wire in Wire::ALL {
        for (timeouts, begins, expected) in phases {
            let begun = begins.then(|| Piece::Bytes(wire.text_begun(&["…"])));
            let fake = Fake::serve([Answer::pieces(begun.into_iter().chain([Piece::Hang]).collect())]).await;
            let mut settings = wire.settings(&fake);
            (settings.timeouts, settings.retries) = (timeouts, Retries::never());
            let error = error_of(&*wire.connect_with(settings)).await;
            let ChatError::Timeout { phase, after, .. } = error else {
                panic!("{wire:?} {error}")
            };
            assert_eq!((phase, after), (expected, short), "{wire:?}");
        }
    }
}

#[tokio::test]
async fn a_server_that_accepts_and_never_answers_times_out_at_the_first_byte() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let settings = periplus_llm::ModelSettings {
        base_url: Some(url.parse().unwrap()),
        timeouts: Timeouts {
            first_byte: Duration::from_millis(80),
            ..Timeouts::default()
        },
        retries: Retries::never(),
        ..Default::default()
    };
    let model = connect(&"openai-compatible:m".parse().unwrap(), settings).unwrap();
    let error = error_of(&*model).await;
    assert!(
        matches!(
            error,
            ChatError::Timeout {
                phase: TimeoutPhase::FirstByte,
                ..
            }
        ),
        "{error}"
    );
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_with_its_host() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let settings = periplus_llm::ModelSettings {
        base_url: Some(format!("http://{closed}/v1?key=sesame").parse().unwrap()),
        retries: Retries::never(),
        ..Default::default()
    };
    let model = connect(&"openai-compatible:m".parse().unwrap(), settings).unwrap();
    let error = error_of(&*model).await.to_string();
    assert!(
        error.contains(&closed.to_string()) && error.contains("refused"),
        "{error}"
    );
    assert!(!error.contains("sesame"), "{error}");
}
