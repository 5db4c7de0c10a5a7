//! What the tools share: the catalogue and the names that are known besides.

use std::sync::Arc;

use periplus_llm::ChatModel;
use periplus_toolset::Value;

use crate::{
    Source,
    catalogue::{AreaCatalogue, CatalogueError, embedded::Embedded},
    model::Reader,
    pick::{self, Lookup, Outcome},
    question,
    request::Request,
    wire::AreaRecord,
};

/// The catalogue behind the tools.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    /// The embedded one if there is none.
    catalogue: Option<Arc<dyn AreaCatalogue>>,
    model: Option<Arc<dyn ChatModel>>,
}

/// A question as it was read.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) request: Request,
    reader: Option<Reader>,
}

impl Service {
    pub(crate) fn new(catalogue: Option<Arc<dyn AreaCatalogue>>, model: Option<Arc<dyn ChatModel>>) -> Self {
        Self { catalogue, model }
    }

    /// Where areas are looked up.
    pub(crate) async fn catalogue(&self) -> Arc<dyn AreaCatalogue> {
        match &self.catalogue {
            Some(catalogue) => Arc::clone(catalogue),
            None => gazetteer().await,
        }
    }

    /// Reads a question; `source` says what kind of area is meant.
    pub(crate) async fn read(&self, question: &str, source: Option<Source>) -> Asked {
        let mut request = question::read(question, &*gazetteer().await);
        let reader = self.model.clone().map(|model| Reader::new(model, question));
        // A candidate that was answered as it was listed says everything there is to know.
        let is_listed = request.places.iter().any(|place| place.iso3.is_some());
        if let Some(reader) = reader.as_ref().filter(|_| !is_listed) {
            request = reader.read(request).await;
        }
        if source.is_some() {
            request.places.iter_mut().for_each(|place| place.source = source);
        }
        Asked { request, reader }
    }

    /// Picks what a question is about.
    pub(crate) async fn pick(&self, asked: &Asked) -> Result<Outcome, CatalogueError> {
        let (catalogue, gazetteer) = (self.catalogue().await, gazetteer().await);
        let lookup = Lookup {
            catalogue: &*catalogue,
            gazetteer: &gazetteer,
            reader: asked.reader.as_ref(),
        };
        let mut outcome = pick::pick(lookup, &asked.request).await?;
        if let Outcome::Selected { selection, .. } = &mut outcome {
            add_shapes(&*catalogue, &mut selection.aois).await?;
        }
        Ok(outcome)
    }
}

/// Gives areas of Natural Earth their shape: statistics can be asked for them by nothing else.
async fn add_shapes(catalogue: &dyn AreaCatalogue, areas: &mut [AreaRecord]) -> Result<(), CatalogueError> {
    let nameless = areas
        .iter_mut()
        .filter(|area| area.source == Source::NaturalEarth);
    for area in nameless {
        let found = catalogue.shape(area.source, &area.src_id).await?;
        if let Some(Value::Object(geometry)) = found.map(|(_, shape)| shape.to_geojson()) {
            area.geometry = Some(geometry);
        }
    }
    Ok(())
}

/// The names that questions are read with. Opening them takes a moment, which no other call should wait for.
pub(crate) async fn gazetteer() -> Arc<Embedded> {
    match tokio::task::spawn_blocking(Embedded::shipped).await {
        Ok(opened) => opened,
        // Only a runtime that is shutting down does not run the task.
        Err(_) => Embedded::shipped(),
    }
}
