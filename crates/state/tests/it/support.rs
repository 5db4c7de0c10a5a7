//! A session with two servers, one that finds areas and one that cuts to them.

use std::sync::Arc;

use periplus_state::{
    Artifact, CaptureLimits, Captured, Connection, InspectRequest, JsonObject, Moment, Refusal, Reply,
    Resolved, State, Toolbox, capture, inspect, resolve,
};
use serde_json::{Value, json};

pub(crate) const AREA: &str = "dataset-search/search_datasets/area_of_interest";
pub(crate) const DATASETS: &str = "dataset-search/search_datasets/datasets";

pub(crate) fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        other => panic!("not an object: {other}"),
    }
}

pub(crate) fn search_datasets() -> Value {
    json!({
        "name": "search_datasets",
        "description": "Datasets that cover a place.",
        "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
        "_meta": {"io.developmentseed.toolsets/produces": [
            {"stateKey": AREA, "field": "area_of_interest"},
            {"stateKey": DATASETS, "field": "datasets"},
        ]},
    })
}

pub(crate) fn clip_to_bbox() -> Value {
    json!({
        "name": "clip_to_bbox",
        "description": "Cuts a dataset to a box.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "dataset_id": {"type": "string"},
                "bbox": {"type": "array", "items": {"type": "number"}, "description": "The box."},
                "mask": {"anyOf": [{"type": "object"}, {"type": "null"}], "default": null},
            },
            "required": ["dataset_id", "bbox"],
        },
        "_meta": {
            "io.developmentseed.toolsets/produces": [{"stateKey": "clip-view/clip_to_bbox/bounds", "field": "bounds"}],
            "io.developmentseed.toolsets/notAuthored": ["bbox", "mask"],
        },
    })
}

/// A tool of somebody else's server, which declares nothing.
pub(crate) fn summarise() -> Value {
    json!({
        "name": "summarise",
        "inputSchema": {"type": "object", "properties": {"request": {"type": "object"}, "title": {"type": "string"}}},
    })
}

pub(crate) fn connection(name: &str) -> Connection {
    Connection::new(name).unwrap()
}

pub(crate) fn toolbox(servers: Vec<(Connection, Vec<Value>)>) -> Toolbox {
    let servers: Vec<_> = servers
        .into_iter()
        .map(|(connection, tools)| (Arc::new(connection), tools))
        .collect();
    Toolbox::bind(&servers, &["inspect_state"]).0
}

pub(crate) struct Session {
    pub(crate) toolbox: Toolbox,
    pub(crate) state: State,
}

impl Session {
    pub(crate) fn new() -> Self {
        let mut session = Self::empty(vec![
            (connection("dataset-search"), vec![search_datasets()]),
            (connection("clip-view"), vec![clip_to_bbox()]),
            (connection("stranger"), vec![summarise()]),
        ]);
        session.state.start_turn(1);
        session
    }

    pub(crate) fn empty(servers: Vec<(Connection, Vec<Value>)>) -> Self {
        Self {
            toolbox: toolbox(servers),
            state: State::default(),
        }
    }

    pub(crate) fn resolve(&self, tool: &str, arguments: Value) -> Result<Resolved, Refusal> {
        resolve(self.toolbox.get(tool).unwrap(), object(arguments), &self.state)
    }

    pub(crate) fn refusal(&self, tool: &str, arguments: Value) -> String {
        self.resolve(tool, arguments).unwrap_err().to_string()
    }

    /// Makes a call to which the server answers with this result.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value, result: Value) -> Captured {
        let resolved = self.resolve(tool, arguments).unwrap();
        let reply = Reply::from_result(result);
        let tool = self.toolbox.get(tool).unwrap();
        let captured = capture(
            tool,
            reply,
            &resolved.inputs,
            &resolved.receipts,
            CaptureLimits::default(),
        );
        self.state.apply(captured.writes.clone());
        captured
    }

    /// Finds the area and the datasets, as most tests begin.
    pub(crate) fn search(&mut self, query: &str) -> Captured {
        self.search_area(query, 2000)
    }

    pub(crate) fn search_area(&mut self, query: &str, vertices: usize) -> Captured {
        let structured = json!({
            "message": format!("Found 3 datasets for '{query}'."),
            "datasets": ["era5-land", "chirps-daily", "modis-lst"],
            "area_of_interest": area(vertices),
            "total": 3,
        });
        self.call(
            "search_datasets",
            json!({"query": query}),
            structured_result(&structured),
        )
    }

    /// What `inspect_state` answers.
    pub(crate) fn read(&self, key: &str, path: &str) -> String {
        let request = InspectRequest {
            key: key.to_owned(),
            path: Some(path.to_owned()),
            ..InspectRequest::default()
        };
        inspect(&request, Moment::Now(&self.state), &self.toolbox)
    }

    pub(crate) fn restored(&self, artifact: &Artifact) -> Value {
        artifact
            .restore_structured(&self.state)
            .map_or(Value::Null, Value::Object)
    }
}

pub(crate) fn area(vertices: usize) -> Value {
    json!({"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [vec![[-2.5, 52.0]; vertices]]}},
    ]})
}

/// What a server sends for a structured result: the same again as text.
pub(crate) fn structured_result(structured: &Value) -> Value {
    json!({
        "content": [{"type": "text", "text": structured.to_string()}],
        "structuredContent": structured,
        "isError": false,
    })
}
