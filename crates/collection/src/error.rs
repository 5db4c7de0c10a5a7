//! What a query can fail with.
//!
//! Every error has a stable code for programs, a message that says what to do next, and the alternatives
//! that would have worked, so that a caller who cannot ask a human can still go on.

use serde_json::{Value, json};

use crate::rank::{Axis, Triple};

/// A refused or interrupted query.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument has a value outside its range.
    #[error("argument `{argument}` {problem}")]
    InvalidArgument {
        /// The argument's name.
        argument: &'static str,
        /// What is wrong and what is allowed.
        problem: String,
    },
    /// A field that does not exist, or not for this use.
    #[error("field `{field}` is not a {purpose} field; use one of the supported alternatives")]
    UnsupportedField {
        /// The name given.
        field: String,
        /// What it was wanted for.
        purpose: &'static str,
        /// The fields that exist for it.
        allowed: Vec<&'static str>,
    },
    /// A predicate that means nothing.
    #[error("predicate at `{pointer}` {problem}")]
    InvalidPredicate {
        /// JSON pointer into the predicate; empty for its root.
        pointer: String,
        /// What is wrong and what is expected.
        problem: String,
        /// The operators of the field in question, where one is known.
        operators: Vec<&'static str>,
    },
    /// A predicate beyond the limits.
    #[error("predicate at `{pointer}` {problem}")]
    PredicateLimit {
        /// JSON pointer into the predicate; empty for its root.
        pointer: String,
        /// Which limit was passed, and by what.
        problem: String,
    },
    /// A way of ranking that is known but not offered.
    #[error(
        "ranking by {anchor} on axis {axis} with {method} is not supported; choose a supported triple",
        anchor = .triple.anchor.name(), axis = .triple.axis.name(), method = .triple.method.name()
    )]
    UnsupportedTriple {
        /// What was asked for.
        triple: Triple,
        /// What is offered, the same axis first.
        supported: Vec<Triple>,
    },
    /// The axis that nothing recorded can support.
    #[error(
        "axis `style` is not supported: visual similarity compares stored image vectors and is not a judgement of style"
    )]
    StyleNotSupported {
        /// What is offered.
        supported: Vec<Triple>,
    },
    /// A selection with more objects than may be ranked at once.
    #[error(
        "the selection has {eligible} eligible objects, more than `maxCandidates` = {max_candidates}; a part of a selection is never ranked"
    )]
    TooManyCandidates {
        /// Objects in the selection.
        eligible: usize,
        /// The limit in force.
        max_candidates: usize,
        /// The highest limit a caller may set.
        ceiling: usize,
    },
    /// An anchor object that is not in the snapshot.
    #[error("anchor object {0} is not in this snapshot")]
    AnchorNotFound(u64),
    /// An anchor object without the data its axis compares.
    #[error("anchor object {object_id} has nothing recorded to compare on axis `{axis}`", axis = .axis.name())]
    AnchorNotRankable {
        /// The anchor.
        object_id: u64,
        /// The axis asked for.
        axis: Axis,
        /// The axes on which this anchor can be ranked by.
        rankable: Vec<Axis>,
    },
    /// A topic without a word to search for.
    #[error("the topic text holds no searchable word; use words of the recorded metadata")]
    AnchorNotSearchable,
    /// A visual ranking over a snapshot without vectors.
    #[error("this snapshot stores no image vectors")]
    VectorsUnavailable {
        /// What is offered instead.
        supported: Vec<Triple>,
    },
    /// A receipt that was not issued by this collection, or was damaged.
    #[error("the selection receipt is not valid: {0}; call collection_select again")]
    InvalidReceipt(String),
    /// A cursor that was not issued by this collection, or was damaged.
    #[error("the cursor is not valid: {0}; repeat the call without a cursor")]
    InvalidCursor(String),
    /// A receipt of another snapshot or of other query rules.
    #[error("the selection receipt is of another {0}; call collection_select again")]
    StaleReceipt(&'static str),
    /// A cursor of another snapshot or of other query rules.
    #[error("the cursor is of another {0}; repeat the call without a cursor")]
    StaleCursor(&'static str),
    /// A cursor that continues a call with other arguments.
    #[error(
        "the cursor continues a call with another `{0}`; repeat the arguments of that call, or start without a cursor"
    )]
    CursorMismatch(&'static str),
    /// A predicate whose receipt, or a position whose cursor, is longer than may be sent back.
    #[error("the {what} would have {length} characters, {max} are allowed; use fewer or shorter values")]
    ReceiptTooLarge {
        /// `selection receipt` or `cursor`.
        what: &'static str,
        /// Its length.
        length: usize,
        /// The limit.
        max: usize,
    },
    /// The budget ended first.
    #[error("the query ran out of its time budget; narrow the predicate")]
    Stopped,
    /// The stored snapshot could not be read.
    #[error("cannot read the snapshot")]
    Storage(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// The stable code of this kind of error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::InvalidArgument { .. } => "INVALID_ARGUMENT",
            Self::UnsupportedField { .. } => "UNSUPPORTED_FIELD",
            Self::InvalidPredicate { .. } => "INVALID_PREDICATE",
            Self::PredicateLimit { .. } => "PREDICATE_LIMIT",
            Self::UnsupportedTriple { .. } => "UNSUPPORTED_TRIPLE",
            Self::StyleNotSupported { .. } => "STYLE_NOT_SUPPORTED",
            Self::TooManyCandidates { .. } => "TOO_MANY_CANDIDATES",
            Self::AnchorNotFound(_) => "ANCHOR_NOT_FOUND",
            Self::AnchorNotRankable { .. } => "ANCHOR_NOT_RANKABLE",
            Self::AnchorNotSearchable => "ANCHOR_NOT_SEARCHABLE",
            Self::VectorsUnavailable { .. } => "VECTORS_UNAVAILABLE",
            Self::InvalidReceipt(_) => "INVALID_RECEIPT",
            Self::InvalidCursor(_) => "INVALID_CURSOR",
            Self::StaleReceipt(_) => "STALE_RECEIPT",
            Self::StaleCursor(_) => "STALE_CURSOR",
            Self::CursorMismatch(_) => "CURSOR_MISMATCH",
            Self::ReceiptTooLarge { .. } => "RECEIPT_TOO_LARGE",
            Self::Stopped => "QUERY_TIMEOUT",
            Self::Storage(_) => "INTERNAL",
        }
    }

    /// What would have worked: strings or small objects, possibly none.
    #[must_use]
    pub fn alternatives(&self) -> Vec<Value> {
        match self {
            Self::InvalidArgument { argument, .. } => vec![json!({ "argument": argument })],
            Self::UnsupportedField { allowed: names, .. }
            | Self::InvalidPredicate { operators: names, .. } => {
                names.iter().map(|&name| json!(name)).collect()
            }
            Self::PredicateLimit { .. } => vec![json!(crate::predicate::limits())],
            Self::UnsupportedTriple { supported, .. } | Self::VectorsUnavailable { supported } => {
                supported.iter().map(Triple::to_value).collect()
            }
            Self::StyleNotSupported { supported } => {
                let note = json!("visual similarity is not style");
                std::iter::once(note)
                    .chain(supported.iter().map(Triple::to_value))
                    .collect()
            }
            Self::TooManyCandidates {
                eligible, ceiling, ..
            } => too_many(*eligible, *ceiling),
            Self::AnchorNotRankable { rankable, .. } => rankable
                .iter()
                .map(|axis| json!({ "axis": axis.name() }))
                .collect(),
            Self::InvalidReceipt(_) | Self::StaleReceipt(_) => vec![json!("collection_select again")],
            Self::InvalidCursor(_) | Self::StaleCursor(_) | Self::CursorMismatch(_) => {
                vec![json!("the same call without a cursor")]
            }
            Self::ReceiptTooLarge { .. } | Self::Stopped => vec![json!("narrow the predicate")],
            Self::AnchorNotFound(_) | Self::AnchorNotSearchable | Self::Storage(_) => Vec::new(),
        }
    }
}

fn too_many(eligible: usize, ceiling: usize) -> Vec<Value> {
    let mut alternatives = vec![
        json!({ "eligibleCount": eligible }),
        json!("narrow the predicate"),
    ];
    if eligible <= ceiling {
        alternatives.push(json!(format!("maxCandidates up to {ceiling}")));
    }
    alternatives
}
