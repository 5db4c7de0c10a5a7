//! Sets of questions: those that are shipped, and files with the same columns.

use crate::{
    EvalError,
    cases::{Case, Cases, KINDS, Kind},
    table::Table,
};

/// A set of questions with their answers.
#[derive(Debug)]
pub struct Set {
    name: String,
    cases: Cases,
}

/// The sets that are compiled in, each with its name and its table.
const SHIPPED: [(&str, &str); 9] = [
    ("areas", include_str!("../../../data/zeno/aoi_expected.csv")),
    (
        "area-search",
        include_str!("../../../data/zeno/aoi_search_candidates.csv"),
    ),
    ("units", include_str!("../../../data/zeno/gadm_subregions.csv")),
    (
        "datasets",
        include_str!("../../../data/zeno/dataset_expected.csv"),
    ),
    (
        "layers",
        include_str!("../../../data/zeno/context_layer_expected.csv"),
    ),
    (
        "parameters",
        include_str!("../../../data/zeno/parameter_expected.csv"),
    ),
    (
        "no-single-dataset",
        include_str!("../../../data/zeno/no_single_dataset.csv"),
    ),
    ("end-to-end", include_str!("../../../data/zeno/end_to_end.csv")),
    (
        "verified-answers",
        include_str!("../../../data/analytics/verified_answers.csv"),
    ),
];

impl Set {
    /// Names of the shipped sets.
    pub fn names() -> impl Iterator<Item = &'static str> {
        SHIPPED.iter().map(|(name, _)| *name)
    }

    /// A shipped set, unless none has this name.
    ///
    /// # Errors
    /// As [`Set::read`], which the sets of a release never give.
    pub fn shipped(name: &str) -> Result<Option<Self>, EvalError> {
        let found = SHIPPED.iter().find(|(known, _)| *known == name);
        found.map(|(name, text)| Self::read(name, text)).transpose()
    }

    /// Reads a table of comma-separated values with the columns of a shipped set, in any order. `name` is that of its file.
    ///
    /// # Errors
    /// [`EvalError`] names the file, and the row and column where a cell is at fault.
    pub fn read(name: &str, text: &str) -> Result<Self, EvalError> {
        let table = Table::read(name, text)?;
        let kind = kind_of(&table).ok_or_else(|| EvalError::Columns {
            file: name.to_owned(),
            found: table.columns.join(", "),
            known: known(),
        })?;
        Ok(Self {
            name: name.to_owned(),
            cases: (kind.read)(&table.rows)?,
        })
    }

    /// Its name, or the path of its file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many questions it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cases.len()
    }

    /// Whether it has none, which a set that was read never is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    pub(crate) fn cases(&self) -> &[Box<dyn Case>] {
        &self.cases
    }
}

fn kind_of(table: &Table) -> Option<&'static Kind> {
    let has = |column: &&str| table.columns.iter().any(|known| known == column);
    KINDS
        .iter()
        .copied()
        .find(|kind| kind.columns.len() == table.columns.len() && kind.columns.iter().all(has))
}

fn known() -> String {
    let kinds: Vec<String> = KINDS
        .iter()
        .map(|kind| format!("{} ({})", kind.name, kind.columns.join(", ")))
        .collect();
    kinds.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_set_is_read_as_its_own_kind() {
        for (name, text) in SHIPPED {
            let set = Set::shipped(name).unwrap().unwrap();
            assert!(!set.is_empty(), "{name}");
            let table = Table::read(name, text).unwrap();
            assert_eq!(kind_of(&table).map(|kind| kind.name), Some(name));
        }
        assert!(Set::shipped("nothing").unwrap().is_none());
    }

    #[test]
    fn columns_of_no_set_are_refused_with_those_there_are() {
        let error = Set::read("mine.csv", "question,answer\na,b\n")
            .unwrap_err()
            .to_string();
        for part in [
            "mine.csv",
            "question, answer",
            "no-single-dataset (question, expected_outcome",
        ] {
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}
