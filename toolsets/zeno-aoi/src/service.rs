//! What the tools share: the catalogue and the names that are known besides.

use std::sync::Arc;

use crate::{
    Source,
    catalogue::{AreaCatalogue, CatalogueError, embedded::Embedded},
    pick::{self, Lookup, Outcome},
    question,
};

/// The catalogue behind the tools.
#[derive(Debug)]
pub(crate) struct Service {
    catalogue: Arc<dyn AreaCatalogue>,
    gazetteer: Arc<Embedded>,
}

impl Service {
    pub(crate) fn new(catalogue: Arc<dyn AreaCatalogue>) -> Self {
        Self {
            catalogue,
            gazetteer: Embedded::shipped(),
        }
    }

    /// Reads a question and picks what it is about; `source` says what kind of area is meant.
    pub(crate) async fn pick(
        &self,
        question: &str,
        source: Option<Source>,
    ) -> Result<Outcome, CatalogueError> {
        let mut request = question::read(question, &self.gazetteer);
        if source.is_some() {
            request.places.iter_mut().for_each(|place| place.source = source);
        }
        let lookup = Lookup {
            catalogue: &*self.catalogue,
            gazetteer: &self.gazetteer,
        };
        pick::pick(lookup, &request).await
    }
}
