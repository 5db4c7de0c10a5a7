//! The key is in the request header and nowhere else.

use std::{
    io,
    sync::{Arc, Mutex},
};

use periplus_llm::{ChatRequest, Message, Retries};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use tracing::instrument::WithSubscriber;

use crate::{
    fake::{Answer, Fake},
    wires::{KEY, Wire, anthropic},
};

/// Collects a log in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_key_travels_in_the_header_of_its_provider_only() {
    for (wire, header, value) in [
        (Wire::OpenAi, "authorization", format!("Bearer {KEY}")),
        (Wire::Anthropic, "x-api-key", KEY.to_owned()),
        (Wire::Gemini, "x-goog-api-key", KEY.to_owned()),
    ] {
        let fake = Fake::serve([Answer::events(wire.text(&["ok"]))]).await;
        crate::streaming::run(&*wire.connect(&fake)).await;
        let seen = fake.only();
        assert_eq!(seen.headers[header], value, "{wire:?}");
        assert!(
            !seen.target.contains(KEY) && !seen.body.to_string().contains(KEY),
            "{wire:?} {seen:?}"
        );
    }
}

#[tokio::test]
async fn neither_key_nor_conversation_is_in_errors_debug_or_logs() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let mut printed = String::new();
    async {
        for wire in Wire::ALL {
            let echo =
                json!({"type": "error", "error": {"message": format!("bad key {KEY}"), "input": "PRIVATE"}});
            let fake =
                Fake::serve([Answer::error(400, &echo), Answer::events(anthropic(echo.clone()))]).await;
            let mut settings = wire.settings(&fake);
            settings.retries = Retries::never();
            printed.push_str(&format!("{settings:?}"));
            let model = wire.connect_with(settings);
            for _ in 0..2 {
                let request = ChatRequest::new(vec![Message::user("PRIVATE")]);
                let error = model.reply(request, CancellationToken::new()).await.unwrap_err();
                printed.push_str(&format!("{error} {error:?} {model:?}"));
            }
        }
        tracing::info!("the log works");
    }
    .with_subscriber(subscriber)
    .await;
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("the log works"));
    for text in [&printed, &log] {
        assert!(!text.contains(KEY) && !text.contains("PRIVATE"), "{text}");
    }
    assert!(printed.contains("bad key …"), "{printed}");
}
