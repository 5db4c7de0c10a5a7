//! Tools, documents, views and prompts as clients see them listed and read.

use std::collections::BTreeMap;

use periplus_toolset::{Annotations, Declaration, JsonObject, Toolset};
use serde_json::{Value, json};

use super::content;

const PRODUCES_KEY: &str = "io.developmentseed.toolsets/produces";
const NOT_AUTHORED_KEY: &str = "io.developmentseed.toolsets/notAuthored";
const EXAMPLES_KEY: &str = "io.developmentseed.toolsets/examples";
/// Hosts render a view only under exactly this type.
pub(super) const VIEW_TYPE: &str = "text/html;profile=mcp-app";

pub(super) fn tool_entry(toolset: &Toolset, tool: &Declaration) -> Value {
    let mut entry = json!({ "name": tool.name });
    if let Some(title) = tool.title.as_deref() {
        entry["title"] = title.into();
    }
    entry["description"] = tool.description.as_str().into();
    entry["inputSchema"] = Value::Object((*tool.input_schema).clone());
    if let Some(schema) = tool.output_schema.as_deref() {
        entry["outputSchema"] = Value::Object(schema.clone());
    }
    let annotations = annotations(tool.annotations);
    if !annotations.is_empty() {
        entry["annotations"] = annotations.into();
    }
    let meta = tool_meta(toolset, tool);
    if !meta.is_empty() {
        entry["_meta"] = meta.into();
    }
    entry
}

fn annotations(annotations: Annotations) -> JsonObject {
    let hints = [
        ("readOnlyHint", annotations.read_only),
        ("destructiveHint", annotations.destructive),
        ("idempotentHint", annotations.idempotent),
        ("openWorldHint", annotations.open_world),
    ];
    hints
        .into_iter()
        .filter_map(|(name, hint)| Some((name.to_owned(), hint?.into())))
        .collect()
}

fn tool_meta(toolset: &Toolset, tool: &Declaration) -> JsonObject {
    let mut meta = JsonObject::new();
    if let Some(view) = toolset.view_of(&tool.name) {
        let uri = view_uri(toolset, &view.id);
        meta.insert("ui".to_owned(), json!({ "resourceUri": uri }));
        // Hosts from before the nested form read this key.
        meta.insert("ui/resourceUri".to_owned(), uri.into());
    }
    if !tool.produces.is_empty() {
        let key =
            |field: &String| json!({ "stateKey": state_key(toolset, &tool.name, field), "field": field });
        meta.insert(PRODUCES_KEY.to_owned(), tool.produces.iter().map(key).collect());
    }
    if !tool.not_authored.is_empty() {
        meta.insert(NOT_AUTHORED_KEY.to_owned(), tool.not_authored.clone().into());
    }
    if let Some(examples) = toolset.examples().get(&*tool.name) {
        meta.insert(EXAMPLES_KEY.to_owned(), examples.clone().into());
    }
    meta
}

/// The key under which clients keep a field of a tool's result.
pub(super) fn state_key(toolset: &Toolset, tool: &str, field: &str) -> String {
    format!("{}/{tool}/{field}", toolset.name())
}

fn view_uri(toolset: &Toolset, view: &str) -> String {
    format!("ui://{}/{view}", toolset.name())
}

/// The documents, and one entry a view; tools may share one.
pub(super) fn resource_list(toolset: &Toolset) -> Vec<Value> {
    let documents = toolset.resources().iter().map(|resource| {
        let mut entry = json!({
            "uri": resource.document.uri, "name": resource.name, "mimeType": resource.document.mime_type,
        });
        if !resource.description.is_empty() {
            entry["description"] = resource.description.as_str().into();
        }
        entry
    });
    documents.chain(view_list(toolset)).collect()
}

pub(super) fn template_list(toolset: &Toolset) -> Vec<Value> {
    let templates = toolset.resource_templates().iter().map(|template| {
        let mut entry = json!({
            "uriTemplate": template.uri_template, "name": template.name, "mimeType": template.mime_type,
        });
        if !template.description.is_empty() {
            entry["description"] = template.description.as_str().into();
        }
        entry
    });
    templates.collect()
}

pub(super) fn prompt_list(toolset: &Toolset) -> Vec<Value> {
    let prompts = toolset.prompts().iter().map(|prompt| {
        let arguments: Vec<Value> = prompt
            .arguments
            .iter()
            .map(|argument| {
                json!({
                    "name": argument.name, "description": argument.description, "required": argument.required,
                })
            })
            .collect();
        json!({ "name": prompt.name, "description": prompt.description, "arguments": arguments })
    });
    prompts.collect()
}

fn view_list(toolset: &Toolset) -> Vec<Value> {
    let by_id: BTreeMap<&str, _> = toolset
        .views()
        .values()
        .map(|view| (view.id.as_str(), view))
        .collect();
    by_id
        .keys()
        .map(|id| {
            json!({ "uri": view_uri(toolset, id), "name": format!("{}-{id}", toolset.name()), "mimeType": VIEW_TYPE })
        })
        .collect()
}

pub(super) fn resource_contents(toolset: &Toolset) -> impl Iterator<Item = (String, Value)> {
    let documents = toolset.resources().iter().map(|resource| {
        let item = content::document(&resource.document);
        (resource.document.uri.clone(), json!({ "contents": [item] }))
    });
    documents.chain(view_contents(toolset))
}

fn view_contents(toolset: &Toolset) -> impl Iterator<Item = (String, Value)> {
    toolset.views().values().map(|view| {
        let uri = view_uri(toolset, &view.id);
        let mut item = json!({ "uri": uri, "mimeType": VIEW_TYPE, "text": view.html });
        let security = &view.security;
        if !security.connect_domains.is_empty() || !security.resource_domains.is_empty() {
            item["_meta"] = json!({ "ui": { "csp": {
                "connectDomains": security.connect_domains,
                "resourceDomains": security.resource_domains,
            }}});
        }
        (uri, json!({ "contents": [item] }))
    })
}
