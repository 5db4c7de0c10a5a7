//! From a question to its insight without a model: four tool calls, through a server and a client as anybody's are.
//!
//! Records go from call to call as a session would carry them. The first question is measured by itself, because it
//! starts the stand-in and opens its tables. The areas are open by then, as they are in a server that is ready.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use periplus_runtime::{
    client::{Client, ClientOptions, Connection, Credentials, RemoteTool},
    server::{Server, ServerConfig},
};
use periplus_toolset::{JsonObject, Value, json};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::times::{Times, milliseconds};
use crate::table;

/// Questions about different datasets and areas, all of which the built-in figures answer.
const QUESTIONS: [&str; 6] = [
    "How much tree cover was lost in Pará between 2015 and 2020?",
    "Which state of Brazil lost most tree cover since 2010?",
    "What drives tree cover loss in Costa Rica?",
    "How many deforestation alerts were there in Costa Rica in 2024?",
    "What is the land cover of Costa Rica?",
    "How much grassland is there in Kenya?",
];

const STEPS: [&str; 4] = ["pick_aoi", "pick_dataset", "pull_data", "generate_insight"];

/// How often each question is asked after the first time.
const ROUNDS: usize = 20;

/// The four calls of one question must not take longer, in milliseconds.
const BUDGET_MS: f64 = 300.0;

pub(super) async fn measure() -> Result<()> {
    let chain = Chain::open().await?;
    let [first_question, ..] = QUESTIONS;
    let first = chain.ask(first_question).await?;
    let mut times: [Vec<Duration>; STEPS.len()] = Default::default();
    let mut together = Vec::new();
    for question in (0..ROUNDS).flat_map(|_| QUESTIONS) {
        let steps = chain
            .ask(question)
            .await
            .with_context(|| format!("asking {question:?}"))?;
        for (times, step) in times.iter_mut().zip(steps) {
            times.push(step);
        }
        together.push(steps.iter().sum());
    }
    let mut rows: Vec<Vec<String>> = STEPS
        .iter()
        .zip(first)
        .zip(times)
        .map(|((name, first), times)| row(name, first, times, "–"))
        .collect();
    rows.push(row(
        "together",
        first.iter().sum(),
        together,
        &BUDGET_MS.to_string(),
    ));
    table::print(
        &format!(
            "From a question to its insight, {} questions {ROUNDS} times, without a model",
            QUESTIONS.len()
        ),
        &["call", "first ms", "p50 ms", "p99 ms", "budget ms"],
        &rows,
    );
    Ok(())
}

fn row(name: &str, first: Duration, times: Vec<Duration>, budget: &str) -> Vec<String> {
    let times = Times::new(times);
    vec![
        name.to_owned(),
        milliseconds(first),
        times.percentile(50),
        times.percentile(99),
        budget.to_owned(),
    ]
}

/// The four tools, served over HTTP by this process.
struct Chain(Vec<(Connection, Vec<RemoteTool>)>);

impl Chain {
    async fn open() -> Result<Self> {
        let directory = Client::new(ClientOptions::default()).open(&serve()?).await?;
        let nobody = Credentials::default();
        let mut toolsets = Vec::new();
        for listed in directory.entries {
            let tools = listed.connection.list_tools(&nobody).await?;
            toolsets.push((listed.connection, tools));
        }
        Ok(Self(toolsets))
    }

    /// What each call takes, in the order of [`STEPS`].
    async fn ask(&self, question: &str) -> Result<[Duration; STEPS.len()]> {
        let [aoi, dataset, pull, insight] = STEPS;
        let (area, aoi_time) = self.call(aoi, json!({ "question": question })).await?;
        let selection = published(&area, "aoi_selection")?;
        let arguments = json!({ "query": question, "aoi_selection": selection });
        let (picked, dataset_time) = self.call(dataset, arguments).await?;
        let chosen = published(&picked, "dataset")?;
        let arguments = json!({ "query": question, "dataset": chosen, "aoi_selection": selection });
        let (pulled, pull_time) = self.call(pull, arguments).await?;
        let statistics = published(&pulled, "statistics")?;
        let arguments = json!({ "query": question, "statistics": statistics, "dataset": chosen });
        let (found, insight_time) = self.call(insight, arguments).await?;
        published(&found, "charts")?;
        Ok([aoi_time, dataset_time, pull_time, insight_time])
    }

    async fn call(&self, name: &str, arguments: Value) -> Result<(Value, Duration)> {
        let known = self.0.iter().find_map(|(connection, tools)| {
            let tool = tools.iter().find(|tool| tool.name == name)?;
            Some((connection, tool))
        });
        let (connection, tool) = known.context("both toolsets are served")?;
        let arguments: JsonObject = serde_json::from_value(arguments)?;
        let started = Instant::now();
        let result = connection
            .call_tool(tool, &arguments, &Credentials::default())
            .await?;
        let took = started.elapsed();
        ensure!(!result.is_error, "{name} failed: {:?}", result.text);
        Ok((result.structured.context("the tool is typed")?, took))
    }
}

/// A record that a call publishes.
fn published<'a>(result: &'a Value, key: &str) -> Result<&'a Value> {
    result
        .get(key)
        .filter(|value| !value.is_null())
        .with_context(|| format!("no {key} was published: {}", result["message"]))
}

/// Serves both toolsets until the program ends.
fn serve() -> Result<Url> {
    let config = ServerConfig {
        port: 0,
        ..ServerConfig::default()
    };
    let toolsets = vec![
        periplus_zeno_aoi::toolset(periplus_zeno_aoi::Config::default()),
        periplus_zeno_analysis::toolset(periplus_zeno_analysis::Config::default())?,
    ];
    let server = Server::bind(config, toolsets)?;
    let address = server
        .addresses()
        .first()
        .context("the server listens somewhere")?;
    let url = format!("http://{address}/").parse()?;
    tokio::spawn(server.run(CancellationToken::new()));
    Ok(url)
}
