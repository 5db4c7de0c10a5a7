//! A toolset whose tools ask, take long, and announce changes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use periplus_toolset::{
    Block, Body, Capability, Changes, Content, Context, LegacyStreams, LogLevel, Prompt, PromptMessage,
    Question, Resource, ResourceTemplate, ToolError, ToolResult, Toolset, schemars, schemars::JsonSchema,
    tool,
};
use serde::Deserialize;

/// How often a tool has done what it does once it has its answers, and how many are at work.
#[derive(Debug, Default)]
pub(crate) struct Work {
    pub(crate) done: AtomicUsize,
    pub(crate) running: AtomicUsize,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Name {
    /// What you are called.
    name: String,
}

/// Something that was done.
#[derive(Debug, ToolResult)]
struct Done {
    /// What was done.
    message: String,
}

fn done(cx: &Context, message: String) -> Done {
    if let Some(work) = cx.state::<Arc<Work>>() {
        work.done.fetch_add(1, Ordering::SeqCst);
    }
    Done { message }
}

/// Asks for a name.
#[tool]
async fn greet(
    /// What to say.
    #[tool(default = "Hello")]
    greeting: String,
    cx: &Context,
) -> Result<Done, ToolError> {
    let user = cx.ask(Question::<Name>::form("user", "Who are you?")).await?;
    Ok(done(cx, format!("{greeting}, {}!", user.name)))
}

/// Asks for one thing after the other.
#[tool]
async fn rename(cx: &Context) -> Result<Done, ToolError> {
    let from = cx.ask(Question::<Name>::form("from", "From what name?")).await?;
    let to = cx.ask(Question::<Name>::form("to", "To what name?")).await?;
    if !cx.ask(Question::confirm("sure", "Sure?")).await? {
        return Err(ToolError::new("kept", "nothing was renamed"));
    }
    Ok(done(cx, format!("{} is {} now", from.name, to.name)))
}

/// Lets the model write.
#[tool(read_only)]
async fn compose(cx: &Context) -> Result<Done, ToolError> {
    let text = cx.ask(Question::model("verse", "Write a verse.", 50)).await?;
    Ok(done(cx, text))
}

/// Needs a client with folders.
#[tool(read_only)]
async fn insists(cx: &Context) -> Result<Content, ToolError> {
    cx.require(Capability::Roots)?;
    Ok(Content::text("It has folders."))
}

/// Works until it is stopped, or for some milliseconds.
#[tool(task, timeout = "1m")]
async fn toil(
    /// How long.
    #[tool(default = 60_000)]
    milliseconds: u64,
    cx: &Context,
) -> Result<Done, ToolError> {
    let work = cx.state::<Arc<Work>>().cloned().unwrap_or_default();
    let _at_work = AtWork::start(work);
    cx.detach().await;
    tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    Ok(done(cx, "The work is done.".to_owned()))
}

/// Counts who is at work.
struct AtWork(Arc<Work>);

impl AtWork {
    fn start(work: Arc<Work>) -> Self {
        work.running.fetch_add(1, Ordering::SeqCst);
        Self(work)
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Asks while it works.
#[tool(task = "required")]
async fn toil_and_ask(cx: &Context) -> Result<Done, ToolError> {
    cx.detach().await;
    let questions = (
        Question::<Name>::form("first", "First?"),
        Question::<Name>::form("second", "Second?"),
    );
    let (first, second) = cx.ask(questions).await?;
    Ok(done(cx, format!("{} and {}", first.name, second.name)))
}

/// Breaks down as a task.
#[tool(task)]
async fn break_down(cx: &Context) -> Result<Done, ToolError> {
    cx.detach().await;
    Err(ToolError::internal("password is hunter2"))
}

/// Logs a line.
#[tool]
async fn log_a_line(cx: &Context) -> Done {
    cx.log(LogLevel::Debug, "detail".into());
    cx.log(LogLevel::Info, "line".into());
    Done {
        message: "Logged.".to_owned(),
    }
}

/// The toolset, what its tools did, and the means to announce changes.
pub(crate) fn asking() -> (Toolset, Arc<Work>, Changes) {
    let work = Arc::new(Work::default());
    let changes = Changes::default();
    let toolset = Toolset::new("asking")
        .tool(greet)
        .tool(rename)
        .tool(compose)
        .tool(insists)
        .tool(toil)
        .tool(toil_and_ask)
        .tool(break_down)
        .tool(log_a_line)
        .resource(Resource::text("asking://note", "note", "text/plain", "A note.").description("A note."))
        .resource(Resource::bytes(
            "asking://bytes",
            "bytes",
            "image/png",
            vec![1, 2, 3],
        ))
        .resource_template(
            ResourceTemplate::new("asking://{id}/row", "row", "text/plain", |mut variables| {
                Box::pin(async move {
                    let id = variables.remove("id")?;
                    (id != "none").then(|| Body::Text(format!("Row {id}")))
                })
            })
            .description("A row."),
        )
        .prompt(verse())
        .changes(changes.clone())
        .credential_header("x-demo-token")
        .state(Arc::clone(&work));
    (toolset, work, changes)
}

/// The same toolset, for a server that may ask legacy clients on their streams.
pub(crate) fn asking_on_streams() -> Toolset {
    asking().0.legacy_streams(LegacyStreams {
        logs: true,
        questions: true,
    })
}

fn verse() -> Prompt {
    Prompt::new("verse", "A verse about something.", |arguments, cx| {
        Box::pin(async move {
            let topic = arguments.get("topic").cloned().unwrap_or_default();
            if topic == "you" {
                let user = cx.ask(Question::<Name>::form("user", "Who are you?")).await?;
                return Ok(vec![PromptMessage::user(Block::Text(format!(
                    "Write about {}.",
                    user.name
                )))]);
            }
            Ok(vec![PromptMessage::user(Block::Text(format!(
                "Write about {topic}."
            )))])
        })
    })
    .argument("topic", "What it is about.")
    .suggest(|written| {
        let topics = ["moon", "moss", "sea"];
        topics
            .iter()
            .filter(|topic| topic.starts_with(written))
            .map(|topic| (*topic).to_owned())
            .collect()
    })
}
