//! A catalogue with everything the query operations share.

use std::sync::Arc;

use crate::{
    Budget, Catalogue, Columns, Error, Manifest, Predicate,
    missing::Missing,
    predicate::Evaluation,
    rank::FieldTerms,
    receipt::Receipt,
    selection::{Cache, Selection},
    token::Seal,
    version::query_version,
};

/// The largest page of any operation.
pub const MAX_PAGE_SIZE: usize = 100;
/// The page size that fits most callers.
pub const DEFAULT_PAGE_SIZE: usize = 25;

/// What an operator decides about a collection.
#[derive(Debug, Clone)]
pub struct Options {
    /// Short name of the product, such as `met`; it keeps the tokens of different products apart.
    pub name: String,
    /// The most candidates a caller may allow one ranking.
    pub max_candidates: usize,
    /// Turns the digest of receipts and cursors into an HMAC; all replicas need the same.
    pub receipt_key: Option<Vec<u8>>,
}

impl Options {
    /// The most candidates of one ranking unless the operator decides otherwise.
    pub const MAX_CANDIDATES: usize = 5_000;

    /// The default options of a product.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            max_candidates: Self::MAX_CANDIDATES,
            receipt_key: None,
        }
    }
}

/// A catalogue that can be queried, from any number of threads.
pub struct Collection {
    pub(crate) catalogue: Box<dyn Catalogue>,
    pub(crate) missing: Missing,
    pub(crate) field_terms: FieldTerms,
    pub(crate) seal: Seal,
    pub(crate) max_candidates: usize,
    query_version: String,
    selections: Cache,
}

impl Collection {
    /// A collection over a catalogue.
    #[must_use]
    pub fn new(catalogue: impl Catalogue + 'static, options: Options) -> Self {
        let Options {
            name,
            max_candidates,
            receipt_key,
        } = options;
        let query_version = query_version(&name);
        let snapshot = &catalogue.manifest().snapshot;
        Self {
            missing: Missing::of(catalogue.columns()),
            field_terms: FieldTerms::default(),
            seal: Seal::new(&name, snapshot, &query_version, receipt_key.as_deref()),
            max_candidates: max_candidates.max(1),
            query_version,
            selections: Cache::default(),
            catalogue: Box::new(catalogue),
        }
    }

    /// What the snapshot is made of.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        self.catalogue.manifest()
    }

    /// The snapshot's id.
    #[must_use]
    pub fn snapshot(&self) -> &str {
        &self.manifest().snapshot
    }

    /// How much of the source the snapshot holds.
    #[must_use]
    pub fn dataset_mode(&self) -> &str {
        &self.manifest().dataset_mode
    }

    /// The version of all query rules and limits; it changes whenever an answer could.
    #[must_use]
    pub fn query_version(&self) -> &str {
        &self.query_version
    }

    /// Derives what the first ranking by metadata would otherwise have to derive.
    pub fn warm_up(&self) {
        self.field_terms.derive_all(self.columns());
    }

    pub(crate) fn columns(&self) -> &Columns {
        self.catalogue.columns()
    }

    /// Judges every record, without a receipt and without the cache.
    ///
    /// # Errors
    /// An ended budget; a store that cannot be read.
    pub fn evaluate(&self, predicate: &Predicate, budget: &Budget<'_>) -> Result<Evaluation, Error> {
        predicate.evaluate(self.catalogue.as_ref(), &self.missing, budget)
    }

    /// The objects of a receipt.
    pub(crate) fn selection(&self, receipt: Receipt, budget: &Budget<'_>) -> Result<Arc<Selection>, Error> {
        self.selections.find_or_add(receipt, |receipt| {
            let evaluation = self.evaluate(&receipt.predicate, budget)?;
            Ok(Selection::new(receipt, evaluation))
        })
    }
}

impl std::fmt::Debug for Collection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Collection")
            .field("snapshot", &self.snapshot())
            .field("records", &self.columns().len())
            .finish_non_exhaustive()
    }
}

/// Refuses page sizes outside 1 to [`MAX_PAGE_SIZE`].
pub(crate) fn checked_page_size(page_size: usize) -> Result<usize, Error> {
    in_range("pageSize", page_size, MAX_PAGE_SIZE)
}

/// Refuses numbers outside 1 to `max`.
pub(crate) fn in_range(argument: &'static str, value: usize, max: usize) -> Result<usize, Error> {
    if (1..=max).contains(&value) {
        return Ok(value);
    }
    Err(Error::InvalidArgument {
        argument,
        problem: format!("is {value}; 1 to {max} are allowed"),
    })
}
