//! The documents about toolsets: health of one, directory of all.

use std::{panic::AssertUnwindSafe, time::Duration};

use futures::FutureExt as _;
use periplus_toolset::{JsonObject, Readiness, Toolset};
use serde_json::{Value, json};

use super::{http::escape_html, published::state_key};

/// A probe that takes longer counts as not ready.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

/// Whether a toolset can answer; a probe that hangs or panics is a failed one.
pub(super) async fn readiness(toolset: &Toolset) -> Readiness {
    match tokio::time::timeout(PROBE_TIMEOUT, AssertUnwindSafe(toolset.ready()).catch_unwind()).await {
        Ok(Ok(readiness)) => readiness,
        Ok(Err(_)) => Readiness::Failed("the readiness probe panicked".to_owned()),
        Err(_) => Readiness::Failed("the readiness probe did not answer".to_owned()),
    }
}

/// The one word that a health document has for it.
pub(super) fn status(readiness: &Readiness) -> &'static str {
    match readiness {
        Readiness::Ready => "ok",
        Readiness::Starting(_) => "starting",
        Readiness::Failed(_) => "failed",
    }
}

/// The health document of a toolset: status, tools and declarations.
pub(super) async fn health(toolset: &Toolset) -> Value {
    let mut document = json!({ "status": status(&readiness(toolset).await) });
    describe(toolset, &mut document);
    document
}

/// The directory of all toolsets, whose addresses start with `base`.
pub(super) async fn index(toolsets: &[&Toolset], base: &str) -> Value {
    let mut connections = JsonObject::new();
    let mut entries = Vec::new();
    for toolset in toolsets {
        let url = format!("{base}/{}/mcp", toolset.name());
        connections.insert(
            toolset.name().to_owned(),
            json!({ "transport": "streamable_http", "url": url }),
        );
        let mut entry =
            json!({ "name": toolset.name(), "url": url, "status": status(&readiness(toolset).await) });
        describe(toolset, &mut entry);
        entries.push(entry);
    }
    json!({ "connections": connections, "toolsets": entries })
}

/// Tools in their order, credential headers, and which values are published or must not be authored.
fn describe(toolset: &Toolset, document: &mut Value) {
    let declarations = || toolset.tools().iter().map(|tool| tool.declaration());
    let produces: Vec<Value> = declarations()
        .flat_map(|tool| {
            tool.produces.iter().map(move |field| {
                json!({ "tool": tool.name, "field": field, "state_key": state_key(toolset, tool.name, field) })
            })
        })
        .collect();
    let not_authored: Vec<Value> = declarations()
        .flat_map(|tool| {
            tool.not_authored
                .iter()
                .map(move |parameter| json!({ "tool": tool.name, "parameter": parameter }))
        })
        .collect();
    document["tools"] = declarations().map(|tool| tool.name).collect();
    document["credential_headers"] = toolset.credential_headers().into();
    document["state"] = json!({ "produces": produces, "not_authored": not_authored });
}

/// The directory as a page.
pub(super) fn index_page(toolsets: &[&Toolset], base: &str) -> String {
    let rows: String = toolsets
        .iter()
        .map(|toolset| {
            let name = escape_html(toolset.name());
            let title = escape_html(toolset.display_title().unwrap_or(toolset.name()));
            let url = escape_html(&format!("{base}/{}/mcp", toolset.name()));
            let tools: Vec<String> = toolset
                .tools()
                .iter()
                .map(|tool| format!("<code>{}</code>", escape_html(tool.declaration().name)))
                .collect();
            format!(
                "<h2 id=\"{name}\">{title}</h2><p><code>{url}</code></p><p>Tools: {}</p><p><a href=\"{}/{name}/health\">health</a></p>",
                tools.join(", "),
                escape_html(base),
            )
        })
        .collect();
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>Toolsets</title>\
         <style>:root{{color-scheme:light dark}}body{{font:16px/1.5 system-ui;max-width:44rem;margin:2rem auto;padding:0 1rem}}\
         code{{overflow-wrap:anywhere}}</style>\
         <h1>Toolsets</h1><p>Give one of these addresses to an MCP client. Programs get this list as JSON.</p>{rows}</html>"
    )
}
