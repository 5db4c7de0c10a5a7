//! Evidence: what one source says about one object, word for word.
//!
//! Only ids of three forms exist: `object:<id>:csv`, `object:<id>:api` and `vector:<id>:siglip2`. Every other
//! text, well-formed or not, is an id without evidence.

use serde_json::Value;

use crate::{
    Budget, Catalogue, Collection, Error,
    objects::check_batch,
    snapshot::{ApiSource, CsvSource, StoredObject, VectorSource},
};

/// Characters of the longest evidence id.
pub const MAX_EVIDENCE_ID: usize = 300;
/// The status of a capture that found the object.
const FOUND: u16 = 200;

/// Evidence of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidencePage {
    /// That which exists, in the order asked for.
    pub evidence: Vec<Evidence>,
    /// Ids without evidence; a normal result, not a failure.
    pub missing: Vec<String>,
}

/// What one source says about one object.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The id it was asked for by.
    pub id: String,
    /// What kind of evidence it is.
    pub category: EvidenceCategory,
    /// The object it is about.
    pub object_id: u64,
    /// The last part of the id: `csv`, `api` or `siglip2`.
    pub source: &'static str,
    /// When it was captured; only captures have a date of their own.
    pub retrieved_at: Option<String>,
    /// The date of the published version it stands in, where that is known.
    pub snapshot_date: Option<String>,
    /// Recorded field and value, in the source's order, without empty ones.
    pub statements: Vec<(String, String)>,
    /// How a derived value came to be.
    pub derivation: Option<Derivation>,
}

/// Kinds of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvidenceCategory {
    /// A record as a source has it.
    SourceRecord,
    /// A vector computed from an image; it is no evidence about rights in the image.
    DerivedVector,
}

/// Where a stored vector comes from; what is not recorded is not stated.
#[derive(Debug, Clone, PartialEq)]
pub struct Derivation {
    /// The model, as recorded or as asserted by whoever imported it.
    pub model: Option<String>,
    /// Components of the vector.
    pub dimension: usize,
    /// SHA-256 of the published file, in hex.
    pub shard_sha256: String,
    /// Row in that file, from 0.
    pub row_index: u64,
    /// Length before it was divided by it.
    pub original_norm: f64,
}

/// An id that can have evidence; its text form is what callers cite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvidenceId {
    /// `object:<id>:csv`: the row of the published table.
    Csv(u64),
    /// `object:<id>:api`: a captured response of the live interface.
    Api(u64),
    /// `vector:<id>:siglip2`: a stored image vector.
    Vector(u64),
}

impl EvidenceCategory {
    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SourceRecord => "source_record",
            Self::DerivedVector => "derived_vector",
        }
    }
}

impl EvidenceId {
    fn parse(id: &str) -> Option<Self> {
        let (kind, rest) = id.split_once(':')?;
        let (number, source) = rest.split_once(':')?;
        let object_id = number.parse().ok()?;
        let reference = match (kind, source) {
            ("object", "csv") => Self::Csv(object_id),
            ("object", "api") => Self::Api(object_id),
            ("vector", "siglip2") => Self::Vector(object_id),
            _ => return None,
        };
        // Another spelling of the number is another id.
        (reference.to_string() == id).then_some(reference)
    }

    const fn object_id(self) -> u64 {
        match self {
            Self::Csv(id) | Self::Api(id) | Self::Vector(id) => id,
        }
    }
}

impl std::fmt::Display for EvidenceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Csv(id) => write!(f, "object:{id}:csv"),
            Self::Api(id) => write!(f, "object:{id}:api"),
            Self::Vector(id) => write!(f, "vector:{id}:siglip2"),
        }
    }
}

impl StoredObject {
    /// The ids of all evidence there is about the object.
    #[must_use]
    pub fn evidence_ids(&self) -> Vec<String> {
        let id = self.record.object_id;
        let csv = self.csv.as_ref().map(|_| EvidenceId::Csv(id));
        let api = self.api.as_ref().map(|_| EvidenceId::Api(id));
        let vector = self.vector.as_ref().map(|_| EvidenceId::Vector(id));
        [csv, api, vector]
            .into_iter()
            .flatten()
            .map(|reference| reference.to_string())
            .collect()
    }
}

impl Collection {
    /// Resolves a batch of 1 to 100 distinct evidence ids.
    ///
    /// # Errors
    /// Empty or too long batches, repeated, empty or too long ids; an ended budget; a store that cannot be
    /// read.
    pub fn evidence(&self, evidence_ids: &[String], budget: &Budget<'_>) -> Result<EvidencePage, Error> {
        check_batch("evidenceIds", evidence_ids)?;
        for length in evidence_ids.iter().map(|id| id.chars().count()) {
            if !(1..=MAX_EVIDENCE_ID).contains(&length) {
                let problem = format!("has an id of {length} characters; 1 to {MAX_EVIDENCE_ID} are allowed");
                return Err(Error::InvalidArgument {
                    argument: "evidenceIds",
                    problem,
                });
            }
        }
        let mut page = EvidencePage {
            evidence: Vec::new(),
            missing: Vec::new(),
        };
        for id in evidence_ids {
            budget.check()?;
            match EvidenceId::parse(id)
                .map(|reference| resolve(self.catalogue.as_ref(), reference))
                .transpose()?
            {
                Some(Some(evidence)) => page.evidence.push(evidence),
                Some(None) | None => page.missing.push(id.clone()),
            }
        }
        Ok(page)
    }
}

fn resolve(catalogue: &dyn Catalogue, reference: EvidenceId) -> Result<Option<Evidence>, Error> {
    let Some(object) = catalogue.object(reference.object_id())? else {
        return Ok(None);
    };
    Ok(match reference {
        EvidenceId::Csv(_) => object.csv.map(|source| of_csv(catalogue, reference, source)),
        EvidenceId::Api(_) => object.api.map(|source| of_api(reference, source)),
        EvidenceId::Vector(_) => object
            .vector
            .map(|source| of_vector(catalogue, reference, source)),
    })
}

fn of_csv(catalogue: &dyn Catalogue, reference: EvidenceId, source: CsvSource) -> Evidence {
    Evidence {
        id: reference.to_string(),
        category: EvidenceCategory::SourceRecord,
        object_id: reference.object_id(),
        source: "csv",
        retrieved_at: None,
        snapshot_date: catalogue.manifest().inputs.csv.upstream_date.clone(),
        statements: source
            .cells
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .collect(),
        derivation: None,
    }
}

fn of_api(reference: EvidenceId, source: ApiSource) -> Evidence {
    let statements = match source.body {
        Value::Object(members) if source.http_status == FOUND => members
            .into_iter()
            .filter_map(|(name, value)| Some((name, stated(value)?)))
            .collect(),
        // That nothing was found on that day is what the capture says.
        _ => vec![("httpStatus".to_owned(), source.http_status.to_string())],
    };
    Evidence {
        id: reference.to_string(),
        category: EvidenceCategory::SourceRecord,
        object_id: reference.object_id(),
        source: "api",
        retrieved_at: Some(source.retrieved_at),
        snapshot_date: None,
        statements,
        derivation: None,
    }
}

/// The text of a value; nothing for an empty one.
fn stated(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text).filter(|text| !text.is_empty()),
        Value::Array(items) if items.is_empty() => None,
        Value::Object(members) if members.is_empty() => None,
        value => Some(value.to_string()),
    }
}

fn of_vector(catalogue: &dyn Catalogue, reference: EvidenceId, source: VectorSource) -> Evidence {
    let vectors = catalogue.vectors();
    let position = vectors.ids().binary_search(&reference.object_id());
    Evidence {
        id: reference.to_string(),
        category: EvidenceCategory::DerivedVector,
        object_id: reference.object_id(),
        source: "siglip2",
        retrieved_at: None,
        snapshot_date: None,
        statements: Vec::new(),
        derivation: Some(Derivation {
            model: source.model,
            dimension: position.map_or(0, |position| vectors.vector(position).len()),
            shard_sha256: source.shard_sha256,
            row_index: source.row_index,
            original_norm: source.original_norm,
        }),
    }
}
