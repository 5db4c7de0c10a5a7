//! The few fields of a Service that count, and the toolset that they describe.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::directory::Place;

/// The label whose value is the name of the toolset.
pub(super) const LABEL: &str = "mcp-toolsets/toolset";
/// Most toolsets of one directory: each is asked for its health every few seconds.
const MAX_TOOLSETS: usize = 1000;

/// The answer to a list request.
#[derive(Debug, Deserialize)]
pub(super) struct ServiceList {
    pub(super) metadata: ListMeta,
    #[serde(default)]
    pub(super) items: Option<Vec<Service>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ListMeta {
    /// Where a watch goes on from.
    #[serde(rename = "resourceVersion")]
    pub(super) resource_version: String,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Service {
    pub(super) metadata: ObjectMeta,
    #[serde(default)]
    spec: Spec,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct ObjectMeta {
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    labels: Option<BTreeMap<String, String>>,
    #[serde(default, rename = "resourceVersion")]
    pub(super) resource_version: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct Spec {
    #[serde(default)]
    ports: Option<Vec<Port>>,
}

#[derive(Debug, Clone, Deserialize)]
struct Port {
    port: u16,
}

impl Service {
    /// The toolset behind the Service, at its first port; or why there is none.
    fn place(&self) -> Result<Place, String> {
        let labels = self.metadata.labels.as_ref();
        let name = labels
            .and_then(|labels| labels.get(LABEL))
            .ok_or_else(|| format!("it has no label {LABEL}"))?;
        let ports = self.spec.ports.as_deref().unwrap_or_default();
        let port = ports.first().ok_or("it has no port")?.port;
        Place::new(name, &format!("http://{}:{port}", self.metadata.name)).map_err(|error| error.to_string())
    }
}

/// The toolsets of some Services, sorted by name. A Service that describes none, or one that another has already, is
/// left out with a warning.
pub(super) fn places<'a>(services: impl IntoIterator<Item = &'a Service>) -> Vec<Place> {
    let mut places: BTreeMap<String, Place> = BTreeMap::new();
    for service in services {
        let reason = match service.place() {
            Ok(place) if places.contains_key(place.name()) => {
                format!("another Service is toolset `{}` already", place.name())
            }
            Ok(_) if places.len() >= MAX_TOOLSETS => format!("there are {MAX_TOOLSETS} toolsets already"),
            Ok(place) => {
                places.insert(place.name().to_owned(), place);
                continue;
            }
            Err(reason) => reason,
        };
        tracing::warn!(
            service = service.metadata.name,
            reason,
            "a Service is left out of the directory"
        );
    }
    places.into_values().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn service(value: Value) -> Service {
        serde_json::from_value(value).unwrap()
    }

    fn labelled(name: &str, toolset: &str, ports: &Value) -> Service {
        service(json!({
            "metadata": { "name": name, "labels": { "mcp-toolsets/toolset": toolset }, "uid": "1" },
            "spec": { "type": "ClusterIP", "ports": ports },
        }))
    }

    #[test]
    fn a_service_is_a_toolset_at_its_first_port() {
        let ports = json!([{ "name": "http", "port": 8000, "targetPort": 8000 }, { "port": 9000 }]);
        let found = places(&[labelled("mcp-hello", "hello", &ports)]);
        assert_eq!(found, [Place::new("hello", "http://mcp-hello:8000").unwrap()]);
    }

    #[test]
    fn the_number_of_toolsets_is_bounded() {
        let port = json!([{ "port": 1 }]);
        let service = |number: usize| labelled(&format!("s{number}"), &format!("t{number}"), &port);
        let services: Vec<Service> = (0..=MAX_TOOLSETS).map(service).collect();
        assert_eq!(places(&services).len(), MAX_TOOLSETS);
    }

    #[test]
    fn what_describes_no_toolset_is_left_out() {
        let port = json!([{ "port": 1 }]);
        let services = [
            labelled("b", "same", &port),
            labelled("a-second-one", "same", &port),
            labelled("c", "no port", &port),
            labelled("d", "portless", &json!(null)),
            service(json!({ "metadata": { "name": "e", "labels": null }, "spec": {} })),
            service(json!({ "metadata": {} })),
        ];
        let found: Vec<String> = places(&services)
            .iter()
            .map(|place| place.mcp().to_string())
            .collect();
        assert_eq!(found, ["http://b:1/mcp"]);
    }
}
