//! The four tools from a place to an insight, called in this process as a server calls them.
//!
//! Arguments are checked, credentials withheld and results validated exactly as for a served call; what a client would pass
//! by reference is passed as the value itself.

use std::time::Instant;

use periplus_toolset::{Tool, Toolset};
use serde_json::{Map, Value, json};

use crate::EvalError;

const TOOLS: [&str; 4] = ["pick_aoi", "pick_dataset", "pull_data", "generate_insight"];

/// What the areas are looked up in; it decides which of them a refusal may be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Catalogue {
    /// The built-in one: countries and first-level units.
    Embedded,
    /// A database, which holds every area that the sets ask for.
    Database,
}

/// The toolsets that are evaluated.
#[derive(Debug)]
pub struct Zeno {
    toolsets: Vec<Toolset>,
    catalogue: Catalogue,
}

/// What a tool answered: its structured result, or why there is none.
pub(crate) type Reply = Result<Value, Refusal>;

/// An answer without a result.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    /// The documented code, or `failed` if the call itself failed.
    pub(crate) code: String,
    /// What the tool said.
    pub(crate) detail: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.detail)
    }
}

/// Code of a call that did not end in an answer.
const FAILED: &str = "failed";

impl Refusal {
    /// Whether the tool itself answered: a crash, a broken contract or a time-out is no honest refusal.
    pub(crate) fn is_an_answer(&self) -> bool {
        self.code != FAILED
    }
}

impl Zeno {
    /// Evaluates these toolsets.
    ///
    /// # Errors
    /// [`EvalError::MissingTool`] if one of the four tools is in none of them.
    pub fn new(toolsets: Vec<Toolset>, catalogue: Catalogue) -> Result<Self, EvalError> {
        let has = |tool: &str| toolsets.iter().any(|toolset| toolset.find(tool).is_some());
        match TOOLS.into_iter().find(|tool| !has(tool)) {
            Some(tool) => Err(EvalError::MissingTool { tool }),
            None => Ok(Self { toolsets, catalogue }),
        }
    }

    /// What the areas are looked up in.
    pub(crate) fn catalogue(&self) -> Catalogue {
        self.catalogue
    }

    /// Picks the areas of a question.
    pub(crate) async fn pick_aoi(&self, question: &str) -> Reply {
        self.call("pick_aoi", json!({ "question": question })).await
    }

    /// Picks the dataset of a question, for dates and an area if there are any.
    pub(crate) async fn pick_dataset(
        &self,
        query: &str,
        dates: [Option<&str>; 2],
        aoi_selection: Option<&Value>,
    ) -> Reply {
        let [start_date, end_date] = dates;
        let arguments = json!({
            "query": query, "start_date": start_date, "end_date": end_date, "aoi_selection": aoi_selection,
        });
        self.call("pick_dataset", arguments).await
    }

    /// Pulls the statistics of a dataset for areas.
    pub(crate) async fn pull_data(
        &self,
        query: &str,
        is_change: bool,
        dataset: &Value,
        aoi_selection: &Value,
    ) -> Reply {
        let arguments = json!({
            "query": query, "change_over_time_query": is_change, "dataset": dataset, "aoi_selection": aoi_selection,
        });
        self.call("pull_data", arguments).await
    }

    /// Computes what pulled statistics say.
    pub(crate) async fn generate_insight(&self, query: &str, statistics: &Value, dataset: &Value) -> Reply {
        let arguments = json!({ "query": query, "statistics": statistics, "dataset": dataset });
        self.call("generate_insight", arguments).await
    }

    async fn call(&self, name: &'static str, arguments: Value) -> Reply {
        let found = self
            .toolsets
            .iter()
            .find_map(|toolset| Some((toolset, toolset.find(name)?)));
        let (toolset, tool) = found.expect("the tools were looked for when the toolsets were taken");
        let outcome = run(toolset, tool, given(arguments)).await;
        let result = outcome.map_err(|detail| Refusal {
            code: FAILED.to_owned(),
            detail,
        })?;
        match result.get("error").and_then(Value::as_str) {
            Some(code) => Err(Refusal {
                code: code.to_owned(),
                detail: text(&result, "detail").to_owned(),
            }),
            None => Ok(result),
        }
    }
}

async fn run(toolset: &Toolset, tool: &Tool, arguments: Map<String, Value>) -> Result<Value, String> {
    let declaration = tool.declaration();
    let limit = declaration.limits.timeout;
    let context = toolset
        .context()
        .request_id("eval")
        .deadline(Instant::now() + limit)
        .build();
    match tokio::time::timeout(limit, tool.call(arguments, &context)).await {
        Ok(Ok(output)) => Ok(output.structured),
        Ok(Err(failure)) => Err(toolset.describe_failure(&declaration.name, &failure)),
        Err(_elapsed) => Err(format!(
            "{} did not finish within {} s",
            declaration.name,
            limit.as_secs()
        )),
    }
}

/// The arguments that were given: one that is null was not.
fn given(arguments: Value) -> Map<String, Value> {
    let Value::Object(mut arguments) = arguments else {
        return Map::new();
    };
    arguments.retain(|_, value| !value.is_null());
    arguments
}

/// A text of a result; the empty one if there is none.
pub(crate) fn text<'a>(result: &'a Value, key: &str) -> &'a str {
    result.get(key).and_then(Value::as_str).unwrap_or_default()
}
