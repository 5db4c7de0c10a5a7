//! Searching values line by line, `path = value`, with a pattern that a model wrote.

use std::ops::Range;

use serde_json::Value;

use super::{
    MAX_ECHO_CHARS, echo,
    search::{Search, TooCostly},
};
use crate::{describe::counted, path};

/// Most matching lines that are shown.
const MAX_LINES: usize = 50;

/// Longest value in a line, in characters; the part around the match is shown.
const MAX_VALUE_CHARS: usize = 160;

/// A search over one or more values.
pub(super) struct Grep<'p> {
    pattern: &'p str,
    search: Option<Search>,
    is_literal: bool,
    is_stopped: bool,
    lines: Vec<String>,
    /// The key under which lines were last added, when several values are searched.
    heading: Option<String>,
    match_count: usize,
    scanned: usize,
}

impl<'p> Grep<'p> {
    /// A pattern that is no regular expression is searched for as it is.
    pub(super) fn new(pattern: &'p str) -> Self {
        let parsed = Search::new(pattern);
        let is_literal = parsed.is_none();
        let search = parsed.or_else(|| Search::new(&regex::escape(pattern)));
        Self {
            pattern,
            search,
            is_literal,
            is_stopped: false,
            lines: Vec::new(),
            heading: None,
            match_count: 0,
            scanned: 0,
        }
    }

    /// Searches a value; with a key, its matches stand under the key.
    pub(super) fn search(&mut self, key: Option<&str>, value: &Value) {
        if !self.is_stopped {
            self.is_stopped = self.visit(key, value, &mut String::new()).is_err();
        }
    }

    /// The answer: what matched where, or what was searched in vain.
    pub(super) fn report(self, place: &str, structure: impl FnOnce() -> String) -> String {
        let pattern = echo(self.pattern);
        if self.search.is_none() {
            return format!("'{pattern}' is too long to search for; take a part of it");
        }
        let literal = if self.is_literal {
            " (not a valid regular expression, searched as plain text)"
        } else {
            ""
        };
        let stopped = if self.is_stopped {
            "; stopped early, the pattern is too costly here: use a simpler one, or narrow the search with `path`"
        } else {
            ""
        };
        if self.match_count == 0 {
            let scanned = counted(self.scanned, "value", "values");
            let structure = structure();
            return format!(
                "no match for '{pattern}'{literal} in {place}; {scanned} searched in {structure}{stopped}"
            );
        }
        let count = counted(self.match_count, "match", "matches");
        let shown = if self.match_count > MAX_LINES {
            format!(" (showing {MAX_LINES})")
        } else {
            String::new()
        };
        format!(
            "{count} for '{pattern}'{literal} in {place}{shown}{stopped}\n{}",
            self.lines.join("\n")
        )
    }

    fn visit(&mut self, key: Option<&str>, value: &Value, at: &mut String) -> Result<(), TooCostly> {
        match value {
            Value::Object(object) if !object.is_empty() => {
                for (name, field) in object {
                    path::within_field(at, name, |at| self.visit(key, field, at))?;
                }
            }
            Value::Array(items) if !items.is_empty() => {
                for (index, item) in items.iter().enumerate() {
                    path::within_index(at, index, |at| self.visit(key, item, at))?;
                }
            }
            _ => return self.try_line(key, value, at),
        }
        Ok(())
    }

    fn try_line(&mut self, key: Option<&str>, value: &Value, at: &str) -> Result<(), TooCostly> {
        let Some(search) = self.search.as_mut() else {
            return Ok(());
        };
        let at = if at.is_empty() { "." } else { at };
        let line = format!("{at} = {value}");
        let found = search.find(&line)?;
        self.scanned += 1;
        if let Some(found) = found {
            self.add(key, at, &line, &found);
        }
        Ok(())
    }

    fn add(&mut self, key: Option<&str>, at: &str, line: &str, found: &Range<usize>) {
        self.match_count += 1;
        if self.match_count > MAX_LINES {
            return;
        }
        let indent = match key {
            None => "",
            Some(key) => {
                if self.heading.as_deref() != Some(key) {
                    self.lines.push(format!("{key}:"));
                    self.heading = Some(key.to_owned());
                }
                "  "
            }
        };
        let value_start = at.len() + " = ".len();
        let in_value = found.start.saturating_sub(value_start)..found.end.saturating_sub(value_start);
        let shown = window(line.get(value_start..).unwrap_or_default(), &in_value);
        self.lines.push(format!("{indent}{} = {shown}", cut_path(at)));
    }
}

/// The part of a text around a match, at most [`MAX_VALUE_CHARS`] long, with `…` where something is left out.
fn window(text: &str, found: &Range<usize>) -> String {
    let total = text.chars().count();
    if total <= MAX_VALUE_CHARS {
        return text.to_owned();
    }
    let match_start = text
        .char_indices()
        .take_while(|(at, _)| *at < found.start)
        .count();
    let match_chars = text
        .get(found.clone())
        .map_or(0, |matched| matched.chars().count());
    let before = MAX_VALUE_CHARS.saturating_sub(match_chars) / 2;
    let start = match_start.saturating_sub(before).min(total - MAX_VALUE_CHARS);
    let part: String = text.chars().skip(start).take(MAX_VALUE_CHARS).collect();
    let left = if start > 0 { "…" } else { "" };
    let right = if start + MAX_VALUE_CHARS < total {
        "…"
    } else {
        ""
    };
    format!("{left}{part}{right}")
}

/// A path as it is, or its beginning if field names make it absurdly long.
fn cut_path(path: &str) -> String {
    if path.len() <= MAX_ECHO_CHARS {
        path.to_owned()
    } else {
        echo(path)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn grep(pattern: &str, value: &Value) -> String {
        let mut grep = Grep::new(pattern);
        grep.search(None, value);
        grep.report("k", || "structure".to_owned())
    }

    #[test]
    fn a_line_is_matched_as_a_whole_and_without_regard_to_case() {
        let value = json!({"a": [{"name": "Severn"}, {"odd key": []}], "n": 3});
        assert_eq!(
            grep("SEVERN", &value),
            "1 match for 'SEVERN' in k\na[0].name = \"Severn\""
        );
        assert_eq!(
            grep(r"^a\[0\]\.name = ", &value),
            "1 match for '^a\\[0\\]\\.name = ' in k\na[0].name = \"Severn\""
        );
        assert_eq!(
            grep("odd", &value),
            "1 match for 'odd' in k\na[1][\"odd key\"] = []"
        );
        assert_eq!(grep("x", &json!("x")), "1 match for 'x' in k\n. = \"x\"");
        assert_eq!(
            grep("straße", &json!(["STRASSE", "STRAßE"])),
            "1 match for 'straße' in k\n[1] = \"STRAßE\""
        );
    }

    #[test]
    fn a_pattern_that_is_no_expression_is_plain_text_and_says_so() {
        let answer = grep("a[", &json!(["a[b"]));
        assert!(
            answer.starts_with(
                "1 match for 'a[' (not a valid regular expression, searched as plain text) in k\n"
            )
        );
        assert!(
            grep("(a{1000}){1000}", &json!(["a"])).starts_with("no match for"),
            "what compiles too large is text"
        );
        assert!(
            grep(&"a".repeat(1001), &json!(["a"])).ends_with("too long to search for; take a part of it")
        );
    }

    #[test]
    fn no_match_says_what_was_searched() {
        assert_eq!(
            grep("zz", &json!([1, {"a": 2}])),
            "no match for 'zz' in k; 2 values searched in structure"
        );
    }

    #[test]
    fn at_most_fifty_lines_are_shown_and_all_are_counted() {
        let answer = grep("era", &json!(vec!["era5"; 70]));
        assert!(
            answer.starts_with("70 matches for 'era' in k (showing 50)\n"),
            "{answer}"
        );
        assert_eq!(answer.lines().count(), 51);
    }

    #[test]
    fn a_long_value_is_shown_around_the_match() {
        let value = json!(format!("{}needle{}", "é".repeat(500), "x".repeat(500)));
        let answer = grep("needle", &value);
        let line = answer.lines().nth(1).unwrap();
        assert!(
            line.starts_with(". = …é") && line.ends_with("x…") && line.contains("needle"),
            "{line}"
        );
        assert_eq!(
            line.chars().count(),
            ". = …".chars().count() + MAX_VALUE_CHARS + 1
        );
        let at_start = grep("^", &value);
        assert!(
            at_start.lines().nth(1).unwrap().starts_with(". = \"é"),
            "{at_start}"
        );
    }
}
