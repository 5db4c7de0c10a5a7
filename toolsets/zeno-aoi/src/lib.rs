//! From the name of a place to an area with an id, a source and a shape.
//!
//! A question is read ([`question`]), each place is looked up in a catalogue ([`catalogue`]), one candidate is chosen or
//! the user is asked ([`decide`]), and units inside are listed within the limits of the statistics ([`pick`]). All of it
//! works without a model and without a database; both can be configured.

mod area;
mod bounds;
pub mod catalogue;
pub mod decide;
mod examples;
mod fold;
mod geometry;
pub mod import;
pub mod listing;
mod message;
mod model;
mod outline;
pub mod pick;
mod place;
pub mod question;
pub mod request;
mod service;
mod shape;
mod tools;
mod trigram;
pub mod wire;
mod world_part;

use std::{fmt, sync::Arc, time::Duration};

use periplus_llm::ChatModel;
use periplus_toolset::{Concurrency, Readiness, Toolset, json};

pub use self::{
    area::{Area, Source, Subtype},
    bounds::Bounds,
    fold::fold,
    model::Reader,
    place::Place,
    shape::Shape,
    trigram::{Trigrams, similarity},
};
use self::{catalogue::AreaCatalogue, service::Service};

/// What an operator decides about the toolset.
#[derive(Clone, Default)]
pub struct Config {
    /// Where areas are looked up; without one the embedded catalogue.
    pub catalogue: Option<Arc<dyn AreaCatalogue>>,
    /// A model that reads questions and chooses among near names; without one, rules do.
    pub model: Option<Arc<dyn ChatModel>>,
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field(
                "catalogue",
                &self.catalogue.as_ref().map(|catalogue| catalogue.name()),
            )
            .field("model", &self.model.as_ref().map(|model| model.name()))
            .finish()
    }
}

/// The toolset `zeno-aoi`.
#[must_use]
pub fn toolset(config: Config) -> Toolset {
    let service = Service::new(config.catalogue, config.model);
    let toolset = Toolset::new("zeno-aoi")
        .title("Areas of interest")
        .version(env!("CARGO_PKG_VERSION"))
        .instructions(INSTRUCTIONS)
        .tool(tools::pick_aoi)
        .example(
            "pick_aoi",
            json!({ "question": "Zoom to {place}.", "arguments": { "question": "{place}" } }),
        )
        .concurrency(
            "lookup",
            Concurrency {
                running: 16,
                waiting: 64,
                retry_after: Duration::from_secs(1),
            },
        )
        .resource_template(geometry::template(service.clone()))
        .resource_template(listing::template(service.clone()))
        // The names are opened by the first look at the readiness, so that the first call need not wait for them.
        .readiness(|| {
            Box::pin(async {
                service::gazetteer().await;
                Readiness::Ready
            })
        })
        .state(service);
    examples::questions().fold(toolset, |toolset, question| toolset.example("pick_aoi", question))
}

const INSTRUCTIONS: &str = "Resolve places with pick_aoi before anything is analysed; never state from memory what or where \
a place is. When it returns candidates and no selection, ask the user and never choose. Call it again for every new place; \
an earlier selection stays valid for the same place only.";
