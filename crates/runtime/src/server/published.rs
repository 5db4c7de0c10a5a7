//! What a toolset declares to its clients, serialised once.

use std::collections::{BTreeMap, HashMap};

use periplus_toolset::{Prompt, Toolset};
use serde_json::{Value, json};

use super::{
    entries::{VIEW_TYPE, prompt_list, resource_contents, resource_list, template_list, tool_entry},
    pages,
    protocol::{Era, LATEST_LEGACY, LEGACY, SUPPORTED, TASKS_EXTENSION},
};

/// How long clients may keep lists, which change with a deployment only.
const LIST_TTL_MS: u64 = 60_000;
pub(super) const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";
const UI_EXTENSION: &str = "io.modelcontextprotocol/ui";

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
            page: pages::endpoint(toolset),
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
