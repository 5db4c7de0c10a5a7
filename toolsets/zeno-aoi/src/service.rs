//! What the tools share: the catalogue and the names that are known besides.

use std::sync::Arc;

use crate::{
    Source,
    catalogue::{AreaCatalogue, CatalogueError, embedded::Embedded},
    pick::{self, Lookup, Outcome},
    question,
    request::Request,
};

/// The catalogue behind the tools.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    /// The embedded one if there is none.
    catalogue: Option<Arc<dyn AreaCatalogue>>,
}

impl Service {
    pub(crate) fn new(catalogue: Option<Arc<dyn AreaCatalogue>>) -> Self {
        Self { catalogue }
    }

    /// Where areas are looked up.
    pub(crate) async fn catalogue(&self) -> Arc<dyn AreaCatalogue> {
        match &self.catalogue {
            Some(catalogue) => Arc::clone(catalogue),
            None => gazetteer().await,
        }
    }

    /// Reads a question; `source` says what kind of area is meant.
    pub(crate) async fn read(&self, question: &str, source: Option<Source>) -> Request {
        let mut request = question::read(question, &*gazetteer().await);
        if source.is_some() {
            request.places.iter_mut().for_each(|place| place.source = source);
        }
        request
    }

    /// Picks what a request is about.
    pub(crate) async fn pick(&self, request: &Request) -> Result<Outcome, CatalogueError> {
        let (catalogue, gazetteer) = (self.catalogue().await, gazetteer().await);
        let lookup = Lookup {
            catalogue: &*catalogue,
            gazetteer: &gazetteer,
        };
        pick::pick(lookup, request).await
    }
}

/// The names that questions are read with. Opening them takes a moment, which no other call should wait for.
async fn gazetteer() -> Arc<Embedded> {
    match tokio::task::spawn_blocking(Embedded::shipped).await {
        Ok(opened) => opened,
        // Only a runtime that is shutting down does not run the task.
        Err(_) => Embedded::shipped(),
    }
}
