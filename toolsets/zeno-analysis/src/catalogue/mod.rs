//! The datasets that can be asked: one file each, checked when the toolset is built.

mod dataset;
mod legend;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

pub(crate) use self::{
    dataset::{Cadence, Dataset, Endpoint, Layer, Parameter},
    legend::Legend,
};

/// Embeds the files of the datasets.
macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("datasets/", $name, ".toml")))),+]
    };
}

const FILES: &[(&str, &str)] = files![
    "00-dist-alert",
    "01-land-cover",
    "02-grasslands",
    "03-natural-lands",
    "04-tree-cover-loss",
    "05-tree-cover-gain",
    "06-net-flux",
    "07-tree-cover",
    "08-drivers",
    "09-emission-factors",
    "10-fires",
    "11-integrated-alerts",
    "12-lgms",
];

/// Why the catalogue cannot be used; every variant names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogueError {
    /// The file is not a dataset: a key is missing, unknown or of the wrong type.
    #[error("dataset file {file} cannot be read")]
    Malformed {
        /// The file.
        file: String,
        /// What is wrong.
        #[source]
        source: toml::de::Error,
    },
    /// The values of a file contradict a rule.
    #[error("dataset file {file}: {problem}")]
    Invalid {
        /// The file.
        file: String,
        /// The rule.
        problem: String,
    },
}

/// All datasets, ordered by id, of which some may be hidden.
#[derive(Debug)]
pub(crate) struct Catalogue {
    datasets: Vec<Dataset>,
    hidden: BTreeSet<u32>,
}

impl Catalogue {
    /// Reads the embedded files; datasets named in `excluded` are hidden.
    pub(crate) fn load(excluded: &[String]) -> Result<Self, CatalogueError> {
        Self::from_files(FILES, excluded)
    }

    fn from_files(files: &[(&str, &str)], excluded: &[String]) -> Result<Self, CatalogueError> {
        let mut datasets = Vec::new();
        let mut ids = BTreeSet::new();
        for (file, text) in files {
            let dataset: Dataset = toml::from_str(text).map_err(|source| CatalogueError::Malformed {
                file: (*file).to_owned(),
                source,
            })?;
            let invalid = |problem: String| CatalogueError::Invalid {
                file: (*file).to_owned(),
                problem,
            };
            dataset.check().map_err(invalid)?;
            if !ids.insert(dataset.dataset_id) {
                return Err(invalid(format!("the id {} is taken", dataset.dataset_id)));
            }
            datasets.push(dataset);
        }
        datasets.sort_by_key(|dataset| dataset.dataset_id);
        let hidden = hidden(&datasets, excluded);
        Ok(Self { datasets, hidden })
    }

    /// The datasets that may be chosen.
    pub(crate) fn visible(&self) -> impl Iterator<Item = &Dataset> {
        self.datasets
            .iter()
            .filter(|dataset| !self.hidden.contains(&dataset.dataset_id))
    }

    /// A dataset that may be chosen.
    pub(crate) fn find(&self, id: u32) -> Option<&Dataset> {
        self.visible().find(|dataset| dataset.dataset_id == id)
    }

    /// The name of a dataset that exists and is hidden.
    pub(crate) fn hidden_name(&self, id: u32) -> Option<&str> {
        self.datasets
            .iter()
            .find(|dataset| dataset.dataset_id == id && self.hidden.contains(&id))
            .map(|dataset| dataset.dataset_name.as_str())
    }
}

fn hidden(datasets: &[Dataset], excluded: &[String]) -> BTreeSet<u32> {
    let mut hidden = BTreeSet::new();
    for name in excluded {
        let name = name.trim();
        match datasets
            .iter()
            .find(|dataset| dataset.dataset_name.eq_ignore_ascii_case(name))
        {
            Some(dataset) => {
                hidden.insert(dataset.dataset_id);
            }
            None => tracing::warn!(name, "an excluded dataset is not in the catalogue"),
        }
    }
    hidden
}
