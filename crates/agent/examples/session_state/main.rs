//! Values by reference over three servers, one of them a stranger: `cargo run -p periplus-agent --example session_state`
//!
//! A script plays the model, so that it also does what a model should not do. What each rule makes of it is printed.
//! The third server is plain Python and is left out where `python3` is missing.

#![expect(clippy::print_stdout, reason = "an example talks to a person")]

use std::{
    error::Error,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
};

use futures::StreamExt;
use periplus_agent::{Agent, MemoryCheckpoints, RunContext, Thread, ThreadId, TurnEvent};
use periplus_llm::scripted::{Script, Scripted, Turn};
use periplus_runtime::server::{Server, ServerConfig};
use periplus_toolset::prelude::*;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use url::Url;

/// An area that was found.
#[derive(Debug, ToolResult)]
struct Found {
    /// What was found.
    message: String,
    /// Its shape, which no model should ever copy.
    area: Option<JsonObject>,
}

/// Find a place by name.
#[tool(read_only)]
async fn find_place(
    /// The name.
    name: String,
) -> Found {
    let corners: Vec<[f64; 2]> = (0..500)
        .map(|step| f64::from(step) / 500.0)
        .map(|t| [t.sin(), t.cos()])
        .collect();
    let area = json!({ "type": "Feature", "properties": { "name": name }, "geometry": { "type": "LineString", "coordinates": corners } });
    Found {
        message: format!("Found {name}."),
        area: area.as_object().cloned(),
    }
}

/// What was measured.
#[derive(Debug, ToolResult)]
struct Measured {
    /// The measure.
    message: String,
}

/// Count the corners of an area.
#[tool(read_only)]
async fn measure(
    /// The area, as `find_place` found it.
    #[tool(not_authored)]
    area: JsonObject,
) -> Measured {
    let corners = area
        .get("geometry")
        .and_then(|geometry| geometry.get("coordinates")?.as_array().map(Vec::len));
    Measured {
        message: format!("The area has {} corners.", corners.unwrap_or_default()),
    }
}

/// What happens, and what the script's model does.
fn story(has_stranger: bool) -> Vec<(&'static str, Turn)> {
    let handle = "@state:places/find_place/area";
    let mut story = vec![
        (
            "A tool returns a shape: it is kept, the model reads a note",
            Turn::call("find_place", json!({ "name": "Severn" })),
        ),
        (
            "The model writes a shape of its own: the call is refused",
            Turn::call("measure", json!({ "area": { "type": "Feature" } })),
        ),
        (
            "It passes a key that nobody has published: refused, with what there is",
            Turn::call("measure", json!({ "area": "@state:places/find_place/shape" })),
        ),
        (
            "It passes the handle: the server gets the shape, the model never saw it",
            Turn::call("measure", json!({ "area": handle })),
        ),
    ];
    if has_stranger {
        story.push((
            "A stranger's tool takes the same handle, and its long answer is kept too",
            Turn::call("describe_area", json!({ "area": handle })),
        ));
    }
    story.push((
        "A part of a kept value is read on purpose",
        Turn::call(
            "inspect_state",
            json!({ "key": "places/find_place/area", "path": "properties" }),
        ),
    ));
    story.push(("The answer", Turn::say("The area of the Severn has 500 corners.")));
    story
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // A second installation is refused, which does no harm.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let stop = CancellationToken::new();
    let mut servers = vec![
        serve(Toolset::new("places").tool(find_place), &stop)?,
        serve(Toolset::new("raster").tool(measure), &stop)?,
    ];
    let stranger = start_stranger();
    servers.extend(stranger.as_ref().map(|(_, url)| url.clone()));
    if stranger.is_none() {
        println!("(python3 is missing: the stranger is left out)");
    }
    let (titles, turns): (Vec<_>, Vec<_>) = story(stranger.is_some()).into_iter().unzip();
    let model = Scripted::new(turns.into_iter().fold(Script::new("story"), Script::turn));
    let builder = Agent::builder(Arc::new(model), Arc::new(MemoryCheckpoints::default()));
    let agent = servers
        .into_iter()
        .fold(builder, |builder, url| builder.toolsets(url))
        .connect()
        .await;

    let thread = ThreadId::random();
    tell(&agent, &thread, titles).await?;
    let thread = agent.thread(&thread).await?.ok_or("the thread was kept")?;
    count(&thread)?;
    if let Some((mut child, _)) = stranger {
        drop(child.stdin.take());
        child.wait()?;
    }
    stop.cancel();
    Ok(())
}

/// Runs the story, and prints what each rule makes of it.
async fn tell(agent: &Agent, thread: &ThreadId, titles: Vec<&str>) -> Result<(), Box<dyn Error>> {
    let mut titles = titles.into_iter();
    let question = "how many corners has the Severn?";
    let mut events = agent
        .stream_turn(RunContext::new(thread.clone()), question.into())
        .await?;
    println!("you: {question}");
    while let Some(event) = events.next().await {
        match event? {
            TurnEvent::ToolStarted { name, arguments, .. } => {
                println!(
                    "\n## {}\nmodel → {name} {arguments}",
                    titles.next().unwrap_or_default()
                );
            }
            TurnEvent::ToolFinished {
                content, artifact, ..
            } => {
                for line in content.lines().take(6) {
                    println!("  {line}");
                }
                for (parameter, receipt) in &artifact.injected_state {
                    println!("  receipt: {}", receipt.line(parameter));
                }
            }
            TurnEvent::Finished(result) => {
                println!("\n## {}\n{}", titles.next().unwrap_or_default(), result.answer);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Says how much never entered the conversation.
fn count(thread: &Thread) -> Result<(), Box<dyn Error>> {
    let kept: usize = thread.state.iter().map(|(_, entry)| entry.value.bytes()).sum();
    let read = serde_json::to_string(&thread.messages)?.len();
    println!("\nThe conversation has {read} bytes; values of {kept} bytes stayed out of it.");
    Ok(())
}

fn serve(toolset: Toolset, stop: &CancellationToken) -> Result<Url, Box<dyn Error>> {
    let config = ServerConfig {
        port: 0,
        ..ServerConfig::default()
    };
    let server = Server::bind(config, vec![toolset])?;
    let address = server.addresses().first().ok_or("the server has an address")?;
    let url = format!("http://{address}/").parse()?;
    tokio::spawn(server.run(stop.clone()));
    Ok(url)
}

/// The Python server and its address; nothing if there is no Python.
fn start_stranger() -> Option<(Child, Url)> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/session_state/plain_server.py");
    let mut child = Command::new("python3")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut port = String::new();
    BufReader::new(child.stdout.take()?).read_line(&mut port).ok()?;
    let url = format!("http://127.0.0.1:{}/mcp", port.trim()).parse().ok()?;
    Some((child, url))
}
