//! `periplus.toml`: known keys only, each with its line.

use std::{
    collections::BTreeMap,
    ops::Range,
    path::{Path, PathBuf},
};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{ConfigError, environment::nearest, keys};

/// A value of the file and the line it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileValue {
    pub(super) text: String,
    pub(super) line: usize,
}

/// A parsed configuration file: values by dotted key.
#[derive(Debug, Default)]
pub(super) struct ConfigFile {
    pub(super) path: PathBuf,
    pub(super) values: BTreeMap<String, FileValue>,
}

impl ConfigFile {
    /// Reads the file a person named; it must exist.
    pub(super) fn read(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|source| ConfigError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(path, &text)
    }

    /// Reads a file that need not exist.
    pub(super) fn read_if_present(path: &Path) -> Result<Self, ConfigError> {
        match Self::read(path) {
            Err(ConfigError::Read { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                Ok(Self::default())
            }
            outcome => outcome,
        }
    }

    fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let source = Source { path, text };
        let table = DeTable::parse(text)
            .map_err(|error| source.problem(error.span().unwrap_or_default(), error.message().to_owned()))?;
        let mut values = BTreeMap::new();
        source.collect(table.get_ref(), "", &mut values)?;
        Ok(Self {
            path: path.to_owned(),
            values,
        })
    }
}

struct Source<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Source<'_> {
    fn collect(
        &self,
        table: &DeTable<'_>,
        prefix: &str,
        values: &mut BTreeMap<String, FileValue>,
    ) -> Result<(), ConfigError> {
        for (name, value) in table {
            let key = format!("{prefix}{}", name.get_ref());
            match value.get_ref() {
                DeValue::Table(inner) if is_section(&key) => {
                    self.collect(inner, &format!("{key}."), values)?
                }
                _ if !is_known(&key) => return Err(self.unknown(&key, name.span())),
                _ => {
                    let text = self.scalar(&key, value)?;
                    values.insert(
                        key,
                        FileValue {
                            text,
                            line: self.position(value.span().start).0,
                        },
                    );
                }
            }
        }
        Ok(())
    }

    /// A value as the text that the environment would have carried; a list is separated by commas.
    fn scalar(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<String, ConfigError> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            DeValue::Integer(number) => Ok(number.as_str().to_owned()),
            DeValue::Float(number) => Ok(number.as_str().to_owned()),
            DeValue::Boolean(flag) => Ok(flag.to_string()),
            DeValue::Array(items) => {
                let texts: Result<Vec<_>, _> = items.iter().map(|item| self.scalar(key, item)).collect();
                Ok(texts?.join(","))
            }
            DeValue::Datetime(_) | DeValue::Table(_) => Err(self.problem(
                value.span(),
                format!("`{key}` takes a text, a number or a list of texts"),
            )),
        }
    }

    fn unknown(&self, key: &str, span: Range<usize>) -> ConfigError {
        let known = keys::ALL.iter().filter_map(|known| known.file);
        let hint = nearest(key, known).map(|near| format!("; did you mean `{near}`?"));
        self.problem(
            span,
            format!("`{key}` is not a setting{}", hint.unwrap_or_default()),
        )
    }

    fn problem(&self, span: Range<usize>, problem: String) -> ConfigError {
        let (line, column) = self.position(span.start);
        let text = self.text.lines().nth(line - 1).unwrap_or_default().to_owned();
        let width = self
            .text
            .get(span)
            .map_or(1, |marked| marked.chars().count().max(1));
        let width = width.min(text.chars().count().saturating_sub(column - 1).max(1));
        let caret = format!("{}{}", " ".repeat(column - 1), "^".repeat(width));
        ConfigError::File {
            path: self.path.to_owned(),
            line,
            column,
            problem,
            text,
            caret,
        }
    }

    /// Line and column of a byte offset, both from 1.
    fn position(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |index| index + 1);
        (
            before.matches('\n').count() + 1,
            before[line_start..].chars().count() + 1,
        )
    }
}

fn is_known(key: &str) -> bool {
    keys::ALL.iter().any(|known| known.file == Some(key))
}

fn is_section(key: &str) -> bool {
    let prefix = format!("{key}.");
    keys::ALL
        .iter()
        .any(|known| known.file.is_some_and(|file| file.starts_with(&prefix)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ConfigFile, ConfigError> {
        ConfigFile::parse(Path::new("periplus.toml"), text)
    }

    #[test]
    fn values_keep_their_text_and_line() {
        let file =
            parse("port = 9000\nallowed_hosts = [\"a\", \"b\"]\n\n[met]\ndata_dir = \"snap\"\n").unwrap();
        let line = |key: &str| (file.values[key].text.as_str(), file.values[key].line);
        assert_eq!(line("port"), ("9000", 1));
        assert_eq!(line("allowed_hosts"), ("a,b", 2));
        assert_eq!(line("met.data_dir"), ("snap", 5));
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_place_and_the_nearest_name() {
        let error = parse("port = 1\n[met]\n  data_dri = \"x\"\n")
            .unwrap_err()
            .to_string();
        let expected = "periplus.toml:3:3: `met.data_dri` is not a setting; did you mean `met.data_dir`?\n    data_dri = \"x\"\n    ^^^^^^^^";
        assert_eq!(error, expected);
    }

    #[test]
    fn a_syntax_error_points_at_its_place() {
        let error = parse("host = \n").unwrap_err().to_string();
        assert!(error.starts_with("periplus.toml:1:"), "{error}");
    }

    #[test]
    fn a_value_of_the_wrong_kind_is_refused() {
        assert!(
            parse("port = { a = 1 }")
                .unwrap_err()
                .to_string()
                .contains("takes a text")
        );
        assert!(
            parse("host = 2026-01-01")
                .unwrap_err()
                .to_string()
                .contains("takes a text")
        );
    }
}
