//! What a toolset declares to its clients, serialised once.

use std::collections::{BTreeMap, HashMap};

use periplus_toolset::{Annotations, Declaration, JsonObject, Prompt, Toolset};
use serde_json::{Value, json};

use super::{
    content,
    http::escape_html,
    protocol::{Era, LATEST_LEGACY, LEGACY, SUPPORTED, TASKS_EXTENSION},
};

/// How long clients may keep lists, which change with a deployment only.
const LIST_TTL_MS: u64 = 60_000;
pub(super) const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";
const UI_EXTENSION: &str = "io.modelcontextprotocol/ui";
const PRODUCES_KEY: &str = "io.developmentseed.toolsets/produces";
const NOT_AUTHORED_KEY: &str = "io.developmentseed.toolsets/notAuthored";
const EXAMPLES_KEY: &str = "io.developmentseed.toolsets/examples";
/// Hosts render a view only under exactly this type.
const VIEW_TYPE: &str = "text/html;profile=mcp-app";

/// A result that is always the same, as the two eras want it.
#[derive(Debug)]
pub(super) struct Prepared {
    legacy: String,
    modern: String,
}

impl Prepared {
    pub(super) fn get(&self, era: Era) -> &str {
        match era {
            Era::Legacy => &self.legacy,
            Era::Modern => &self.modern,
        }
    }
}

/// Every fixed answer of a toolset.
#[derive(Debug)]
pub(super) struct Published {
    pub(super) tools: Prepared,
    pub(super) resources: Prepared,
    pub(super) resource_templates: Prepared,
    pub(super) prompts: Prepared,
    /// Resource contents by URI.
    pub(super) contents: HashMap<String, Prepared>,
    pub(super) discovery: Prepared,
    /// The `_meta` of every modern result.
    pub(super) meta: Value,
    /// What a modern call result ends with: `"resultType":…,"_meta":…`.
    pub(super) modern_tail: String,
    /// What browsers see under the MCP path.
    pub(super) page: String,
    /// The `initialize` results of the legacy versions.
    initialize: BTreeMap<&'static str, String>,
    envelope: Envelope,
}

impl Published {
    /// Serialises them; `has_tasks` says whether calls become tasks where the toolset is served.
    pub(super) fn of(toolset: &Toolset, has_tasks: bool) -> Self {
        let envelope = Envelope::of(toolset);
        let tools: Vec<Value> = toolset
            .tools()
            .iter()
            .map(|tool| tool_entry(toolset, tool.declaration()))
            .collect();
        Self {
            tools: envelope.cached(json!({ "tools": tools })),
            resources: envelope.cached(json!({ "resources": resource_list(toolset) })),
            resource_templates: envelope.cached(json!({ "resourceTemplates": template_list(toolset) })),
            prompts: envelope.cached(json!({ "prompts": prompt_list(toolset) })),
            contents: resource_contents(toolset)
                .map(|(uri, result)| (uri, envelope.cached(result)))
                .collect(),
            discovery: envelope.cached(discovery(toolset, has_tasks)),
            meta: envelope.meta(),
            modern_tail: envelope.tail(),
            page: page(toolset),
            initialize: LEGACY
                .map(|version| (version, initialize(toolset, version)))
                .into(),
            envelope,
        }
    }

    /// A result that is made for one request.
    pub(super) fn result(&self, era: Era, mut result: Value) -> String {
        if era == Era::Modern {
            self.envelope.complete(&mut result);
        }
        result.to_string()
    }

    /// A result that is made for one request, and may be kept like the prepared ones.
    pub(super) fn cached_result(&self, era: Era, result: Value) -> String {
        let Prepared { legacy, modern } = self.envelope.cached(result);
        match era {
            Era::Legacy => legacy,
            Era::Modern => modern,
        }
    }

    /// The answer to `initialize`: the version asked for, or the newest that has a handshake.
    pub(super) fn initialize(&self, requested: &str) -> &str {
        let result = self
            .initialize
            .get(requested)
            .or_else(|| self.initialize.get(LATEST_LEGACY));
        result.expect("there is an answer for each legacy version")
    }
}

/// What modern results carry beside their own keys.
#[derive(Debug)]
struct Envelope {
    server_info: Value,
    scope: &'static str,
}

impl Envelope {
    fn of(toolset: &Toolset) -> Self {
        // What needs a user's credential is nothing a shared cache should keep.
        let scope = if toolset.credential_headers().is_empty() {
            "public"
        } else {
            "private"
        };
        Self {
            server_info: server_info(toolset),
            scope,
        }
    }

    fn cached(&self, result: Value) -> Prepared {
        let legacy = result.to_string();
        let mut modern = result;
        modern["ttlMs"] = LIST_TTL_MS.into();
        modern["cacheScope"] = self.scope.into();
        self.complete(&mut modern);
        Prepared {
            legacy,
            modern: modern.to_string(),
        }
    }

    fn complete(&self, result: &mut Value) {
        result["resultType"] = "complete".into();
        result["_meta"] = self.meta();
    }

    fn tail(&self) -> String {
        format!(r#""resultType":"complete","_meta":{}"#, self.meta())
    }

    fn meta(&self) -> Value {
        json!({ SERVER_INFO_KEY: self.server_info })
    }
}

fn server_info(toolset: &Toolset) -> Value {
    let mut info =
        json!({ "name": format!("mcp-{}", toolset.name()), "version": toolset.declared_version() });
    if let Some(title) = toolset.display_title() {
        info["title"] = title.into();
    }
    info
}

fn initialize(toolset: &Toolset, version: &str) -> String {
    let mut result = json!({
        "protocolVersion": version,
        "capabilities": legacy_capabilities(toolset),
        "serverInfo": server_info(toolset),
    });
    if let Some(text) = instructions(toolset) {
        result["instructions"] = text.into();
    }
    result.to_string()
}

fn discovery(toolset: &Toolset, has_tasks: bool) -> Value {
    let mut capabilities = capabilities(toolset);
    // A modern request says itself from which level on it wants log lines.
    capabilities["logging"] = json!({});
    if has_tasks {
        capabilities["extensions"][TASKS_EXTENSION] = json!({});
    }
    let mut result = json!({ "supportedVersions": SUPPORTED, "capabilities": capabilities });
    if let Some(text) = instructions(toolset) {
        result["instructions"] = text.into();
    }
    result
}

fn capabilities(toolset: &Toolset) -> Value {
    let has_news = toolset.announced_changes().is_some();
    let changing = || {
        if has_news {
            json!({ "listChanged": true })
        } else {
            json!({})
        }
    };
    let mut capabilities = json!({ "tools": changing() });
    let has_documents = !toolset.resources().is_empty() || !toolset.resource_templates().is_empty();
    if has_documents || !toolset.views().is_empty() {
        capabilities["resources"] = changing();
        if has_news {
            capabilities["resources"]["subscribe"] = true.into();
        }
    }
    if !toolset.views().is_empty() {
        capabilities["extensions"] = json!({ UI_EXTENSION: { "mimeTypes": [VIEW_TYPE] } });
    }
    if !toolset.prompts().is_empty() {
        capabilities["prompts"] = changing();
    }
    if toolset.prompts().iter().any(Prompt::suggests) {
        capabilities["completions"] = json!({});
    }
    capabilities
}

fn legacy_capabilities(toolset: &Toolset) -> Value {
    let mut capabilities = capabilities(toolset);
    if toolset.legacy().logs {
        capabilities["logging"] = json!({});
    }
    capabilities
}

/// The toolset's own instructions, and how its credentials travel if it has any.
fn instructions(toolset: &Toolset) -> Option<String> {
    let own = toolset.declared_instructions().map(str::to_owned);
    let headers: Vec<String> = toolset
        .credential_headers()
        .iter()
        .map(|name| format!("``{name}``"))
        .collect();
    let credentials = (!headers.is_empty()).then(|| {
        format!(
            "Some of these tools act for the user who calls them, and know that user by HTTP headers: {}. \
             The client's transport sends them; you neither see nor set them. Do not ask the user for these \
             credentials, and do not hold a call back for want of one: a tool that misses its credential says so.",
            headers.join(", ")
        )
    });
    let parts: Vec<String> = own.into_iter().chain(credentials).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

fn tool_entry(toolset: &Toolset, tool: &Declaration) -> Value {
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
fn resource_list(toolset: &Toolset) -> Vec<Value> {
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

fn template_list(toolset: &Toolset) -> Vec<Value> {
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

fn prompt_list(toolset: &Toolset) -> Vec<Value> {
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

fn resource_contents(toolset: &Toolset) -> impl Iterator<Item = (String, Value)> {
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

/// A page for people who open the MCP address in a browser.
fn page(toolset: &Toolset) -> String {
    let title = escape_html(toolset.display_title().unwrap_or(toolset.name()));
    let tools: String = toolset
        .tools()
        .iter()
        .map(|tool| {
            let tool = tool.declaration();
            format!(
                "<dt><code>{}</code></dt><dd>{}</dd>",
                escape_html(&tool.name),
                escape_html(&tool.description)
            )
        })
        .collect();
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title>\
         <style>body{{font:16px/1.5 system-ui;max-width:44rem;margin:2rem auto;padding:0 1rem}}</style>\
         <h1>{title}</h1><p>This address speaks the Model Context Protocol. Give it to an MCP client; a browser can only read this page.</p>\
         <dl>{tools}</dl></html>"
    )
}
