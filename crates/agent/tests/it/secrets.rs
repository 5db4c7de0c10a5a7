//! Keys and credentials stay where they belong: in no record, event, error or log line.

use std::{
    io,
    sync::{Arc, Mutex},
};

use futures::StreamExt;
use periplus_agent::{Agent, Checkpoints, MemoryCheckpoints, ThreadId};
use periplus_llm::{ApiKey, ModelSettings, connect, scripted::Turn};
use periplus_runtime::client::Credentials;
use serde_json::json;
use tracing::{Instrument, instrument::WithSubscriber};

use crate::support::{failure, on, script, serve, toolsets};

const TOKEN: &str = "tok-6f1d2c";
const KEY: &str = "sk-live-90ab12";

/// Everything that was logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn subscriber(log: &Log) -> impl tracing::Subscriber + Send + Sync + use<> {
    let log = log.clone();
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || log.clone())
        .finish()
}

async fn turns(log: &Log) -> String {
    let (account, seen) = toolsets::account();
    let server = serve(vec![account, toolsets::dataset_search()]);
    let store = MemoryCheckpoints::default();
    let model = script([
        Turn::call("whoami", json!({})).and_call("search_datasets", json!({ "query": "severn" })),
        Turn::say("You."),
    ]);
    let agent = Agent::builder(Arc::new(model.clone()), Arc::new(store.clone()))
        .toolsets(server.url.clone())
        .connect()
        .await;
    let id = ThreadId::random();
    let mut context = on(&id);
    context.credentials = Credentials::new([("x-demo-token", TOKEN)]).unwrap();
    let mut told = format!("{context:?} {agent:?}");
    let mut stream = agent.stream_turn(context.clone(), "who?".into()).await.unwrap();
    while let Some(event) = stream.next().await {
        let event = event.unwrap();
        told += &format!("{event:?}{}", serde_json::to_string(&event).unwrap());
    }
    assert_eq!(*seen.lock().unwrap(), [TOKEN], "the tool was given it");
    // A provider that cannot be reached, with a key.
    let settings = ModelSettings {
        api_key: Some(ApiKey::new(KEY)),
        base_url: Some("http://127.0.0.1:9/v1".parse().unwrap()),
        retries: periplus_llm::Retries::never(),
        ..ModelSettings::default()
    };
    context.model = Some(connect(&"openai:gpt-4o-mini".parse().unwrap(), settings).unwrap());
    let error = failure(agent.stream_turn(context, "again".into()).await.unwrap()).await;
    told += &format!("{error} {error:?}");
    let stored = store.load(&id).await.unwrap().unwrap();
    told += &format!("{stored:?}{}", serde_json::to_string(&stored.records).unwrap());
    told += &serde_json::to_string(&model.requests()).unwrap();
    told + &log.text()
}

#[tokio::test]
async fn keys_and_credentials_are_in_no_record_event_error_or_log_line() {
    let log = Log::default();
    let told = turns(&log).with_subscriber(subscriber(&log)).await;
    assert!(!told.contains(TOKEN), "a credential was told");
    assert!(!told.contains(KEY), "a key was told");
    let log = log.text();
    let line = log
        .lines()
        .find(|line| line.contains("called a tool"))
        .expect("calls are logged");
    assert!(!line.contains("severn"), "an argument was logged: {line}");
}

#[tokio::test]
async fn what_a_host_sets_for_tracing_is_still_there_when_tools_run() {
    let log = Log::default();
    let request = async {
        let span = tracing::info_span!("request", correlation = "corr-77");
        turns(&log).instrument(span).await
    };
    request.with_subscriber(subscriber(&log)).await;
    let log = log.text();
    for message in ["called a tool", "the model answered"] {
        let line = log.lines().find(|line| line.contains(message)).expect(message);
        assert!(line.contains("corr-77"), "{line}");
    }
}
