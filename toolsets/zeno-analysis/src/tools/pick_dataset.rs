//! `pick_dataset`: chooses what answers a question.

use chrono::{Datelike as _, NaiveDate};
use periplus_toolset::prelude::*;

use super::zeno;
use crate::{
    Zeno,
    analytics::asks_for_change,
    areas::Selection,
    catalogue::{Cadence, Dataset},
    choice::{Choice, Pick, Question, Words, choose},
    dates::{Asked, Clamped, DateError},
    record::{DatasetCandidate, DatasetRecord},
    spoken, tiles,
};

/// The dataset that answers a question, or the ones that come close.
#[derive(Debug, ToolResult)]
pub(crate) struct Picked {
    /// What was chosen and why, with what must be said about it; or what to ask the user.
    message: String,
    /// The dataset; absent unless one answers the whole question.
    dataset: Option<DatasetRecord>,
    /// Datasets that come close; only there when none was chosen. The user chooses.
    dataset_candidates: Option<Vec<DatasetCandidate>>,
}

/// Choose the dataset, layer, parameters and dates that answer a question about land or forests.
///
/// The area may be left out: a question about a dataset alone needs none. With an area, layers that have no data there are
/// not offered. Call it again whenever subject, layer, threshold or dates change.
#[tool(title = "Pick a dataset", read_only, idempotent, open_world, timeout = "60s")]
pub(crate) async fn pick_dataset(
    /// The user's question in the user's words.
    #[tool(max_length(4000))]
    query: String,
    /// First day the user asks for, YYYY-MM-DD; leave it out if the question names none.
    #[tool(max_length(40))]
    start_date: Option<String>,
    /// Last day the user asks for, YYYY-MM-DD; leave it out if the question names none.
    #[tool(max_length(40))]
    end_date: Option<String>,
    /// The selection of pick_aoi. Leave it out if no area was selected.
    #[tool(not_authored)]
    aoi_selection: Option<JsonObject>,
    cx: &Context,
) -> Result<Picked, ToolError> {
    let zeno = zeno(cx);
    if query.trim().is_empty() {
        return Err(ToolError::invalid_argument(
            "/query",
            "is empty; pass the user's question",
        ));
    }
    let mut asked = Asked::parse(start_date.as_deref(), end_date.as_deref())?;
    if asked.is_open() {
        asked = spoken::dates(&Words::of(&query), zeno.today()).unwrap_or_default();
    }
    let selection = aoi_selection.map(Selection::parse).transpose()?;
    let question = Question {
        text: &query,
        areas: selection.as_ref().map_or(&[], |selection| &selection.aois),
    };
    let (choice, note) = choose(
        &zeno.catalogue,
        &question,
        zeno.chat.as_ref(),
        cx.cancellation().clone(),
    )
    .await;
    let mut picked = match choice {
        Choice::Selected(pick) => {
            let asked = of_state(dataset(zeno, &pick), &query, asked);
            selected(zeno, pick, asked)
        }
        Choice::Suggested { picks, reason } => suggested(zeno, &picks, &reason, asked),
        Choice::About(id) => about(zeno, id),
        Choice::Nothing { reason } => Picked {
            message: format!(
                "No dataset selected: {reason} Stop here: tell the user what there is and do not call pull_data."
            ),
            dataset: None,
            dataset_candidates: None,
        },
    };
    if !note.is_empty() {
        picked.message = format!("{}\n{note}", picked.message);
    }
    Ok(picked)
}

/// Of two maps that can be compared, a question that names no dates and no change is about the later one.
fn of_state(dataset: &Dataset, query: &str, asked: Asked) -> Asked {
    match dataset.end_date {
        Some(end) if dataset.cadence == Cadence::Pair && asked.is_open() && !asks_for_change(query) => {
            Asked::of(NaiveDate::from_ymd_opt(end.year(), 1, 1), Some(end))
        }
        _ => asked,
    }
}

fn clamp(zeno: &Zeno, dataset: &Dataset, pick: &Pick, asked: Asked) -> Result<Clamped, DateError> {
    let layer = pick
        .context_layer
        .as_deref()
        .and_then(|value| dataset.layer(value));
    asked.clamp(dataset.available(layer, zeno.today()), dataset.content_date_fixed)
}

fn dataset<'a>(zeno: &'a Zeno, pick: &Pick) -> &'a Dataset {
    zeno.catalogue
        .find(pick.dataset_id)
        .expect("a choice is checked against the catalogue")
}

fn selected(zeno: &Zeno, pick: Pick, asked: Asked) -> Picked {
    let dataset = dataset(zeno, &pick);
    match clamp(zeno, dataset, &pick, asked) {
        Ok(clamped) => {
            let message = format!("{}\n{}", message(dataset, &pick, clamped), zeno.analytics.note());
            Picked {
                message: message.trim_end().to_owned(),
                dataset: Some(record(zeno, dataset, pick, clamped)),
                dataset_candidates: None,
            }
        }
        // No tiles and no record for days without data: the user has to choose other ones.
        Err(error) => {
            let reason = format!("{} fits the question, but {error}.", dataset.dataset_name);
            suggested(zeno, &[pick], &reason, Asked::default())
        }
    }
}

fn record(zeno: &Zeno, dataset: &Dataset, pick: Pick, clamped: Clamped) -> DatasetRecord {
    let period = clamped.period;
    DatasetRecord {
        dataset_id: dataset.dataset_id,
        dataset_name: dataset.dataset_name.clone(),
        start_date: period.start.to_string(),
        end_date: period.end.to_string(),
        reason: pick.reason,
        tile_url: tiles::tile_url(dataset, &pick.parameters, period, &zeno.tile_base),
        context_layers: tiles::map_layers(dataset, pick.context_layer.as_deref(), &pick.parameters),
        analytics_api_endpoint: dataset.endpoint.path(),
        description: dataset.description.clone(),
        prompt_instructions: dataset.prompt_instructions.clone(),
        methodology: dataset.methodology.clone(),
        cautions: dataset.cautions.clone(),
        function_usage_notes: dataset.function_usage_notes.clone(),
        citation: dataset.citation.clone(),
        content_date: dataset.content_date.clone(),
        selection_hints: Some(dataset.selection_hints.clone()),
        code_instructions: dataset.code_instructions.clone(),
        presentation_instructions: dataset.presentation_instructions.clone(),
        canopy_cover: has_canopy(dataset).then(|| tiles::canopy(&pick.parameters)),
        license: dataset.license.clone(),
        short_name: dataset.short_name.clone(),
        unit: dataset.unit.clone(),
        legend: tiles::legend(dataset, period),
        context_layer: pick.context_layer,
        parameters: (!pick.parameters.is_empty()).then_some(pick.parameters),
    }
}

fn has_canopy(dataset: &Dataset) -> bool {
    dataset
        .parameters
        .iter()
        .any(|parameter| parameter.name == "canopy_cover")
}

fn message(dataset: &Dataset, pick: &Pick, clamped: Clamped) -> String {
    let mut lines = vec![format!("Selected dataset: {}.", dataset.dataset_name)];
    if let Some(layer) = &pick.context_layer {
        lines.push(format!("Layer: {layer}."));
    }
    if has_canopy(dataset) {
        lines.push(format!(
            "Canopy threshold: {} %.",
            tiles::canopy(&pick.parameters)
        ));
    }
    lines.push(format!("Reason: {}", pick.reason));
    lines.push(if clamped.is_changed() {
        format!(
            "Dates: {}, instead of {}; tell the user that the data cover no other days.",
            clamped.period, clamped.asked
        )
    } else {
        format!("Dates: {}.", clamped.period)
    });
    lines.push(format!(
        "Content: {}. {}",
        dataset.content_date, dataset.description
    ));
    lines.push(format!("Use: {}", dataset.function_usage_notes));
    lines.push(format!("Cautions: {}", dataset.cautions));
    lines.push(format!(
        "Resolution: {}. Coverage: {}. Citation: {}",
        dataset.resolution, dataset.geographic_coverage, dataset.citation
    ));
    if let Some(presentation) = &dataset.presentation_instructions {
        lines.push(format!("Presentation: {presentation}"));
    }
    lines.join("\n")
}

fn suggested(zeno: &Zeno, picks: &[Pick], reason: &str, asked: Asked) -> Picked {
    let candidates: Vec<DatasetCandidate> = picks
        .iter()
        .map(|pick| {
            let dataset = dataset(zeno, pick);
            let layer = pick
                .context_layer
                .as_deref()
                .and_then(|value| dataset.layer(value));
            let available = dataset.available(layer, zeno.today());
            let period = clamp(zeno, dataset, pick, asked).map_or(available, |clamped| clamped.period);
            DatasetCandidate {
                dataset_id: dataset.dataset_id,
                dataset_name: dataset.dataset_name.clone(),
                context_layer: pick.context_layer.clone(),
                parameters: (!pick.parameters.is_empty()).then(|| pick.parameters.clone()),
                start_date: period.start.to_string(),
                end_date: period.end.to_string(),
                reason: pick.reason.clone(),
            }
        })
        .collect();
    let options: Vec<String> = candidates
        .iter()
        .map(|candidate| {
            format!(
                "- {} ({} to {}): {}",
                candidate.dataset_name, candidate.start_date, candidate.end_date, candidate.reason
            )
        })
        .collect();
    Picked {
        message: format!(
            "No single dataset answers the question directly. {reason} The closest options:\n{}\nRelay them to the user and stop: \
             do not choose, and do not call pull_data before the user has chosen.",
            options.join("\n")
        ),
        dataset: None,
        dataset_candidates: Some(candidates),
    }
}

/// What the catalogue says about a dataset, for questions that need no figures.
fn about(zeno: &Zeno, id: u32) -> Picked {
    let dataset = zeno
        .catalogue
        .find(id)
        .expect("a choice is checked against the catalogue");
    Picked {
        message: format!(
            "This is a question about a dataset; it is answered from the catalogue, and nothing has to be pulled.\n\
             {}: {}\nCoverage: {}. Content: {}. Resolution: {}. Updates: {}. Unit: {}.\nMethod: {}\nCautions: {}\n\
             Providers: {}. Licence: {}. Citation: {}",
            dataset.dataset_name,
            dataset.description,
            dataset.geographic_coverage,
            dataset.content_date,
            dataset.resolution,
            dataset.update_frequency,
            dataset.unit,
            dataset.methodology,
            dataset.cautions,
            dataset.providers.join(", "),
            dataset.license,
            dataset.citation
        ),
        dataset: None,
        dataset_candidates: None,
    }
}
