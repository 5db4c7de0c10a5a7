//! What the agent adds to a turn: two tool calls with a 40 kB value between them, over each store, without the model's time.
//!
//! The model answers at once and counts what it is sent and what it has to write. The tools are served over HTTP by
//! this process.

use std::{
    fs,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};
use futures::StreamExt as _;
use periplus_agent::{Agent, AgentSettings, CheckpointPlace, Retention, RunContext, ThreadId, TurnOutcome};
use periplus_llm::{
    AssistantMessage, ChatEvent, ChatModel, ChatRequest, ChatStream, Message, ModelName, Reply, StopReason,
    ToolCall, Usage,
};
use periplus_runtime::{
    client::{Client, ClientOptions, Credentials, DeclaredHeaders},
    server::{Server, ServerConfig},
};
use periplus_toolset::prelude::*;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::{Options, table};

/// Bytes of the value that goes from one tool to the other.
const VALUE_BYTES: usize = 40_000;
/// Threads of each store; medians count.
const THREADS: usize = 20;
/// Turns of a thread: the last one has a past.
const TURNS: usize = 10;
/// Characters that count as a token, in the absence of a tokeniser.
const CHARACTERS_PER_TOKEN: u64 = 4;

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    // A process that was given another provider keeps it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    tokio::runtime::Runtime::new()
        .context("starting the runtime")?
        .block_on(measure(options))
}

async fn measure(options: &Options) -> anyhow::Result<()> {
    let url = serve()?;
    let mut rows = vec![row("the two calls alone", &[alone(&url).await?])];
    for (name, place) in places(options)? {
        table::note(&format!("turns over {name}"));
        rows.push(row(name, &turns(&url, &place).await?));
    }
    fs::remove_dir_all(folder(options)).context("removing the threads")?;
    table::print(
        &format!(
            "A turn with two tool calls and a value of {VALUE_BYTES} bytes, without the model: medians of {THREADS} threads"
        ),
        &["store", "first turn ms", &format!("turn {TURNS} ms")],
        &rows,
    );
    tokens(&url).await
}

/// Where threads are kept; a server of PostgreSQL only if there is one.
fn places(options: &Options) -> anyhow::Result<Vec<(&'static str, CheckpointPlace)>> {
    let file = folder(options).join("threads.sqlite");
    let mut places = vec![
        ("memory", CheckpointPlace::Memory),
        ("SQLite", CheckpointPlace::Sqlite(file)),
    ];
    match &options.postgres {
        Some(address) => places.push(("PostgreSQL", address.parse()?)),
        None => table::note("no PostgreSQL was named: it is left out"),
    }
    Ok(places)
}

/// A folder of this run alone.
fn folder(options: &Options) -> PathBuf {
    options.cache.join(format!("threads-{}", std::process::id()))
}

fn row(name: &str, medians: &[Duration]) -> Vec<String> {
    let cells = (0..2).map(|column| {
        let cell = medians.get(column);
        cell.map_or_else(
            || "–".to_owned(),
            |time| format!("{:.2}", time.as_secs_f64() * 1e3),
        )
    });
    std::iter::once(name.to_owned()).chain(cells).collect()
}

/// The medians of first turns and of last turns.
async fn turns(url: &Url, place: &CheckpointPlace) -> anyhow::Result<Vec<Duration>> {
    let model = Arc::new(Counting::new(true));
    let agent = agent(url, place, &model).await?;
    let (mut first, mut last) = (Vec::new(), Vec::new());
    for _ in 0..THREADS {
        let thread = ThreadId::random();
        for turn in 1..=TURNS {
            let took = one_turn(&agent, &model, &thread).await?;
            if turn == 1 {
                first.push(took);
            } else if turn == TURNS {
                last.push(took);
            }
        }
    }
    Ok(vec![median(first), median(last)])
}

async fn agent(url: &Url, place: &CheckpointPlace, model: &Arc<Counting>) -> anyhow::Result<Agent> {
    let store = place.open(Retention::default())?;
    let settings = AgentSettings {
        session_state: model.by_reference,
        ..AgentSettings::default()
    };
    let agent = Agent::builder(Arc::<Counting>::clone(model), store)
        .settings(settings)
        .toolsets(url.clone())
        .connect()
        .await;
    ensure!(
        agent.toolsets().unreachable().is_empty(),
        "our own server cannot be reached"
    );
    Ok(agent)
}

/// How long a turn takes beside the model.
async fn one_turn(agent: &Agent, model: &Counting, thread: &ThreadId) -> anyhow::Result<Duration> {
    let before = model.spent();
    let started = Instant::now();
    let result = agent
        .run_turn(
            RunContext::new(thread.clone()),
            "clip the rain to the Severn".into(),
        )
        .await?;
    let took = started.elapsed().saturating_sub(model.spent() - before);
    ensure!(
        result.outcome == Some(TurnOutcome::Answered) && result.answer == ANSWER,
        "the turn came to `{}` ({:?})",
        result.answer,
        result.outcome
    );
    Ok(took)
}

/// The same two calls with nothing around them.
async fn alone(url: &Url) -> anyhow::Result<Duration> {
    let client = Client::new(ClientOptions::default());
    let connection = client.connection("bench", &url.join("mcp")?, DeclaredHeaders::Only(Vec::new()));
    let nobody = Credentials::default();
    let tools = connection.list_tools(&nobody).await?;
    let calls = [
        ("search", json!({ "query": "severn" })),
        ("clip", json!({ "area": area() })),
    ];
    let mut times = Vec::new();
    for _ in 0..THREADS {
        let started = Instant::now();
        for (name, arguments) in &calls {
            let tool = tools
                .iter()
                .find(|tool| tool.name == *name)
                .context("we serve it")?;
            let arguments = arguments.as_object().context("they are an object")?;
            let result = connection.call_tool(tool, arguments, &nobody).await?;
            ensure!(!result.is_error, "{name} failed: {:?}", result.text);
        }
        times.push(started.elapsed());
    }
    Ok(median(times))
}

/// What a model reads and writes in a thread, with values by reference and with values in the text.
async fn tokens(url: &Url) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for (name, by_reference) in [("values by reference", true), ("values in the text", false)] {
        let model = Arc::new(Counting::new(by_reference));
        let agent = agent(url, &CheckpointPlace::Memory, &model).await?;
        let thread = ThreadId::random();
        let mut cells = vec![name.to_owned()];
        for turn in 1..=TURNS {
            one_turn(&agent, &model, &thread).await?;
            if turn == 1 || turn == TURNS {
                cells.push(model.read_tokens().to_string());
                cells.push(model.written_tokens().to_string());
            }
        }
        rows.push(cells);
    }
    table::print(
        &format!("Tokens of a thread, {CHARACTERS_PER_TOKEN} characters each"),
        &[
            "",
            "read, 1 turn",
            "written, 1 turn",
            &format!("read, {TURNS} turns"),
            &format!("written, {TURNS} turns"),
        ],
        &rows,
    );
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// What the model says in the end.
const ANSWER: &str = "The rain is clipped.";

/// A model that answers at once, and counts.
#[derive(Debug)]
struct Counting {
    name: ModelName,
    /// Whether it passes the area by reference, or writes it out.
    by_reference: bool,
    read: AtomicU64,
    written: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Counting {
    fn new(by_reference: bool) -> Self {
        Self {
            name: "scripted:counting"
                .parse()
                .expect("it has a provider and a model"),
            by_reference,
            read: AtomicU64::new(0),
            written: AtomicU64::new(0),
            nanoseconds: AtomicU64::new(0),
        }
    }

    fn spent(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }

    fn read_tokens(&self) -> u64 {
        self.read.load(Ordering::Relaxed) / CHARACTERS_PER_TOKEN
    }

    fn written_tokens(&self) -> u64 {
        self.written.load(Ordering::Relaxed) / CHARACTERS_PER_TOKEN
    }

    fn answer(&self, request: &ChatRequest) -> AssistantMessage {
        let call = |tool: &str, arguments: serde_json::Value| {
            let arguments = arguments.as_object().cloned().unwrap_or_default();
            AssistantMessage {
                tool_calls: vec![ToolCall::new("", tool, arguments)],
                ..AssistantMessage::default()
            }
        };
        match request.messages.last() {
            Some(Message::Tool(result)) if result.tool == "search" && self.by_reference => {
                call("clip", json!({ "area": "@state:bench/search/area" }))
            }
            Some(Message::Tool(result)) if result.tool == "search" => call("clip", json!({ "area": area() })),
            Some(Message::Tool(_)) => AssistantMessage {
                text: ANSWER.to_owned(),
                ..AssistantMessage::default()
            },
            _ => call("search", json!({ "query": "severn" })),
        }
    }
}

impl ChatModel for Counting {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn stream(&self, request: ChatRequest, _cancel: CancellationToken) -> ChatStream {
        let started = Instant::now();
        let message = self.answer(&request);
        self.read.fetch_add(characters(&request), Ordering::Relaxed);
        self.written.fetch_add(characters(&message), Ordering::Relaxed);
        let stop_reason = if message.tool_calls.is_empty() {
            StopReason::Complete
        } else {
            StopReason::ToolCalls
        };
        let reply = Reply {
            message,
            reasoning: String::new(),
            stop_reason,
            usage: Usage::default(),
        };
        drop(request);
        let spent = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(spent, Ordering::Relaxed);
        futures::stream::iter([Ok(ChatEvent::Finished(reply))]).boxed()
    }
}

fn characters(value: &impl serde::Serialize) -> u64 {
    serde_json::to_string(value).map_or(0, |text| text.chars().count() as u64)
}

/// A polygon of the wanted size.
fn area() -> JsonObject {
    let point = |number: usize| json!([-2.5 + number as f64 * 1e-5, 52.0 + number as f64 * 1e-5]);
    let mut points = Vec::new();
    let mut bytes = 0;
    while bytes < VALUE_BYTES {
        let next = point(points.len());
        bytes += next.to_string().len() + 1;
        points.push(next);
    }
    json!({ "type": "Polygon", "coordinates": [points] })
        .as_object()
        .cloned()
        .unwrap_or_default()
}

/// An area.
#[derive(Debug, ToolResult)]
struct Found {
    /// That it was found.
    message: String,
    /// The area.
    area: Option<JsonObject>,
}

/// Find an area by its name.
#[tool(read_only)]
async fn search(
    /// The name.
    query: String,
) -> Found {
    Found {
        message: format!("Found an area for '{query}'."),
        area: Some(area()),
    }
}

/// That something was clipped.
#[derive(Debug, ToolResult)]
struct Clipped {
    /// That it was.
    message: String,
}

/// Clip the rain to an area.
#[tool(read_only)]
async fn clip(
    /// The area.
    area: JsonObject,
) -> Clipped {
    Clipped {
        message: format!("Clipped to a {}.", area.get("type").unwrap_or_default()),
    }
}

/// Serves both tools until the program ends.
fn serve() -> anyhow::Result<Url> {
    let config = ServerConfig {
        port: 0,
        ..ServerConfig::default()
    };
    let server = Server::bind(config, vec![Toolset::new("bench").tool(search).tool(clip)])?;
    let address = server
        .addresses()
        .first()
        .context("the server listens somewhere")?;
    let url = format!("http://{address}/").parse()?;
    tokio::spawn(server.run(CancellationToken::new()));
    Ok(url)
}
