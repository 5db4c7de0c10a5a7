//! Evidence-first research over a museum catalogue.
//!
//! Select by typed predicates over four states, rank exactly what was selected, and cite the source of every
//! value. Pure and synchronous: no clock, no environment, no network; time limits come in as a budget.

mod bits;
mod budget;
mod canonical;
mod capabilities;
mod catalogue;
mod collection;
mod columns;
mod cursor;
mod dictionary;
mod error;
mod evidence;
mod facet;
mod field;
pub mod manifest;
mod missing;
mod objects;
pub mod predicate;
pub mod rank;
mod receipt;
mod record;
mod select;
mod selection;
pub mod snapshot;
pub mod text;
mod token;
pub mod vectors;
mod version;

pub use budget::Budget;
pub use canonical::canonical_json;
pub use capabilities::{Capabilities, FieldKind, FieldUse, Limits, Unavailable};
pub use catalogue::{Catalogue, Sources, Vectors};
pub use collection::{Collection, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, Options};
pub use columns::{
    BlobError, BoolColumn, Columns, ColumnsBuilder, ColumnsError, Conflicts, DateColumn, LEXICAL_WEIGHTS,
    Lists, OBJECT_DATE_WEIGHT, Row, StringColumn, Strings, TermIndex, ValueId,
};
pub use error::Error;
pub use evidence::{Derivation, Evidence, EvidenceCategory, EvidenceId, EvidencePage, MAX_EVIDENCE_ID};
pub use facet::{FacetPage, FacetRequest, FacetValue, MAX_PREFIX};
pub use field::StringField;
pub use manifest::Manifest;
pub use objects::{MAX_BATCH, ObjectsPage};
pub use predicate::Predicate;
pub use receipt::{Policies, Policy};
pub use record::{ArtistMention, Geography, Interval, Merged, ObjectDate, Record};
pub use select::{SelectCounts, SelectPage, SelectRequest};
pub use selection::CACHED_SELECTIONS;
pub use snapshot::Snapshot;
pub use token::MAX_TOKEN_LENGTH;
pub use version::{CONFLICT_RULES, QUALITY_RULES, RECORD_RULES, query_rules};
