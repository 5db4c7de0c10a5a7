//! `pick_aoi`: from a question to the areas it is about.

use periplus_toolset::{Capability, Value, prelude::*};
use serde::{Deserialize, Serialize};

use crate::{
    Area, Place, Source,
    catalogue::CatalogueError,
    message,
    pick::Outcome,
    request::{MAX_PLACES, Request},
    service::Service,
    wire::{AoiSelection, AreaRecord},
};

/// The areas a question is about, or the ones the user must choose from. Neither is there if nothing was found.
#[derive(Debug, ToolResult)]
pub(crate) struct Picked {
    /// What was selected and what was skipped, or what to ask the user, or why nothing was found and what to do.
    message: String,
    /// The areas that were selected.
    aoi_selection: Option<AoiSelection>,
    /// Areas of the same name, of which the user must choose one; nothing is selected then.
    aoi_candidates: Option<Vec<AreaRecord>>,
}

/// What kind of area is meant, where the question makes that plain.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
pub(crate) enum AreaKind {
    /// A country, state, province, district or the like.
    #[serde(rename = "administrative area (country, state/region, country/subregion)")]
    Administrative,
    /// The spelling of older clients.
    #[serde(rename = "adminstrative area (country, state/region, country/subregion)")]
    Adminstrative,
    /// A protected area.
    #[serde(rename = "protected area, park, or reserve")]
    Protected,
    /// Land of an indigenous people or a local community.
    #[serde(rename = "indigenous region or territory")]
    Indigenous,
    /// A key biodiversity area.
    #[serde(rename = "key biodiversity area")]
    Biodiversity,
    /// Short for the administrative area.
    #[serde(rename = "gadm")]
    Gadm,
    /// Short for the protected area.
    #[serde(rename = "wdpa")]
    Wdpa,
    /// Short for the indigenous territory.
    #[serde(rename = "landmark")]
    Landmark,
    /// Short for the key biodiversity area.
    #[serde(rename = "kba")]
    Kba,
}

impl AreaKind {
    fn source(self) -> Source {
        match self {
            Self::Administrative | Self::Adminstrative | Self::Gadm => Source::Gadm,
            Self::Protected | Self::Wdpa => Source::Wdpa,
            Self::Indigenous | Self::Landmark => Source::Landmark,
            Self::Biodiversity | Self::Kba => Source::Kba,
        }
    }
}

/// Resolve the places in a request to areas that can be analysed: countries, states, districts, protected areas and the
/// like, or the units inside of them ("provinces of Canada"), or all countries of the world. Pass the user's words on
/// unchanged; the message says which areas were selected. Without a selection, ask the user what the message says to ask.
#[tool(
    title = "Pick areas of interest",
    read_only,
    idempotent,
    timeout = "60s",
    concurrency = "lookup"
)]
pub(crate) async fn pick_aoi(
    /// The request in the user's own words, with the places as the user named them, or a candidate as it was listed.
    #[tool(max_length(2000))]
    question: String,
    /// What kind of area is meant, if the request makes that plain; left out, every kind is searched.
    area_of_interest: Option<AreaKind>,
    cx: &Context,
) -> Result<Picked, ToolError> {
    let service: &Service = cx.state().expect("the toolset is built with a service");
    let mut question = service
        .read(&question, area_of_interest.map(AreaKind::source))
        .await;
    // Every answer settles one place or rules candidates out, so this ends.
    let mut batch = 1;
    for _ in 0..=MAX_PLACES {
        let outcome = service
            .pick(&question)
            .await
            .map_err(|error| unavailable(&error))?;
        let Outcome::Ambiguous { asked, candidates } = &outcome else {
            return Ok(Picked::from(outcome));
        };
        // Candidates after those that were none are another question, though about the same name.
        let key = match batch {
            1 => asked.clone(),
            batch => format!("{asked} ({batch})"),
        };
        match ask_user(cx, &key, asked, candidates).await? {
            Some(Answer::Line(line)) => settle(&mut question.request, asked, &line),
            Some(Answer::NoneOfThem) => {
                batch += 1;
                let lines = candidates.iter().map(message::candidate_line);
                question
                    .request
                    .excluded
                    .extend(lines.map(|line| Place::parse(&line)));
            }
            None => return Ok(Picked::from(outcome)),
        }
    }
    let detail = "The answers did not settle which places are meant. Ask the user again.";
    Err(ToolError::new("unsettled", detail))
}

/// What a user answered.
enum Answer {
    /// One of the candidates, as it was listed.
    Line(String),
    NoneOfThem,
}

/// How the form says that none of the candidates is meant.
const NONE_OF_THEM: &str = "None of these";

/// Lets the user choose, where the client can show a form; `None` if it cannot or the user would rather not.
async fn ask_user(
    cx: &Context,
    key: &str,
    asked: &str,
    candidates: &[Area],
) -> Result<Option<Answer>, ToolError> {
    #[derive(Deserialize)]
    struct Form {
        area: String,
    }
    if !cx.client().has(Capability::Elicitation) {
        return Ok(None);
    }
    let lines: Vec<String> = candidates.iter().map(message::candidate_line).collect();
    let choices: Vec<&str> = lines.iter().map(String::as_str).chain([NONE_OF_THEM]).collect();
    let schema = json!({
        "type": "object",
        "properties": { "area": { "type": "string", "title": "Area", "enum": choices } },
        "required": ["area"],
    });
    let Value::Object(schema) = schema else {
        return Ok(None);
    };
    let question = format!("Several places are called {asked:?}. Which one is meant?");
    match cx.ask(Question::<Form>::form_with(key, &question, schema)).await {
        Ok(Form { area }) if area == NONE_OF_THEM => Ok(Some(Answer::NoneOfThem)),
        // A line that was not offered is no choice.
        Ok(Form { area }) => Ok(Some(area).filter(|area| lines.contains(area)).map(Answer::Line)),
        Err(ToolError::Structured { error, .. }) if error == "declined" => Ok(None),
        Err(error) => Err(error),
    }
}

/// Puts the chosen candidate in the place of what was ambiguous.
fn settle(request: &mut Request, asked: &str, answer: &str) {
    for place in &mut request.places {
        if place.text() == asked {
            *place = Place::parse(answer);
        }
    }
}

impl From<Outcome> for Picked {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Selected { selection, notes } => Self {
                message: message::selected(&selection, &notes),
                aoi_selection: Some(selection),
                aoi_candidates: None,
            },
            Outcome::Ambiguous { asked, candidates } => Self {
                message: message::ambiguous(&asked, &candidates),
                aoi_selection: None,
                aoi_candidates: Some(candidates.iter().map(AreaRecord::candidate).collect()),
            },
            Outcome::Nothing(message) => Self {
                message,
                aoi_selection: None,
                aoi_candidates: None,
            },
        }
    }
}

/// The caller learns that the catalogue is away, the log why.
fn unavailable(error: &CatalogueError) -> ToolError {
    tracing::warn!(
        error = error as &dyn std::error::Error,
        "the area catalogue did not answer"
    );
    ToolError::new(
        "catalogue_unavailable",
        "The area catalogue could not be asked, so nothing was selected. Try again in a moment.",
    )
}
