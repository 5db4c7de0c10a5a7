//! The part that a configured model may play: it reads the question, and chooses where names are only near.
//!
//! What it says is checked: places are looked up like any others, a choice counts only among the candidates, and a name
//! that several places have is a question to the user whatever the model thinks. Without an answer, or with a broken
//! one, everything goes on as without a model.

use std::{sync::Arc, time::Duration};

use periplus_llm::{ChatModel, ChatRequest, Message};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{
    Place, Source,
    catalogue::{Candidate, embedded::Embedded},
    fold,
    request::{MAX_PLACES, Request, Subregion, is_world},
};

/// Longest wait for one answer; the whole call has a minute.
const PATIENCE: Duration = Duration::from_secs(20);

/// Longest name that is believed to be one.
const MAX_NAME_CHARACTERS: usize = 200;

/// A model with the question it is to help with.
#[derive(Debug, Clone)]
pub struct Reader {
    model: Arc<dyn ChatModel>,
    question: String,
}

#[derive(Deserialize)]
struct PlaceQuery {
    #[serde(default)]
    places: Vec<String>,
    #[serde(default)]
    subregion: Option<Subregion>,
}

#[derive(Deserialize)]
struct Chosen {
    source: Option<Source>,
    src_id: Option<String>,
}

impl Reader {
    /// Helps with a question.
    #[must_use]
    pub fn new(model: Arc<dyn ChatModel>, question: &str) -> Self {
        Self {
            model,
            question: question.to_owned(),
        }
    }

    /// What the question asks for; what was read without the model fills in kinds and stays if the model has no answer.
    pub(crate) async fn read(&self, plain: Request) -> Request {
        let schema = json!({
            "type": "object",
            "properties": {
                "places": { "type": "array", "items": { "type": "string" } },
                "subregion": {
                    "type": ["string", "null"],
                    "enum": ["country", "state", "district", "municipality", "locality", "neighbourhood", "kba", "wdpa",
                             "landmark", null],
                },
            },
            "required": ["places", "subregion"],
            "additionalProperties": false,
        });
        match self
            .answer::<PlaceQuery>(EXTRACTION, &self.question, "place_query", schema)
            .await
        {
            Some(query) => checked(&query, &plain).unwrap_or(plain),
            None => plain,
        }
    }

    /// The candidate that the question means, if the model finds one among them that the place allows.
    pub(crate) async fn choose(
        &self,
        place: &Place,
        candidates: &[Candidate],
        gazetteer: &Embedded,
    ) -> Option<Candidate> {
        let rows: Vec<Value> = candidates
            .iter()
            .map(|candidate| {
                let area = &candidate.area;
                json!({ "source": area.source, "src_id": area.id, "name": area.name, "subtype": area.subtype })
            })
            .collect();
        let text = format!(
            "Request: {}\nPlace: {}\nCandidates: {}",
            self.question,
            place.text(),
            Value::from(rows)
        );
        let schema = json!({
            "type": "object",
            "properties": { "source": { "type": ["string", "null"] }, "src_id": { "type": ["string", "null"] } },
            "required": ["source", "src_id"],
            "additionalProperties": false,
        });
        let chosen: Chosen = self.answer(CHOICE, &text, "area", schema).await?;
        let (source, id) = chosen.source.zip(chosen.src_id)?;
        let found = candidates
            .iter()
            .find(|candidate| candidate.area.source == source && candidate.area.id == id);
        if found.is_none() {
            tracing::warn!(model = %self.model.name(), "the model chose an area that was not among the candidates");
        }
        found
            .filter(|candidate| place.admits(&candidate.area, gazetteer))
            .cloned()
    }

    async fn answer<T: DeserializeOwned>(
        &self,
        system: &str,
        text: &str,
        name: &str,
        schema: Value,
    ) -> Option<T> {
        let request = ChatRequest::new(vec![Message::user(text)])
            .with_system(system)
            .with_format(name, schema);
        let reply = self.model.reply(request, Default::default());
        let answer = match tokio::time::timeout(PATIENCE, reply).await {
            Ok(Ok(reply)) => reply.json(),
            Ok(Err(error)) => Err(error),
            Err(_elapsed) => {
                tracing::warn!(model = %self.model.name(), "the model did not answer within {PATIENCE:?}");
                return None;
            }
        };
        answer
            .inspect_err(
                |error| tracing::warn!(model = %self.model.name(), %error, "the model gave no usable answer"),
            )
            .ok()
    }
}

/// A request made of what the model said; `None` if that cannot be one.
fn checked(query: &PlaceQuery, plain: &Request) -> Option<Request> {
    let is_name = |name: &String| !fold(name).is_empty() && name.chars().count() <= MAX_NAME_CHARACTERS;
    if query.places.len() > MAX_PLACES || !query.places.iter().all(is_name) {
        return None;
    }
    // Saying nothing must not hide a place that stands in the question.
    if query.places.is_empty() && !plain.places.is_empty() {
        return None;
    }
    let is_global = query.places.iter().any(|name| is_world(name));
    let mut places: Vec<Place> = Vec::new();
    for name in query.places.iter().filter(|name| !is_world(name)) {
        let mut place = Place::parse(name);
        let known = plain
            .places
            .iter()
            .find(|known| fold(&known.name) == fold(&place.name));
        if let Some(known) = known {
            place.source = known.source;
            place.kind.clone_from(&known.kind);
        }
        let is_left_out = plain
            .excluded
            .iter()
            .any(|other| fold(&other.name) == fold(&place.name));
        if !is_left_out && !places.contains(&place) {
            places.push(place);
        }
    }
    Some(Request {
        is_global: is_global || (places.is_empty() && plain.is_global),
        places,
        subregion: query.subregion,
        initial: plain.initial.clone(),
        excluded: plain.excluded.clone(),
    })
}

const EXTRACTION: &str = "\
You find the places that a request about land and nature is about. Look at the location only; the theme, the figures and the
dates do not matter. Answer with JSON.

places: the names of the places, one entry for each place, in the usual English spelling and without accents (Köln is Cologne,
São Paulo is Sao Paulo). A place and what it lies in are one entry: \"Lisbon, Portugal\". Places that are compared are entries
of their own: Ecuador and Bolivia are two. No place named: an empty list. The whole world: [\"global\"], with the subregion
country, the only one the world has.

subregion: only if many units inside a place are to be compared or listed. Provinces of Canada: place Canada, subregion state.
State means the first level below a country, whatever it is called there, district the second. kba are key biodiversity areas,
wdpa protected areas, landmark lands of indigenous peoples and communities. A request about one state or one park has none.";

const CHOICE: &str = "\
You are given a request, a place it names and candidate areas from a catalogue. Choose the one candidate that the request means
and answer with its source and src_id exactly as they stand there. Between equally good candidates prefer the country, then the
state, the district, the municipality, the locality. If none of them is the place, answer null for both. Never answer with
anything that is not in the list.";

#[cfg(test)]
mod tests;
