//! The process environment, read once.

use std::{collections::BTreeMap, path::PathBuf};

use super::{Key, keys};

/// Variables with these prefixes are ours: one we do not know is probably a slip of the pen.
const OUR_PREFIXES: [&str; 2] = ["PERIPLUS_", "MET_MCP_"];

/// A copy of the environment; tests make their own.
#[derive(Debug, Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// Copies the environment of the process; variables that are not UTF-8 are none of ours.
    #[must_use]
    pub fn of_process() -> Self {
        Self(
            std::env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
                .collect(),
        )
    }

    /// The value of a setting. Empty counts as unset unless the setting says otherwise, and so does what a cluster injects
    /// for its services.
    pub(super) fn value(&self, key: &Key) -> Option<&str> {
        let set = self.0.get(key.env).map(String::as_str);
        self.variable(key.env)
            .or(set.filter(|_| key.may_be_empty))
            .filter(|value| !is_service_link(value))
    }

    /// The value of any variable, unless it is empty.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.0
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.trim().is_empty())
    }

    /// The cache folder of the product, if the environment says where caches are.
    #[must_use]
    pub fn cache_dir(&self) -> Option<PathBuf> {
        self.folder("XDG_CACHE_HOME", ".cache")
    }

    /// The folder of what is kept for the user, if the environment says where such things are.
    #[must_use]
    pub fn data_dir(&self) -> Option<PathBuf> {
        self.folder("XDG_DATA_HOME", ".local/share")
    }

    fn folder(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        let parent = match self.variable(variable) {
            Some(folder) => PathBuf::from(folder),
            None => PathBuf::from(self.variable("HOME")?).join(below_home),
        };
        Some(parent.join("periplus"))
    }

    /// What about the environment deserves a word: ignored service links, unknown variables with our prefixes.
    pub(super) fn warnings(&self) -> Vec<String> {
        let links = keys::ALL.iter().filter(|key| self.variable(key.env).is_some_and(is_service_link)).map(|key| {
            format!(
                "ignoring {}={:?}: a cluster injects such values for its services (enableServiceLinks: false stops it)",
                key.env,
                self.variable(key.env).unwrap_or_default()
            )
        });
        let unknown = self.0.keys().filter(|name| is_unknown(name)).map(|name| {
            let near = nearest(name, keys::ALL.iter().map(|key| key.env));
            format!(
                "{name} is not a setting{}",
                near.map(|near| format!("; did you mean {near}?"))
                    .unwrap_or_default()
            )
        });
        links.chain(unknown).collect()
    }
}

impl FromIterator<(String, String)> for Environment {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Self {
        Self(variables.into_iter().collect())
    }
}

fn is_service_link(value: &str) -> bool {
    value.starts_with("tcp://") || value.starts_with("udp://")
}

fn is_unknown(name: &str) -> bool {
    let is_ours = OUR_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let is_injected = name.contains("_SERVICE_") || name.ends_with("_PORT") || name.contains("_PORT_");
    is_ours && !is_injected && keys::ALL.iter().all(|key| key.env != name)
}

/// The known name that is closest to what was written, if one is close.
pub(crate) fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|name| (strsim::normalized_damerau_levenshtein(written, name), name))
        .filter(|(score, _)| *score > 0.6)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn service_links_are_ignored_with_a_warning() {
        let environment = environment(&[
            ("PORT", "tcp://10.0.0.1:80"),
            ("MET_MCP_PORT", "tcp://10.0.0.2:80"),
        ]);
        assert_eq!(environment.value(&keys::PORT), None);
        let warnings = environment.warnings();
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains("PORT"), "{warnings:?}");
    }

    #[test]
    fn an_unknown_variable_with_our_prefix_names_the_nearest() {
        let warnings = environment(&[("MET_MCP_DATADIR", "x"), ("UNRELATED", "y")]).warnings();
        assert_eq!(
            warnings,
            ["MET_MCP_DATADIR is not a setting; did you mean MET_MCP_DATA_DIR?"]
        );
    }

    #[test]
    fn empty_is_unset() {
        assert_eq!(environment(&[("HOST", " ")]).value(&keys::HOST), None);
    }

    #[test]
    fn folders_follow_xdg_then_home() {
        assert_eq!(
            environment(&[("HOME", "/h")]).data_dir(),
            Some("/h/.local/share/periplus".into())
        );
        assert_eq!(
            environment(&[("HOME", "/h"), ("XDG_DATA_HOME", "/d")]).data_dir(),
            Some("/d/periplus".into())
        );
        assert_eq!(
            environment(&[("HOME", "/h")]).cache_dir(),
            Some("/h/.cache/periplus".into())
        );
        assert_eq!(
            environment(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/c")]).cache_dir(),
            Some("/c/periplus".into())
        );
        assert_eq!(environment(&[]).cache_dir(), None);
    }
}
