//! The values in force, each with where it comes from.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

use super::{ConfigError, Environment, Key, file::ConfigFile, keys};

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The command line.
    Flag(&'static str),
    /// An environment variable.
    Environment(&'static str),
    /// A line of the configuration file.
    File(PathBuf, usize),
    /// The compiled-in default.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "flag {flag}"),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::File(path, line) => write!(f, "{}:{line}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// All settings in force.
#[derive(Debug, Default)]
pub struct Settings {
    values: BTreeMap<&'static str, (String, Origin)>,
    environment: Environment,
    warnings: Vec<String>,
}

impl Settings {
    /// Combines the sources. `flags` are what the command line says, by setting.
    ///
    /// # Errors
    /// [`ConfigError`] if the configuration file is missing although named, broken, or has an unknown key.
    pub fn load(
        environment: Environment,
        config: Option<&Path>,
        flags: &[(&'static Key, Option<String>)],
    ) -> Result<Self, ConfigError> {
        let file = match config.or(environment.value(&keys::CONFIG).map(Path::new)) {
            Some(path) => ConfigFile::read(path)?,
            None => ConfigFile::read_if_present(Path::new("periplus.toml"))?,
        };
        let mut values = BTreeMap::new();
        for key in keys::ALL {
            let flag = flags
                .iter()
                .find(|(flagged, _)| flagged.env == key.env)
                .and_then(|(_, value)| value.clone());
            if let Some(found) = resolve(key, flag, &environment, &file) {
                values.insert(key.env, found);
            }
        }
        if let Some(path) = config {
            values.insert(
                keys::CONFIG.env,
                (path.display().to_string(), Origin::Flag("--config")),
            );
        }
        let warnings = environment.warnings();
        Ok(Self {
            values,
            environment,
            warnings,
        })
    }

    /// The value of a setting as text.
    #[must_use]
    pub fn text(&self, key: &Key) -> Option<&str> {
        self.values.get(key.env).map(|(value, _)| value.as_str())
    }

    /// Where the value of a setting comes from; `None` if it has none.
    #[must_use]
    pub fn origin(&self, key: &Key) -> Option<&Origin> {
        self.values.get(key.env).map(|(_, origin)| origin)
    }

    /// The value of a setting as a path.
    #[must_use]
    pub fn path(&self, key: &Key) -> Option<PathBuf> {
        self.text(key).map(PathBuf::from)
    }

    /// The values of a setting that takes several, separated by commas.
    #[must_use]
    pub fn list(&self, key: &Key) -> Vec<String> {
        let text = self.text(key).unwrap_or_default();
        text.split(',')
            .map(str::trim)
            .filter(|item| !item.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// The value of a setting, parsed; `wanted` names its kind for the message.
    ///
    /// # Errors
    /// [`ConfigError::Value`] names where the value was set.
    pub fn parse<T>(&self, key: &Key, wanted: &'static str) -> Result<Option<T>, ConfigError>
    where
        T: FromStr<Err: fmt::Display>,
    {
        let Some((value, origin)) = self.values.get(key.env) else {
            return Ok(None);
        };
        value
            .trim()
            .parse()
            .map(Some)
            .map_err(|reason: T::Err| ConfigError::Value {
                origin: match origin {
                    Origin::Default => format!("the default of {}", key.env),
                    Origin::File(..) => format!("`{}` ({origin})", key.file.unwrap_or(key.env)),
                    Origin::Flag(name) | Origin::Environment(name) => (*name).to_owned(),
                },
                value: value.clone(),
                wanted,
                reason: reason.to_string(),
            })
    }

    /// A setting that is on or off; one that nobody set is off.
    ///
    /// # Errors
    /// [`ConfigError::Value`] names where the value was set.
    pub fn switch(&self, key: &Key) -> Result<bool, ConfigError> {
        Ok(self
            .parse::<Switch>(key, "switch")?
            .is_some_and(|switch| switch.0))
    }

    /// The cache folder of the product.
    #[must_use]
    pub fn cache_dir(&self) -> Option<PathBuf> {
        self.environment.cache_dir()
    }

    /// The folder of what is kept for the user.
    #[must_use]
    pub fn data_dir(&self) -> Option<PathBuf> {
        self.environment.data_dir()
    }

    /// A variable that stands in for a credential header: `x-demo-token` is `X_DEMO_TOKEN`.
    #[must_use]
    pub fn credential(&self, header: &str) -> Option<&str> {
        self.environment
            .variable(&header.to_ascii_uppercase().replace('-', "_"))
    }

    /// The value of a variable that belongs to another program.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.environment.variable(name)
    }

    /// What about the environment deserves a word.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// On or off, in the spellings people use.
struct Switch(bool);

impl FromStr for Switch {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.to_ascii_lowercase().as_str() {
            "on" | "true" | "yes" | "1" => Ok(Self(true)),
            "off" | "false" | "no" | "0" => Ok(Self(false)),
            _ => Err("use on or off"),
        }
    }
}

fn resolve(
    key: &'static Key,
    flag: Option<String>,
    environment: &Environment,
    file: &ConfigFile,
) -> Option<(String, Origin)> {
    if let Some(value) = flag {
        return Some((value, Origin::Flag(key.flag.unwrap_or(key.env))));
    }
    if let Some(value) = environment.value(key) {
        return Some((value.to_owned(), Origin::Environment(key.env)));
    }
    if let Some(value) = key.file.and_then(|name| file.values.get(name)) {
        return Some((value.text.clone(), Origin::File(file.path.clone(), value.line)));
    }
    key.default.map(|value| (value.to_owned(), Origin::Default))
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

    fn config(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("periplus.toml");
        std::fs::write(&path, text).unwrap();
        (folder, path)
    }

    #[test]
    fn the_order_is_flag_environment_file_default() {
        let (_folder, path) = config("port = 3\nhost = \"::1\"\nurl = \"http://file\"\n");
        let environment = environment(&[("PORT", "2"), ("MCP_URL", "http://env")]);
        let settings =
            Settings::load(environment, Some(&path), &[(&keys::PORT, Some("1".to_owned()))]).unwrap();
        assert_eq!(settings.text(&keys::PORT), Some("1"));
        assert_eq!(settings.origin(&keys::PORT), Some(&Origin::Flag("--port")));
        assert_eq!(
            settings.origin(&keys::MCP_URL),
            Some(&Origin::Environment("MCP_URL"))
        );
        assert_eq!(settings.origin(&keys::HOST), Some(&Origin::File(path, 2)));
        assert_eq!(settings.origin(&keys::DRAIN_SECONDS), Some(&Origin::Default));
        assert_eq!(settings.origin(&keys::PUBLIC_URL), None);
    }

    #[test]
    fn a_bad_value_names_where_it_was_set() {
        let (_folder, path) = config("\nport = \"many\"\n");
        let settings = Settings::load(Environment::default(), Some(&path), &[]).unwrap();
        let error = settings
            .parse::<u16>(&keys::PORT, "port number")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("periplus.toml:2") && error.contains("\"many\""),
            "{error}"
        );
    }

    #[test]
    fn a_named_file_that_is_missing_is_an_error() {
        let error = Settings::load(Environment::default(), Some(Path::new("no-such.toml")), &[]).unwrap_err();
        assert!(error.to_string().contains("no-such.toml"));
    }

    #[test]
    fn a_credential_header_has_a_variable() {
        let settings = Settings::load(environment(&[("X_DEMO_TOKEN", "s3")]), None, &[]).unwrap();
        assert_eq!(settings.credential("x-demo-token"), Some("s3"));
        assert_eq!(settings.credential("x-other"), None);
    }
}
