//! Which dataset answers a question: chosen by rules or by a model, checked the same way.

mod model;
mod rules;
#[cfg(test)]
mod tests;
mod words;

use std::{sync::Arc, time::Duration};

use periplus_llm::ChatModel;
use tokio_util::sync::CancellationToken;

pub(crate) use self::words::{Phrases, Words};
use crate::{
    areas::Area,
    catalogue::{Catalogue, Dataset, Layer},
    record::ChosenParameter,
};

/// Suggestions in one answer.
const MAX_SUGGESTIONS: usize = 3;

/// Longest wait for the model's choice; rules still have to answer within the tool's time.
const MODEL_PATIENCE: Duration = Duration::from_secs(45);

/// The threshold that counts as tree cover unless another is asked for.
pub(crate) const DEFAULT_CANOPY: u32 = 30;

/// What a question comes to.
#[derive(Debug)]
pub(crate) enum Choice {
    /// One dataset answers all of it.
    Selected(Pick),
    /// Datasets come close, and none answers all of it.
    Suggested { picks: Vec<Pick>, reason: String },
    /// The question is about a dataset itself.
    About(u32),
    /// Nothing is near.
    Nothing { reason: String },
}

/// One dataset with what was chosen beside it.
#[derive(Debug, Clone)]
pub(crate) struct Pick {
    pub(crate) dataset_id: u32,
    pub(crate) context_layer: Option<String>,
    pub(crate) parameters: Vec<ChosenParameter>,
    pub(crate) reason: String,
}

/// A question and what is known beside it.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    pub(crate) text: &'a str,
    pub(crate) areas: &'a [Area],
}

impl Question<'_> {
    /// Whether a layer has data in every area; the layer's extent decides, and nothing else.
    pub(crate) fn is_reached_by(&self, layer: &Layer) -> bool {
        layer
            .extent
            .is_none_or(|extent| self.areas.iter().all(|area| area.may_meet(extent)))
    }
}

/// Chooses with the model if there is one, by rules if there is none or it fails; the text says that it failed.
pub(crate) async fn choose(
    catalogue: &Catalogue,
    question: &Question<'_>,
    chat: Option<&Arc<dyn ChatModel>>,
    cancel: CancellationToken,
) -> (Choice, &'static str) {
    let Some(chat) = chat else {
        return (rules::choose(catalogue, question), "");
    };
    // The catalogue answers these by itself, and a model could only get it wrong.
    if let Some(id) = rules::about(catalogue, question) {
        return (Choice::About(id), "");
    }
    let choice = model::choose(catalogue, question, chat.as_ref(), cancel);
    match tokio::time::timeout(MODEL_PATIENCE, choice).await {
        Ok(Ok(choice)) => return (choice, ""),
        Ok(Err(error)) => tracing::warn!(%error, "the model chose no dataset; rules choose"),
        Err(_elapsed) => tracing::warn!("the model chose no dataset in time; rules choose"),
    }
    let note = "The configured model gave no usable choice; rules chose.";
    (rules::choose(catalogue, question), note)
}

/// Keeps of a proposal what the dataset has; whatever was invented is dropped.
fn checked(dataset: &Dataset, question: &Question<'_>, mut pick: Pick) -> Pick {
    pick.context_layer = match &dataset.forced_layer {
        Some(forced) => Some(forced.clone()),
        None => pick.context_layer.filter(|value| {
            dataset
                .layer(value)
                .is_some_and(|layer| question.is_reached_by(layer))
        }),
    };
    pick.parameters = pick
        .parameters
        .into_iter()
        .filter_map(|chosen| {
            let parameter = dataset
                .parameters
                .iter()
                .find(|known| known.name == chosen.name)?;
            let values: Vec<u32> = chosen
                .values
                .into_iter()
                .filter(|value| parameter.values.contains(value))
                .collect();
            (!values.is_empty()).then(|| ChosenParameter {
                name: parameter.name.clone(),
                description: parameter.description.clone(),
                values,
            })
        })
        .collect();
    pick
}
