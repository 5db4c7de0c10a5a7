//! `collection_objects`: records by id, with every value's source beside it.

use periplus_collection::{Collection, ObjectsPage, snapshot::StoredObject};
use periplus_toolset::{Refusal, prelude::*};
use serde::Serialize;

use crate::{
    headline::headlines,
    service::query,
    source::{self, ImageEvidence, RightsEvidence, Source},
    wire::{Answer, Head, count},
};

/// A batch of objects.
#[derive(Debug, ToolResult)]
#[tool(rename_all = "camelCase")]
pub(crate) struct Objects {
    /// How many of the ids were found, in one sentence, and the first of them in a line each.
    message: String,
    /// The objects that exist, in the order asked for.
    objects: Vec<Object>,
    /// Ids that this snapshot does not have.
    missing_object_ids: Vec<u64>,
}

/// An object as its sources, taken together, record it; where they disagree the value is null.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Object {
    /// The museum's id.
    object_id: u64,
    /// The title; several titles of one object are separated by `|`, as recorded.
    title: Option<String>,
    /// Names of the artists, separated by `|`, as recorded.
    artist_display_name: Option<String>,
    /// The date in words.
    object_date: Option<String>,
    /// Recorded address of the object's page.
    #[serde(rename = "objectURL")]
    object_url: Option<String>,
    /// Recorded address of a small image; it is not fetched.
    primary_image_small: Option<String>,
    /// Recorded address of the image; it is not fetched.
    primary_image: Option<String>,
    /// Whether the sources state that the object is in the public domain; null if none does or they disagree.
    is_public_domain: Option<bool>,
    /// Recorded rights statement.
    rights_and_reproduction: Option<String>,
    /// Where the values come from.
    source: Source,
    /// When the interface was captured, if it was; the table has no date of its own.
    fetched_at: Option<String>,
    /// Everything there is to cite about the object, for collection_evidence.
    evidence_ids: Vec<String>,
    /// What is unusual about the record; capabilities explain each flag.
    quality_flags: Vec<String>,
    /// The artists, each with role and full attribution.
    artist_mentions: Vec<Mention>,
    /// The source row: column name to value, exactly as it stands there; null without a row.
    original_fields: Option<JsonObject>,
    /// What each source says about rights.
    rights_evidence: Vec<RightsEvidence>,
    /// What a captured response says about images; null without one.
    image_evidence: Option<ImageEvidence>,
}

/// One artist.
#[derive(Debug, Serialize, JsonSchema)]
struct Mention {
    /// The name alone.
    name: String,
    /// What the artist did.
    role: Option<String>,
    /// The name with what qualifies it, such as `Workshop of`.
    attribution: String,
}

/// Read up to 100 objects by id: summaries, artists, rights, images, quality flags and the untouched source row.
///
/// Objects come in the order asked for; ids that the snapshot does not have are listed, which is no error.
#[tool(
    title = "Read objects",
    read_only,
    idempotent,
    closed_world,
    rename_all = "camelCase",
    timeout = "12s"
)]
pub(crate) async fn collection_objects(
    /// Ids from a selection or a ranking: 1 to 100, each once.
    #[tool(min_items(1), max_items(100))]
    object_ids: Vec<u64>,
    cx: &Context,
) -> Result<Answer<Objects>, Refusal> {
    query(cx, move |collection: &Collection, budget| {
        let page = collection.objects(&object_ids, budget)?;
        Ok(Answer(Head::of(collection), Objects::from(page)))
    })
    .await
}

impl From<ObjectsPage> for Objects {
    fn from(page: ObjectsPage) -> Self {
        let mut message = format!("{} found", count(page.objects.len(), "object"));
        if !page.missing.is_empty() {
            message += &format!("; {} not in this snapshot", count(page.missing.len(), "id"));
        }
        Self {
            message: message + "." + &headlines(&page.objects),
            objects: page.objects.into_iter().map(Object::from).collect(),
            missing_object_ids: page.missing,
        }
    }
}

impl From<StoredObject> for Object {
    fn from(object: StoredObject) -> Self {
        let record = &object.record;
        let mentions = record.artist_mentions();
        let names: Vec<&str> = mentions.iter().map(|mention| mention.name.as_str()).collect();
        Self {
            object_id: record.object_id,
            title: record.title.value().cloned(),
            artist_display_name: Some(names.join("|")).filter(|names| !names.is_empty()),
            object_date: record.object_date_text.clone(),
            object_url: source::object_url(&object),
            primary_image_small: source::captured(&object, "primaryImageSmall"),
            primary_image: source::captured(&object, "primaryImage"),
            is_public_domain: record.is_public_domain.value().copied(),
            rights_and_reproduction: source::rights_text(&object),
            source: Source::of(&object),
            fetched_at: object.api.as_ref().map(|api| api.retrieved_at.clone()),
            evidence_ids: object.evidence_ids(),
            quality_flags: record.data_quality.clone(),
            artist_mentions: mentions
                .iter()
                .map(|mention| Mention {
                    name: mention.name.clone(),
                    role: mention.role.clone(),
                    attribution: mention.attribution.clone(),
                })
                .collect(),
            rights_evidence: source::rights_evidence(&object),
            image_evidence: source::image_evidence(&object),
            original_fields: object.csv.map(|csv| {
                csv.cells
                    .into_iter()
                    .map(|(column, value)| (column, value.into()))
                    .collect()
            }),
        }
    }
}
