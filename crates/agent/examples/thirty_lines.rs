//! An agent in thirty lines: `cargo run -p periplus-agent --example thirty_lines -- http://localhost:8000 "What can you do?"`

#![expect(clippy::print_stdout, reason = "an example talks to a person")]

use std::{error::Error, sync::Arc};

use futures::StreamExt;
use periplus_agent::{Agent, MemoryCheckpoints, RunContext, ThreadId, TurnEvent};
use periplus_llm::{ModelSettings, connect};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().ok_or("give the address of a server")?.parse()?;
    let question = arguments.next().ok_or("give a question")?;
    let model = connect(&"guide:".parse()?, ModelSettings::default())?;
    let threads = Arc::new(MemoryCheckpoints::default());
    let agent = Agent::builder(model, threads).toolsets(url).connect().await;
    let run = RunContext::new(ThreadId::random());
    let mut events = agent.stream_turn(run, question.as_str().into()).await?;
    while let Some(event) = events.next().await {
        match event? {
            TurnEvent::ToolStarted { name, arguments, .. } => println!("→ {name} {arguments}"),
            TurnEvent::AnswerChunk { text, .. } => print!("{text}"),
            TurnEvent::Finished(_) => println!(),
            _ => {}
        }
    }
    Ok(())
}
