//! The documents about toolsets: health of one, directory of all. Servers write them, clients read them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Status of a toolset that answers calls.
pub(crate) const OK: &str = "ok";
/// Status of a toolset that did not answer the directory.
pub(crate) const UNREACHABLE: &str = "unreachable";

/// The directory of a server: how to reach each toolset, and what each declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IndexDocument {
    /// The toolsets that can be reached, by name; an MCP client takes this map as its configuration.
    #[serde(with = "as_map")]
    #[schemars(with = "BTreeMap<String, Endpoint>")]
    pub connections: Vec<(String, Endpoint)>,
    /// All toolsets, reachable or not.
    #[serde(default)]
    pub toolsets: Vec<ToolsetEntry>,
    /// Seconds since the list of toolsets was last known to be complete; only present while it cannot be renewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale_seconds: Option<u64>,
}

/// Where a toolset is served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Endpoint {
    /// Always `streamable_http`.
    #[serde(default = "streamable_http")]
    pub transport: String,
    /// The MCP address.
    pub url: String,
}

impl Endpoint {
    /// An MCP address over HTTP.
    #[must_use]
    pub fn new(url: &str) -> Self {
        Self {
            transport: streamable_http(),
            url: url.to_owned(),
        }
    }
}

/// A toolset of a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolsetEntry {
    /// Kebab-case name.
    pub name: String,
    /// The MCP address.
    #[serde(default)]
    pub url: String,
    /// `ok`, `starting`, `failed` or `unreachable`.
    #[serde(default = "ok")]
    pub status: String,
    /// What it declares; empty while it is unreachable.
    #[serde(flatten)]
    pub declares: Declarations,
}

/// The health document of one toolset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct HealthDocument {
    /// `ok`, `starting` or `failed`.
    #[serde(default = "ok")]
    pub(crate) status: String,
    /// What the toolset declares.
    #[serde(flatten)]
    pub(crate) declares: Declarations,
}

/// What a toolset tells its clients before the first call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Declarations {
    /// Names of the tools, in the order of the toolset.
    #[serde(default)]
    pub tools: Vec<String>,
    /// HTTP headers that carry a user's credentials, lower case and sorted.
    #[serde(default)]
    pub credential_headers: Vec<String>,
    /// Values that move by reference.
    #[serde(default)]
    pub state: StateDeclarations,
}

/// Which values clients capture, and which a model must not write.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StateDeclarations {
    /// Published values, by tool, then by field.
    #[serde(default)]
    pub produces: Vec<Produced>,
    /// Parameters that take only a value some tool has published.
    #[serde(default)]
    pub not_authored: Vec<NotAuthored>,
}

/// A published value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Produced {
    /// The tool whose result has it.
    pub tool: String,
    /// The field of the result.
    pub field: String,
    /// The key under which clients keep it: `<toolset>/<tool>/<field>`.
    pub state_key: String,
}

/// A parameter that a model must not write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotAuthored {
    /// The tool.
    pub tool: String,
    /// Its parameter.
    pub parameter: String,
}

fn ok() -> String {
    OK.to_owned()
}

fn streamable_http() -> String {
    "streamable_http".to_owned()
}

/// An object whose order counts.
mod as_map {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    use super::{Endpoint, Map, Value};

    pub(super) fn serialize<S: Serializer>(
        entries: &[(String, Endpoint)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(entries.iter().map(|(name, endpoint)| (name, endpoint)))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<(String, Endpoint)>, D::Error> {
        Map::<String, Value>::deserialize(deserializer)?
            .into_iter()
            .map(|(name, value)| match serde_json::from_value(value) {
                Ok(endpoint) => Ok((name, endpoint)),
                Err(error) => Err(D::Error::custom(format!("connection `{name}`: {error}"))),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_index_keeps_the_order_of_its_connections() {
        let text = r#"{"connections":{"b":{"transport":"streamable_http","url":"u"},"a":{"transport":"streamable_http","url":"v"}},"toolsets":[]}"#;
        let index: IndexDocument = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&index).unwrap(), text);
    }

    #[test]
    fn what_another_server_leaves_out_is_empty() {
        let entry: ToolsetEntry = serde_json::from_value(json!({ "name": "a" })).unwrap();
        assert_eq!(
            (entry.status.as_str(), entry.declares),
            ("ok", Declarations::default())
        );
        let broken = json!({ "connections": { "a": {} } });
        let error = serde_json::from_value::<IndexDocument>(broken).unwrap_err();
        assert!(error.to_string().contains("connection `a`"), "{error}");
    }
}
