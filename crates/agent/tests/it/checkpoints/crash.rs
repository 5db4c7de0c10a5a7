//! Processes that end in the middle of a turn, and processes that want the same thread.
//!
//! The other process is this program, started for the one test that is named `other_process`.

use std::{
    io::{BufRead, Write},
    process::Stdio,
    sync::Arc,
    time::{Duration, Instant},
};

use periplus_agent::{Agent, CheckpointError, Checkpoints, Record, Retention, RunId, ThreadId, TurnOutcome};
use periplus_llm::{
    Message,
    scripted::{Scripted, Turn},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{ChildStdout, Command},
    time::timeout,
};
use url::Url;

use super::{
    place::{Place, open},
    writer::{Writer, state_of},
};
use crate::support::{on, script, serve, thread, toolsets};

/// What the other process says stands behind this; the rest of its output is the test runner's.
const MARK: &str = "> ";

/// A busy machine is slow, and a test that waits for ever says nothing.
const PATIENCE: Duration = Duration::from_secs(60);

/// Another process at work on a thread.
struct Other {
    process: tokio::process::Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Other {
    async fn start(place: &Place, thread: &ThreadId, task: &str) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "checkpoints::crash::other_process",
                "--ignored",
                "--nocapture",
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let orders = format!("{}\n{thread}\n{task}\n", place.address());
        let stdin = process.stdin.as_mut().unwrap();
        stdin.write_all(orders.as_bytes()).await.unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { process, lines }
    }

    /// The next thing it says; nothing once it has ended.
    async fn says(&mut self) -> Option<String> {
        loop {
            let line = timeout(PATIENCE, self.lines.next_line())
                .await
                .expect("it speaks")
                .unwrap()?;
            if let Some(said) = line.strip_prefix(MARK) {
                return Some(said.to_owned());
            }
        }
    }

    /// Ends it without warning, and returns what it had said before that.
    async fn kill(mut self) -> Vec<String> {
        self.process.kill().await.unwrap();
        let mut said = Vec::new();
        while let Some(line) = self.says().await {
            said.push(line);
        }
        said
    }
}

fn say(what: &str) {
    let mut out = std::io::stdout();
    writeln!(out, "\n{MARK}{what}")
        .and_then(|()| out.flush())
        .unwrap();
}

#[tokio::test]
#[ignore = "it is the other process of the tests beside it"]
async fn other_process() {
    let orders: Vec<String> = std::io::stdin()
        .lock()
        .lines()
        .take(3)
        .map(Result::unwrap)
        .collect();
    let store = open(&orders[0], Retention::default());
    let thread = ThreadId::parse(&orders[1]).unwrap();
    let guard = store.lock(&thread, &RunId::random()).await.unwrap();
    say("holds");
    match orders[2].split_once(' ') {
        Some((_, toolsets)) => {
            drop(guard);
            return answer_with_a_tool_that_waits(store, thread, toolsets.parse().unwrap()).await;
        }
        None if orders[2] == "write" => write_until_killed(&*store, &thread).await,
        None => {}
    }
    // Until the other side closes the pipe, or ends us.
    std::io::stdin().lock().lines().for_each(drop);
    drop(guard);
}

/// Turn after turn, and a word after each step that the store has acknowledged.
async fn write_until_killed(store: &dyn Checkpoints, thread: &ThreadId) {
    let mut writer = Writer::resume(store, thread).await;
    loop {
        writer.begin(store).await.unwrap();
        say("stored");
        let area = area(writer.turn);
        writer.publish(store, &[("areas/pick/area", area)]).await.unwrap();
        say("stored");
        writer.finish(store).await.unwrap();
        say("stored");
    }
}

/// A turn that finds something and then never ends.
async fn answer_with_a_tool_that_waits(store: Arc<dyn Checkpoints>, thread: ThreadId, toolsets: Url) {
    let model = script([
        Turn::call("search_datasets", json!({ "query": "severn" })),
        Turn::call("wait", json!({})),
    ]);
    let agent = agent_on(store, &model, toolsets).await;
    agent
        .run_turn(on(&thread), "find the Severn".into())
        .await
        .unwrap();
}

async fn agent_on(store: Arc<dyn Checkpoints>, model: &Scripted, toolsets: Url) -> Agent {
    let agent = Agent::builder(Arc::new(model.clone()), store);
    agent.toolsets(toolsets).connect().await
}

/// A value that takes a moment to write.
fn area(turn: u32) -> Value {
    json!({ "turn": turn, "geometry": "x".repeat(400_000) })
}

async fn a_killed_turn_loses_nothing_that_was_acknowledged(place: &Place) {
    let thread = ThreadId::random();
    for after in [1, 2, 3, 8] {
        let before = records(place, &thread).await;
        let mut other = Other::start(place, &thread, "write").await;
        assert_eq!(other.says().await.unwrap(), "holds");
        for _ in 0..after {
            assert_eq!(other.says().await.unwrap(), "stored");
        }
        let acknowledged = before + after + other.kill().await.len();

        let store = place.open();
        timeout(PATIENCE, store.wait_idle(&thread))
            .await
            .expect("the dead hold nothing")
            .unwrap();
        let guard = store.lock(&thread, &RunId::random()).await.unwrap();
        let stored = store.load(&thread).await.unwrap().unwrap();
        let found = stored.records.len();
        assert!(
            (acknowledged..=acknowledged + 1).contains(&found),
            "{acknowledged} steps were acknowledged, {found} are stored"
        );
        let state = state_of(&*store, &stored).await;
        let published = stored
            .records
            .iter()
            .filter(|record| matches!(record, Record::Called { .. }));
        if published.count() > 0 {
            let last = state
                .get("areas/pick/area")
                .expect("it was published")
                .value
                .json();
            assert_eq!(
                last,
                &area(u32::try_from(last["turn"].as_u64().unwrap()).unwrap())
            );
        }

        // The thread goes on.
        let mut writer = Writer::resume(&*store, &thread).await;
        writer
            .turn(&*store, &[("areas/pick/other", json!(after))])
            .await
            .unwrap();
        drop(guard);
        timeout(PATIENCE, store.wait_idle(&thread))
            .await
            .unwrap()
            .unwrap();
    }
}

async fn an_agent_goes_on_where_one_was_killed_in_the_middle_of_a_call(place: &Place) {
    let (slow, pace) = toolsets::slow();
    let server = serve(vec![slow, toolsets::dataset_search()]);
    let id = ThreadId::random();
    let mut other = Other::start(place, &id, &format!("agent {}", server.url)).await;
    assert_eq!(other.says().await.unwrap(), "holds");
    timeout(PATIENCE, pace.begun.notified())
        .await
        .expect("the call begins");
    other.kill().await;

    let store = place.open();
    timeout(PATIENCE, store.wait_idle(&id))
        .await
        .expect("the dead hold nothing")
        .unwrap();
    let model = script([Turn::say("Going on.")]);
    let agent = agent_on(store, &model, server.url.clone()).await;
    let result = agent.run_turn(on(&id), "and now?".into()).await.unwrap();
    assert_eq!((result.turn, result.answer.as_str()), (2, "Going on."));
    let area = result
        .state
        .get("dataset-search/search_datasets/area_of_interest");
    assert_eq!(area.expect("the killed turn found it").turn, 1);
    let thread = thread(&agent, &id).await;
    assert!(
        matches!(thread.turns[0].outcome, Some(TurnOutcome::Failed { .. })),
        "{:?}",
        thread.turns[0]
    );
    let sent = &model.requests()[0].messages;
    let calls = sent.iter().filter_map(|message| match message {
        Message::Assistant(answer) => Some(answer.tool_calls.iter().map(|call| &call.id)),
        _ => None,
    });
    let results = sent.iter().filter_map(|message| match message {
        Message::Tool(result) => Some(&result.call_id),
        _ => None,
    });
    assert_eq!(
        calls.flatten().collect::<Vec<_>>(),
        results.collect::<Vec<_>>(),
        "every call is answered"
    );
}

async fn records(place: &Place, thread: &ThreadId) -> usize {
    let stored = place.open().load(thread).await.unwrap();
    stored.map_or(0, |stored| stored.records.len())
}

async fn of_two_processes_the_second_is_told_at_once(place: &Place) {
    let (store, thread) = (place.open(), ThreadId::random());
    assert!(!store.is_running(&thread).await.unwrap());
    let mut other = Other::start(place, &thread, "hold").await;
    assert_eq!(other.says().await.unwrap(), "holds");
    let asked = Instant::now();
    let refused = store.lock(&thread, &RunId::random()).await.unwrap_err();
    assert!(matches!(refused, CheckpointError::Busy { .. }), "{refused:?}");
    assert!(
        asked.elapsed() < Duration::from_secs(2),
        "it was told after {:?}",
        asked.elapsed()
    );
    assert!(store.is_running(&thread).await.unwrap());
    drop(store.lock(&ThreadId::random(), &RunId::random()).await.unwrap());

    other.kill().await;
    timeout(PATIENCE, store.wait_idle(&thread))
        .await
        .expect("the dead hold nothing")
        .unwrap();
    drop(store.lock(&thread, &RunId::random()).await.unwrap());
}

mod sqlite {
    #[tokio::test]
    async fn an_agent_goes_on_where_one_was_killed_in_the_middle_of_a_call() {
        super::an_agent_goes_on_where_one_was_killed_in_the_middle_of_a_call(&super::Place::sqlite()).await;
    }

    #[tokio::test]
    async fn a_killed_turn_loses_nothing_that_was_acknowledged() {
        super::a_killed_turn_loses_nothing_that_was_acknowledged(&super::Place::sqlite()).await;
    }

    #[tokio::test]
    async fn of_two_processes_the_second_is_told_at_once() {
        super::of_two_processes_the_second_is_told_at_once(&super::Place::sqlite()).await;
    }
}

mod postgres {
    #[tokio::test]
    async fn an_agent_goes_on_where_one_was_killed_in_the_middle_of_a_call() {
        let Some(place) = super::Place::postgres().await else {
            return;
        };
        super::an_agent_goes_on_where_one_was_killed_in_the_middle_of_a_call(&place).await;
        place.remove().await;
    }

    #[tokio::test]
    async fn a_killed_turn_loses_nothing_that_was_acknowledged() {
        let Some(place) = super::Place::postgres().await else {
            return;
        };
        super::a_killed_turn_loses_nothing_that_was_acknowledged(&place).await;
        place.remove().await;
    }

    #[tokio::test]
    async fn of_two_processes_the_second_is_told_at_once() {
        let Some(place) = super::Place::postgres().await else {
            return;
        };
        super::of_two_processes_the_second_is_told_at_once(&place).await;
        place.remove().await;
    }
}
