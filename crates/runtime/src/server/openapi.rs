//! The HTTP interface of a server as an OpenAPI 3.1 document.
//!
//! Version 3.1 takes JSON Schema as it is, so the schemas of the tools stand in the document unchanged but for the
//! places their references point to.

use periplus_toolset::{Declaration, Toolset};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::directory::{HealthDocument, IndexDocument};

const VERSION: &str = "3.1.1";
const SCHEMAS: &str = "#/components/schemas/";

/// The HTTP interface of any server of several toolsets, with the name of a toolset left open.
#[must_use]
pub fn interface() -> Value {
    let mut openapi = OpenApi::new("", "Toolsets over the Model Context Protocol.");
    openapi.toolsets_elsewhere(&[]);
    openapi.finish()
}

/// A document in the making.
pub(super) struct OpenApi {
    generator: SchemaGenerator,
    base: String,
    description: String,
    tags: Vec<Value>,
    paths: Map<String, Value>,
    schemas: Map<String, Value>,
    security: Map<String, Value>,
}

impl OpenApi {
    /// Begins with what every server with a directory answers, below the address `base`.
    pub(super) fn new(base: &str, description: &str) -> Self {
        let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        });
        let mut document = Self {
            generator: settings.into_generator(),
            base: base.to_owned(),
            description: description.to_owned(),
            tags: vec![json!({ "name": "directory", "description": "Which toolsets there are." })],
            paths: Map::new(),
            schemas: messages(),
            security: Map::new(),
        };
        document.directory();
        document.operation();
        document
    }

    fn directory(&mut self) {
        let index = self.schema::<IndexDocument>();
        let page = json!({ "schema": { "type": "string" } });
        self.get(
            "/",
            "directory",
            "The directory: how to reach each toolset and what it declares",
            &json!({
                "200": { "description": "The directory.", "content": { "application/json": { "schema": index }, "text/html": page } },
                "503": { "description": "Nothing is known yet; ask again soon." },
            }),
        );
        self.get(
            "/docs",
            "directory",
            "This description as a page",
            &json!({ "200": { "description": "The page.", "content": { "text/html": page } } }),
        );
        self.get(
            "/openapi.json",
            "directory",
            "This description",
            &json!({ "200": { "description": "An OpenAPI document.", "content": { "application/json": { "schema": { "type": "object" } } } } }),
        );
    }

    fn operation(&mut self) {
        let status = json!({ "application/json": { "schema": { "$ref": format!("{SCHEMAS}Status") } } });
        for (path, summary) in [
            ("/health", "Whether the process runs"),
            ("/health/liveness", "Whether the process runs"),
        ] {
            let responses = json!({ "200": { "description": "It does.", "content": status } });
            self.get(path, "operation", summary, &responses);
        }
        let responses = json!({
            "200": { "description": "It can.", "content": status },
            "503": { "description": "Not now: starting, stopping or failed.", "content": status },
        });
        self.get(
            "/health/readiness",
            "operation",
            "Whether requests can be answered",
            &responses,
        );
        let text = json!({ "text/plain": { "schema": { "type": "string" } } });
        let responses =
            json!({ "200": { "description": "Figures in the Prometheus text format.", "content": text } });
        self.get("/metrics", "operation", "Figures for Prometheus", &responses);
    }

    /// Adds a toolset with its tools. The schemas of one that asks for a bearer secret are left to those who have it.
    pub(super) fn toolset(&mut self, toolset: &Toolset) {
        let name = toolset.name();
        let is_open = toolset.access_rules().bearer.is_none();
        let tools: Vec<&Declaration> = toolset.tools().iter().map(|tool| tool.declaration()).collect();
        self.tags
            .push(json!({ "name": name, "description": toolset.display_title().unwrap_or(name) }));
        let mut post = self.mcp(name, &tool_list(&tools), toolset.credential_headers());
        if is_open {
            let (calls, answers, examples) = self.tools(name, &tools);
            post["requestBody"]["content"]["application/json"] =
                json!({ "schema": { "anyOf": calls }, "examples": examples });
            post["responses"]["200"]["content"]["application/json"]["schema"] = json!({ "anyOf": answers });
        } else {
            let scheme = format!("{name}.bearer");
            self.security
                .insert(scheme.clone(), json!({ "type": "http", "scheme": "bearer" }));
            post["security"] = json!([{ scheme: [] }]);
        }
        self.paths.insert(format!("/{name}/mcp"), json!({ "post": post }));
        self.health(&format!("/{name}/health"), name);
    }

    /// Adds the common form of the addresses of toolsets that are served elsewhere below the same address.
    pub(super) fn toolsets_elsewhere(&mut self, names: &[&str]) {
        const TAG: &str = "toolsets";
        self.tags
            .push(json!({ "name": TAG, "description": "Each toolset of the directory." }));
        let parameter = json!({
            "name": "toolset", "in": "path", "required": true, "description": "Name of the toolset.",
            "schema": { "type": "string", "enum": names },
        });
        let mut post = self.mcp(TAG, "", &[]);
        post["parameters"] = json!([parameter]);
        self.paths
            .insert("/{toolset}/mcp".to_owned(), json!({ "post": post }));
        self.health("/{toolset}/health", TAG);
        self.paths["/{toolset}/health"]["get"]["parameters"] = json!([parameter]);
    }

    /// The whole document.
    pub(super) fn finish(mut self) -> Value {
        self.tags
            .push(json!({ "name": "operation", "description": "For probes and scrapers." }));
        let generated = self.generator.take_definitions(true);
        self.schemas.extend(generated);
        let mut components = json!({ "schemas": self.schemas });
        if !self.security.is_empty() {
            components["securitySchemes"] = self.security.into();
        }
        json!({
            "openapi": VERSION,
            "info": {
                "title": "MCP toolsets",
                "version": env!("CARGO_PKG_VERSION"),
                "description": self.description,
            },
            "servers": [{ "url": self.base }],
            "tags": self.tags,
            "paths": self.paths,
            "components": components,
        })
    }

    fn schema<T: JsonSchema>(&mut self) -> Value {
        self.generator.subschema_for::<T>().to_value()
    }

    fn get(&mut self, path: &str, tag: &str, summary: &str, responses: &Value) {
        let operation = json!({ "tags": [tag], "summary": summary, "responses": responses });
        self.paths.insert(path.to_owned(), json!({ "get": operation }));
    }

    fn health(&mut self, path: &str, tag: &str) {
        let health = self.schema::<HealthDocument>();
        let responses = json!({ "200": { "description": "Its status.", "content": { "application/json": { "schema": health } } } });
        self.get(
            path,
            tag,
            "How the toolset is doing and what it declares",
            &responses,
        );
    }

    fn mcp(&self, tag: &str, tools: &str, credential_headers: &[String]) -> Value {
        let parameters: Vec<Value> = credential_headers
            .iter()
            .map(|name| {
                json!({
                    "name": name, "in": "header", "required": false, "schema": { "type": "string" },
                    "description": "Credential of the user, for the tools that need it.",
                })
            })
            .collect();
        let message =
            |name: &str| json!({ "application/json": { "schema": { "$ref": format!("{SCHEMAS}{name}") } } });
        let mut answer = message("Answer");
        answer["text/event-stream"] = json!({ "schema": { "type": "string" } });
        json!({
            "tags": [tag],
            "summary": "One message of the Model Context Protocol",
            "description": format!("{tools}No session is needed: a tool can be called with a single request."),
            "parameters": parameters,
            "requestBody": { "required": true, "content": message("Message") },
            "responses": {
                "200": { "description": "The answer to a request, also if it is an error.", "content": answer },
                "202": { "description": "A notification was taken." },
                "default": { "description": "The message was refused; the error says why.", "content": message("Answer") },
            },
        })
    }

    /// The schemas of the calls and answers of some tools, and an example of each call.
    fn tools(
        &mut self,
        toolset: &str,
        tools: &[&Declaration],
    ) -> (Vec<Value>, Vec<Value>, Map<String, Value>) {
        let (mut calls, mut answers, mut examples) = (Vec::new(), Vec::new(), Map::new());
        for tool in tools {
            let name = |part: &str| format!("{toolset}.{}.{part}", tool.name);
            let reference = |part: &str| json!({ "$ref": format!("{SCHEMAS}{}", name(part)) });
            // What a tool without an output schema answers is in its content, of which nothing is known here.
            let anything = Map::new();
            let result = tool.output_schema.as_deref().unwrap_or(&anything);
            for (part, schema) in [("arguments", &*tool.input_schema), ("result", result)] {
                let mut schema = Value::Object(schema.clone());
                move_references(&mut schema, &format!("{SCHEMAS}{}", name(part)));
                self.schemas.insert(name(part), schema);
            }
            self.schemas
                .insert(name("call"), call(tool, &reference("arguments")));
            self.schemas
                .insert(name("answer"), answer(tool, &reference("result")));
            calls.push(reference("call"));
            answers.push(reference("answer"));
            let required = tool.input_schema.get("required").and_then(Value::as_array);
            let is_complete = required.is_none_or(Vec::is_empty);
            if is_complete {
                let summary = tool.title.as_deref().unwrap_or(&tool.name);
                examples.insert(
                    tool.name.to_string(),
                    json!({ "summary": summary, "value": example(tool) }),
                );
            }
        }
        calls.push(json!({ "$ref": format!("{SCHEMAS}Message") }));
        answers.push(json!({ "$ref": format!("{SCHEMAS}Answer") }));
        (calls, answers, examples)
    }
}

fn tool_list(tools: &[&Declaration]) -> String {
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    format!("Tools: {}. ", names.join(", "))
}

/// A call that needs no arguments.
fn example(tool: &Declaration) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool.name, "arguments": {} } })
}

fn call(tool: &Declaration, arguments: &Value) -> Value {
    json!({
        "type": "object",
        "title": format!("Call of {}", tool.name),
        "description": tool.description,
        "required": ["jsonrpc", "id", "method", "params"],
        "properties": {
            "jsonrpc": { "const": "2.0" },
            "id": { "type": ["string", "integer"] },
            "method": { "const": "tools/call" },
            "params": {
                "type": "object",
                "required": ["name"],
                "properties": { "name": { "const": tool.name }, "arguments": arguments },
            },
        },
    })
}

fn answer(tool: &Declaration, result: &Value) -> Value {
    json!({
        "type": "object",
        "title": format!("Answer of {}", tool.name),
        "required": ["jsonrpc", "id", "result"],
        "properties": {
            "jsonrpc": { "const": "2.0" },
            "id": { "type": ["string", "integer"] },
            "result": {
                "type": "object",
                "required": ["content"],
                "properties": {
                    "content": { "type": "array", "items": { "type": "object" } },
                    "structuredContent": result,
                    "isError": { "type": "boolean" },
                },
            },
        },
    })
}

/// Messages of the protocol, as far as HTTP is concerned with them, and the status of a server.
fn messages() -> Map<String, Value> {
    let schemas = json!({
        "Message": {
            "type": "object",
            "description": "A JSON-RPC request, or without an id a notification.",
            "required": ["jsonrpc", "method"],
            "properties": {
                "jsonrpc": { "const": "2.0" },
                "id": { "type": ["string", "integer"] },
                "method": { "type": "string", "examples": ["tools/list", "tools/call"] },
                "params": { "type": "object" },
            },
        },
        "Answer": {
            "type": "object",
            "description": "A JSON-RPC response: a result or an error.",
            "required": ["jsonrpc"],
            "properties": {
                "jsonrpc": { "const": "2.0" },
                "id": { "type": ["string", "integer", "null"] },
                "result": { "type": "object" },
                "error": {
                    "type": "object",
                    "required": ["code", "message"],
                    "properties": { "code": { "type": "integer" }, "message": { "type": "string" }, "data": true },
                },
            },
        },
        "Status": {
            "type": "object",
            "required": ["status"],
            "properties": { "status": { "enum": ["ok", "starting", "failed", "stopping"] } },
        },
    });
    serde_json::from_value(schemas).expect("the literal is an object")
}

/// Makes references within a schema point to where the schema now stands.
fn move_references(schema: &mut Value, place: &str) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(target) if name == "$ref" => {
                        if let Some(path) = target.strip_prefix('#') {
                            *target = format!("{place}{path}");
                        }
                    }
                    value => move_references(value, place),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| move_references(item, place)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_follow_their_schema() {
        let mut schema = json!({
            "properties": { "a": { "$ref": "#/$defs/A" }, "$ref": { "type": "string" } },
            "anyOf": [{ "$ref": "#" }, { "$ref": "https://elsewhere/#/x" }],
        });
        move_references(&mut schema, "#/components/schemas/t.tool.arguments");
        assert_eq!(
            schema,
            json!({
                "properties": {
                    "a": { "$ref": "#/components/schemas/t.tool.arguments/$defs/A" },
                    "$ref": { "type": "string" },
                },
                "anyOf": [{ "$ref": "#/components/schemas/t.tool.arguments" }, { "$ref": "https://elsewhere/#/x" }],
            })
        );
    }
}
