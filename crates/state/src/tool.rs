//! A server's tool as the session uses it: what the model sees, what it publishes, what it must be given by reference.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::{Value, json};

use crate::{Connection, JsonObject, StateKey, Warning, key::is_ambiguous, schema, secret};

/// The `_meta` entry that lists the fields a tool publishes.
pub const PRODUCES_META: &str = "io.developmentseed.toolsets/produces";

/// The `_meta` entry that lists the parameters whose values a model must not write.
pub const NOT_AUTHORED_META: &str = "io.developmentseed.toolsets/notAuthored";

/// Longest name of a tool, in bytes: the protocol's own limit.
const MAX_NAME_BYTES: usize = 128;

/// A tool of a connected server.
#[derive(Debug, Clone)]
pub struct Tool {
    connection: Arc<Connection>,
    name: String,
    pub(crate) exposed_name: String,
    description: String,
    input_schema: JsonObject,
    is_rewritten: bool,
    required: BTreeSet<String>,
    not_authored: BTreeSet<String>,
    produces: BTreeMap<String, StateKey>,
}

impl Tool {
    /// Reads an entry of a server's tool list; nothing comes back if it has no usable name.
    ///
    /// A part of the declaration that makes no sense is ignored with a warning: the tool of a stranger may be badly
    /// declared and still be useful.
    #[must_use]
    pub fn bind(connection: &Arc<Connection>, declaration: &Value) -> (Option<Self>, Vec<Warning>) {
        let name = declaration
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let mut reader = Reader {
            connection,
            tool: name,
            warnings: Vec::new(),
        };
        if !is_usable_name(name) {
            reader.ignore("it has no usable name, so the tool is left out");
            return (None, reader.warnings);
        }
        let schema = reader.input_schema(declaration);
        let not_authored = reader.not_authored(declaration, &schema);
        let produces = reader.produces(declaration);
        let rewritten = schema::rewrite(&schema, &not_authored);
        let tool = Self {
            connection: Arc::clone(connection),
            name: name.to_owned(),
            exposed_name: name.to_owned(),
            description: declaration
                .get("description")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            required: names(schema.get("required")).map(str::to_owned).collect(),
            is_rewritten: rewritten.is_some(),
            input_schema: rewritten.unwrap_or(schema),
            not_authored,
            produces,
        };
        (Some(tool), reader.warnings)
    }

    /// The server it belongs to.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Its name on its server.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name the model calls it by: its own, or `<server>__<tool>` if several servers have a tool of that name.
    #[must_use]
    pub fn exposed_name(&self) -> &str {
        &self.exposed_name
    }

    /// What it does, as the server says it.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The input schema to show the model.
    #[must_use]
    pub fn input_schema(&self) -> &JsonObject {
        &self.input_schema
    }

    /// Whether the schema differs from the server's.
    #[must_use]
    pub fn is_rewritten(&self) -> bool {
        self.is_rewritten
    }

    /// Parameters whose values a model must not write, sorted.
    pub fn not_authored(&self) -> impl ExactSizeIterator<Item = &str> {
        self.not_authored.iter().map(String::as_str)
    }

    /// The fields it publishes, sorted, each with its key.
    #[must_use]
    pub fn produces(&self) -> &BTreeMap<String, StateKey> {
        &self.produces
    }

    /// Whether a call without this parameter is incomplete.
    pub(crate) fn requires(&self, parameter: &str) -> bool {
        self.required.contains(parameter)
    }

    /// Whether a call may write this key: by declaration, or because a large field is kept under it.
    pub(crate) fn may_publish(&self, key: &str) -> bool {
        if !self.connection.may_publish() {
            return false;
        }
        self.produces.values().any(|produced| produced.as_str() == key)
            || key
                .strip_prefix(self.connection.name())
                .and_then(|rest| rest.strip_prefix('/'))
                .and_then(|rest| rest.strip_prefix(self.name.as_str()))
                .is_some_and(|rest| rest.starts_with('/'))
    }
}

/// Whether a name can stand in keys, notes and listings without being mistaken for more than a name.
fn is_usable_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME_BYTES && !name.chars().any(is_ambiguous)
}

/// Strings of a list; anything else in it is passed over.
fn names(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

/// Reads a declaration and notes what it ignores.
struct Reader<'a> {
    connection: &'a Connection,
    tool: &'a str,
    warnings: Vec<Warning>,
}

impl Reader<'_> {
    fn ignore(&mut self, problem: impl Into<String>) {
        self.warnings.push(Warning::Declaration {
            server: self.connection.name().to_owned(),
            tool: self.tool.to_owned(),
            problem: problem.into(),
        });
    }

    fn input_schema(&mut self, declaration: &Value) -> JsonObject {
        match declaration.get("inputSchema") {
            Some(Value::Object(schema)) => schema.clone(),
            other => {
                if other.is_some() {
                    self.ignore("its input schema is not an object and was ignored");
                }
                json!({ "type": "object", "properties": {} })
                    .as_object()
                    .cloned()
                    .unwrap_or_default()
            }
        }
    }

    fn not_authored(&mut self, declaration: &Value, schema: &JsonObject) -> BTreeSet<String> {
        let declared: BTreeSet<String> = names(
            declaration
                .get("_meta")
                .and_then(|meta| meta.get(NOT_AUTHORED_META)),
        )
        .map(str::to_owned)
        .collect();
        let properties = schema.get("properties").and_then(Value::as_object);
        for name in &declared {
            if !properties.is_some_and(|properties| properties.contains_key(name)) {
                self.ignore(format!(
                    "not-authored parameter `{name}` is not in its input schema"
                ));
            }
        }
        declared
    }

    fn produces(&mut self, declaration: &Value) -> BTreeMap<String, StateKey> {
        let mut produces = BTreeMap::new();
        let entries = declaration.get("_meta").and_then(|meta| meta.get(PRODUCES_META));
        for entry in entries.and_then(Value::as_array).into_iter().flatten() {
            let Some(field) = entry.get("field").and_then(Value::as_str) else {
                self.ignore("a published value has no field name and was ignored");
                continue;
            };
            if field == "message" || secret::is_secret(field) {
                self.ignore(format!("field `{field}` is never kept in session state"));
                continue;
            }
            let declared = entry.get("stateKey").and_then(Value::as_str).unwrap_or_default();
            let is_taken = produces.values().any(|key: &StateKey| key.as_str() == declared);
            if let Some(key) = self.own_key(field, declared, is_taken) {
                produces.insert(field.to_owned(), key);
            }
        }
        produces
    }

    /// The declared key if it is this server's and free, else the key that the field has by its place.
    fn own_key(&mut self, field: &str, declared: &str, is_taken: bool) -> Option<StateKey> {
        if self.connection.owns(declared)
            && !is_taken
            && let Ok(key) = StateKey::parse(declared)
        {
            return Some(key);
        }
        let server = self.connection.name().to_owned();
        let tool = self.tool.to_owned();
        match StateKey::of_field(&server, &tool, field) {
            Ok(key) => {
                let (declared, used) = (declared.to_owned(), key.to_string());
                self.warnings.push(Warning::ForeignKey {
                    server,
                    tool,
                    declared,
                    used,
                });
                Some(key)
            }
            Err(error) => {
                self.warnings.push(Warning::InvalidKey {
                    server,
                    tool,
                    reason: error.to_string(),
                });
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bind(declaration: &Value) -> (Tool, Vec<Warning>) {
        let (tool, warnings) = Tool::bind(&Arc::new(Connection::new("clip-view").unwrap()), declaration);
        (tool.unwrap(), warnings)
    }

    #[test]
    fn a_server_publishes_only_under_its_own_prefix() {
        let (tool, warnings) = bind(&json!({
            "name": "clip",
            "_meta": {PRODUCES_META: [
                {"field": "a", "stateKey": "clip-view/clip/a"},
                {"field": "b", "stateKey": "dataset-search/search/area"},
                {"field": "c", "stateKey": "clip-view-evil/clip/c"},
                {"field": "d", "stateKey": "clip-view/clip/a"},
                {"field": "session_token", "stateKey": "clip-view/clip/session_token"},
            ]},
        }));
        let keys: Vec<&str> = tool.produces().values().map(StateKey::as_str).collect();
        assert_eq!(
            keys,
            [
                "clip-view/clip/a",
                "clip-view/clip/b",
                "clip-view/clip/c",
                "clip-view/clip/d"
            ]
        );
        assert_eq!(
            warnings
                .iter()
                .filter(|w| matches!(w, Warning::ForeignKey { .. }))
                .count(),
            3
        );
        assert_eq!(
            warnings
                .iter()
                .filter(|w| matches!(w, Warning::Declaration { .. }))
                .count(),
            1
        );
    }

    #[test]
    fn a_badly_declared_tool_is_still_usable() {
        let (tool, warnings) = bind(
            &json!({"name": "t", "inputSchema": 3, "_meta": {PRODUCES_META: [1], NOT_AUTHORED_META: ["ghost"]}}),
        );
        assert_eq!(tool.input_schema()["type"], "object");
        assert_eq!(warnings.len(), 3);
        let connection = Arc::new(Connection::new("s").unwrap());
        for declaration in [
            json!({"title": "nameless"}),
            json!({"name": "two\nlines"}),
            json!({"name": "n".repeat(129)}),
        ] {
            assert!(Tool::bind(&connection, &declaration).0.is_none(), "{declaration}");
        }
    }

    #[test]
    fn a_tool_may_publish_its_declared_keys_and_whatever_it_returns() {
        let (tool, _) = bind(&json!({
            "name": "clip", "_meta": {PRODUCES_META: [{"field": "a", "stateKey": "clip-view/shared"}]},
        }));
        assert!(tool.may_publish("clip-view/shared"));
        assert!(tool.may_publish("clip-view/clip/anything"));
        assert!(!tool.may_publish("clip-view/clip_raster/a"));
        assert!(!tool.may_publish("other/clip/a"));
    }
}
