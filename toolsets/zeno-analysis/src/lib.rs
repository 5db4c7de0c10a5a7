//! From an area and a question to statistics with a source, and to an insight that can be checked.
//!
//! `pick_dataset` chooses what to ask, `pull_data` asks the analytics service and publishes where the figures are, never
//! the figures. `generate_insight` computes charts and words whose every number knows the rows it is from. Without a
//! configured service a stand-in inside this process answers from published statistics, and says so.
#![cfg_attr(
    test,
    expect(
        clippy::needless_pass_by_value,
        reason = "json!(…) reads best where it stands"
    )
)]

mod admission;
mod analytics;
mod areas;
mod catalogue;
mod chart;
mod choice;
mod dates;
mod error;
mod insight;
mod pull;
mod record;
mod spoken;
mod statistics;
mod tiles;
mod tools;

use std::{sync::Arc, time::Duration};

use chrono::{NaiveDate, Utc};
use periplus_interpreter::Interpreter;
use periplus_llm::ChatModel;
use periplus_toolset::{Concurrency, Toolset, json};

use self::{analytics::Analytics, catalogue::Catalogue};
pub use self::{
    analytics::{Patience, Service, ServiceError, Stage},
    catalogue::CatalogueError,
    error::CODES,
};

/// Host in front of tile paths that name none.
pub const DEFAULT_TILE_BASE: &str = "https://eoapi-cache.globalnaturewatch.org";

/// The dataset that deployments hide unless they say otherwise: it competes with a public one and needs a special account.
pub const DEFAULT_EXCLUDED: &str = "Land GHG Monitoring System (LGMS)";

/// What an operator decides about the toolset.
#[derive(Debug, Clone)]
pub struct Config {
    /// The analytics service.
    pub service: Service,
    /// How long a pull may take.
    pub patience: Patience,
    /// Names of the datasets that are hidden; none if it is empty.
    pub excluded_datasets: Vec<String>,
    /// Host in front of tile paths that name none.
    pub tile_base: String,
    /// The model that chooses datasets and writes texts; rules and templates do if there is none.
    pub chat: Option<Arc<dyn ChatModel>>,
    /// The models that write analysis programs, in the order in which they are tried; rules make charts if there are none.
    pub coders: Vec<Arc<dyn ChatModel>>,
    /// What runs the programs; without it no model is asked for one.
    pub interpreter: Option<Interpreter>,
    /// The day that counts as today; the day of the call unless set.
    pub today: Option<NaiveDate>,
}

impl Default for Config {
    /// The stand-in, two minutes, one hidden dataset, rules.
    fn default() -> Self {
        Self {
            service: Service::StandIn,
            patience: Patience::default(),
            excluded_datasets: vec![DEFAULT_EXCLUDED.to_owned()],
            tile_base: DEFAULT_TILE_BASE.to_owned(),
            chat: None,
            coders: Vec::new(),
            interpreter: None,
            today: None,
        }
    }
}

/// What the tools share.
#[derive(Debug)]
struct Zeno {
    catalogue: Catalogue,
    analytics: Analytics,
    chat: Option<Arc<dyn ChatModel>>,
    coders: Vec<Arc<dyn ChatModel>>,
    interpreter: Option<Interpreter>,
    tile_base: String,
    today: Option<NaiveDate>,
}

impl Zeno {
    fn today(&self) -> NaiveDate {
        self.today.unwrap_or_else(|| Utc::now().date_naive())
    }
}

/// The toolset `zeno-analysis`; nothing is fetched and no port opened before the first pull.
///
/// # Errors
/// A dataset file that cannot be used; the error names it.
pub fn toolset(config: Config) -> Result<Toolset, CatalogueError> {
    let zeno = Zeno {
        catalogue: Catalogue::load(&config.excluded_datasets)?,
        analytics: Analytics::new(config.service, config.patience),
        chat: config.chat,
        coders: config.coders,
        interpreter: config.interpreter,
        tile_base: config.tile_base,
        today: config.today,
    };
    let toolset = Toolset::new("zeno-analysis")
        .title("Zeno: analysis")
        .version(env!("CARGO_PKG_VERSION"))
        .instructions(INSTRUCTIONS)
        .tool(tools::pick_dataset)
        .tool(tools::pull_data)
        .tool(tools::generate_insight)
        .example(
            "pick_dataset",
            json!({ "question": "Which dataset is about {subject}?", "arguments": { "query": "{subject}" } }),
        )
        .example(
            "generate_insight",
            json!("How much tree cover did Pará lose since 2015?"),
        )
        .example(
            "generate_insight",
            json!("What drives tree cover loss in Costa Rica?"),
        )
        .concurrency("pulls", PULLS)
        .error_codes(CODES)
        .state(zeno);
    let toolset = QUESTIONS.iter().fold(toolset, |toolset, question| {
        toolset.example("generate_insight", json!(question))
    });
    Ok(ABOUT_DATASETS.iter().fold(toolset, |toolset, question| {
        let example = json!({ "question": question, "arguments": { "query": question } });
        toolset.example("pick_dataset", example)
    }))
}

/// What can be asked about a dataset; the catalogue answers without figures.
const ABOUT_DATASETS: [&str; 5] = [
    "What is the resolution of {dataset}?",
    "Which years does {dataset} cover?",
    "How often is {dataset} updated?",
    "How do I cite {dataset}?",
    "Where do the figures of {dataset} come from?",
];

/// What can be asked of the whole chain; the built-in figures answer each of them. Planners know the subjects from here.
const QUESTIONS: [&str; 5] = [
    "How much tree cover was lost in Pará between 2015 and 2020?",
    "How much tree cover did Brazil gain?",
    "How many deforestation alerts were there in Costa Rica in 2024?",
    "What is the land cover of Costa Rica?",
    "How much grassland is there in Kenya?",
];

/// Pulls mostly wait; each may hold a large answer.
const PULLS: Concurrency = Concurrency {
    running: 16,
    waiting: 64,
    retry_after: Duration::from_secs(5),
};

const INSTRUCTIONS: &str = "Choose a dataset with pick_dataset, then fetch its statistics for a selected area with pull_data. \
Pass areas, datasets and statistics as handles, never as text. If pick_dataset gives suggestions only, relay them and wait for \
the user. Then call generate_insight: its message holds the figures. State no figure that a result did not give.";
