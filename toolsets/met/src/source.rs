//! What each source of an object says, read from the museum's own column and member names.

use std::borrow::Cow;

use periplus_collection::{EvidenceId, snapshot::StoredObject, text::clean};
use periplus_toolset::JsonSchema;
use serde::Serialize;
use serde_json::Value;

const RIGHTS_COLUMN: &str = "Rights and Reproduction";
const PUBLIC_DOMAIN_COLUMN: &str = "Is Public Domain";
const LINK_COLUMN: &str = "Link Resource";
/// The status of a capture that found the object.
const FOUND: u16 = 200;

/// Where an object's values come from.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Source {
    /// The row of the published table.
    csv: Option<CsvSource>,
    /// A captured response of the museum's interface.
    api: Option<ApiSource>,
    /// A published image vector.
    vector: Option<VectorSource>,
}

/// A row of the published table.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CsvSource {
    /// To cite it by.
    evidence_id: String,
    /// Number of the record in the file, from 1 after the header.
    record_number: u64,
}

/// A captured response.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ApiSource {
    /// To cite it by.
    evidence_id: String,
    /// When it was captured, in UTC.
    retrieved_at: String,
}

/// A published image vector.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct VectorSource {
    /// To cite it by.
    evidence_id: String,
}

/// What one source says about rights.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RightsEvidence {
    /// `csv` or `api`.
    source: &'static str,
    /// Whether it states public domain; null if it states nothing.
    is_public_domain: Option<bool>,
    /// Its rights statement.
    rights_and_reproduction: Option<String>,
    /// To cite it by.
    evidence_id: String,
    /// When it was captured; null for the table.
    retrieved_at: Option<String>,
}

/// What a captured response says about images.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImageEvidence {
    /// `api`.
    source: &'static str,
    /// Address of the image; empty means that none was published, not that none exists.
    primary_image: String,
    /// Address of a small image.
    primary_image_small: String,
    /// How many further images were published.
    additional_image_count: usize,
    /// To cite it by.
    evidence_id: String,
    /// When it was captured.
    retrieved_at: String,
}

impl Source {
    pub(crate) fn of(object: &StoredObject) -> Self {
        let id = object.record.object_id;
        Self {
            csv: object.csv.as_ref().map(|csv| CsvSource {
                evidence_id: EvidenceId::Csv(id).to_string(),
                record_number: csv.record_number,
            }),
            api: object.api.as_ref().map(|api| ApiSource {
                evidence_id: EvidenceId::Api(id).to_string(),
                retrieved_at: api.retrieved_at.clone(),
            }),
            vector: object.vector.as_ref().map(|_| VectorSource {
                evidence_id: EvidenceId::Vector(id).to_string(),
            }),
        }
    }
}

/// The recorded page of the object, with the scheme of today; nothing if it is not that page.
pub(crate) fn object_url(object: &StoredObject) -> Option<String> {
    let recorded = cell(object, LINK_COLUMN).or_else(|| captured(object, "objectURL"))?;
    let rest = recorded
        .strip_prefix("https://")
        .or_else(|| recorded.strip_prefix("http://"))?;
    let expected = format!(
        "www.metmuseum.org/art/collection/search/{}",
        object.record.object_id
    );
    (rest == expected).then(|| format!("https://{rest}"))
}

pub(crate) fn rights_text(object: &StoredObject) -> Option<String> {
    cell(object, RIGHTS_COLUMN).or_else(|| captured(object, "rightsAndReproduction"))
}

/// A non-empty text member of the captured response.
pub(crate) fn captured(object: &StoredObject, member: &str) -> Option<String> {
    response(object)?
        .get(member)?
        .as_str()
        .and_then(clean)
        .map(Cow::into_owned)
}

pub(crate) fn rights_evidence(object: &StoredObject) -> Vec<RightsEvidence> {
    let id = object.record.object_id;
    let csv = object.csv.as_ref().map(|_| RightsEvidence {
        source: "csv",
        is_public_domain: cell(object, PUBLIC_DOMAIN_COLUMN).and_then(|text| flag(&text)),
        rights_and_reproduction: cell(object, RIGHTS_COLUMN),
        evidence_id: EvidenceId::Csv(id).to_string(),
        retrieved_at: None,
    });
    let api = response(object)
        .zip(object.api.as_ref())
        .map(|(body, api)| RightsEvidence {
            source: "api",
            is_public_domain: body.get("isPublicDomain").and_then(Value::as_bool),
            rights_and_reproduction: captured(object, "rightsAndReproduction"),
            evidence_id: EvidenceId::Api(id).to_string(),
            retrieved_at: Some(api.retrieved_at.clone()),
        });
    csv.into_iter().chain(api).collect()
}

pub(crate) fn image_evidence(object: &StoredObject) -> Option<ImageEvidence> {
    let (body, api) = response(object).zip(object.api.as_ref())?;
    let additional = body
        .get("additionalImages")
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    Some(ImageEvidence {
        source: "api",
        primary_image: captured(object, "primaryImage").unwrap_or_default(),
        primary_image_small: captured(object, "primaryImageSmall").unwrap_or_default(),
        additional_image_count: additional,
        evidence_id: EvidenceId::Api(object.record.object_id).to_string(),
        retrieved_at: api.retrieved_at.clone(),
    })
}

/// The body of a capture that found the object.
fn response(object: &StoredObject) -> Option<&Value> {
    object
        .api
        .as_ref()
        .filter(|api| api.http_status == FOUND)
        .map(|api| &api.body)
}

/// A recorded cell with something in it.
fn cell(object: &StoredObject, column: &str) -> Option<String> {
    let cells = &object.csv.as_ref()?.cells;
    cells
        .iter()
        .find(|(name, _)| name == column)
        .and_then(|(_, value)| clean(value))
        .map(Cow::into_owned)
}

fn flag(text: &str) -> Option<bool> {
    [("true", true), ("false", false)]
        .into_iter()
        .find_map(|(name, value)| text.eq_ignore_ascii_case(name).then_some(value))
}
