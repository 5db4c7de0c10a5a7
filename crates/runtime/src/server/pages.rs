//! What people see in a browser: the directory, and the HTTP interface with its schemas.
//!
//! The pages are whole in themselves: no script, nothing loaded from elsewhere.

use periplus_toolset::Toolset;
use serde_json::{Map, Value};

use super::http::escape_html;
use crate::directory::{IndexDocument, ToolsetEntry};

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:16px/1.5 system-ui;max-width:48rem;margin:2rem auto;padding:0 1rem}\
code,pre{overflow-wrap:anywhere}\
pre{overflow:auto;max-height:32rem;padding:.75rem;border:1px solid #8886;border-radius:.25rem}\
section{border-top:1px solid #8886}\
summary{padding:.25rem 0;cursor:pointer}\
details[open]>:not(summary){margin-left:1rem}\
.method{text-transform:uppercase;font-weight:bold}\
:target{outline:2px solid #88f}";

/// What stands at the MCP address of a toolset, for people who open it in a browser.
pub(super) fn endpoint(toolset: &Toolset) -> String {
    let tools: String = toolset
        .tools()
        .iter()
        .map(|tool| {
            let tool = tool.declaration();
            let [name, about] = [&*tool.name, &*tool.description].map(escape_html);
            format!("<dt><code>{name}</code></dt><dd>{about}</dd>")
        })
        .collect();
    page(
        toolset.display_title().unwrap_or(toolset.name()),
        &format!(
            "<p>This address speaks the Model Context Protocol. Give it to an MCP client; a browser can only read \
             this page.</p><h2>Tools</h2><dl>{tools}</dl>"
        ),
    )
}

/// The directory as a page. `title` gives the name for people of a toolset, if it has one.
pub(super) fn index(document: &IndexDocument, base: &str, title: impl Fn(&str) -> Option<String>) -> String {
    let stale = document.stale_seconds.map_or_else(String::new, |seconds| {
        format!("<p role=\"alert\">This list could not be renewed for {seconds} s and may be outdated.</p>")
    });
    let toolsets: String = document
        .toolsets
        .iter()
        .map(|entry| toolset(entry, &title(&entry.name).unwrap_or_else(|| entry.name.clone())))
        .collect();
    let docs = escape_html(&format!("{base}/docs"));
    page(
        "Toolsets",
        &format!(
            "<p>Give one of these addresses to an MCP client. Programs get this list as JSON; \
             the <a href=\"{docs}\">HTTP interface</a> is described on a page of its own.</p>{stale}{toolsets}"
        ),
    )
}

fn toolset(entry: &ToolsetEntry, title: &str) -> String {
    let [name, title, url, status] = [&entry.name, title, &entry.url, &entry.status].map(escape_html);
    let health = escape_html(entry.url.strip_suffix("mcp").unwrap_or(&entry.url));
    let listed = |label: &str, items: &[String]| match items {
        [] => String::new(),
        items => format!("<p>{label}: {}</p>", codes(items)),
    };
    format!(
        "<section><h2 id=\"{name}\">{title}</h2><p><code>{url}</code></p>\
         <p>Status: <a href=\"{health}health\">{status}</a></p>{}{}</section>",
        listed("Tools", &entry.declares.tools),
        listed("Credential headers", &entry.declares.credential_headers),
    )
}

fn codes(items: &[String]) -> String {
    let items: Vec<String> = items
        .iter()
        .map(|item| format!("<code>{}</code>", escape_html(item)))
        .collect();
    items.join(", ")
}

/// An OpenAPI document as a page: the operations by tag, then the schemas, all folded. The page loads nothing and runs
/// no script.
#[must_use]
pub fn docs(document: &Value) -> String {
    let text = |value: &Value| escape_html(value.as_str().unwrap_or_default());
    let operations: Vec<(&str, &str, &Value)> = members(&document["paths"])
        .flat_map(|(path, item)| members(item).map(move |(method, operation)| (path, method, operation)))
        .collect();
    let tagged = |is_wanted: &dyn Fn(&Value) -> bool| -> String {
        let wanted = operations
            .iter()
            .filter(|(_, _, operation)| is_wanted(&operation["tags"][0]));
        wanted
            .map(|(path, method, operation)| self::operation(path, method, operation))
            .collect()
    };
    let is_known = |tag: &Value| items(&document["tags"]).any(|known| known["name"] == *tag);
    let untagged = wrapped("section", &tagged(&|tag| !is_known(tag)));
    let tags: String = items(&document["tags"])
        .map(|tag| {
            let (name, about) = (text(&tag["name"]), text(&tag["description"]));
            let operations = tagged(&|own| *own == tag["name"]);
            format!("<section><h2>{name}</h2><p>{about}</p>{operations}</section>")
        })
        .collect();
    let schemas: String = members(&document["components"]["schemas"])
        .map(|(name, schema)| {
            let name = escape_html(name);
            format!(
                "<details id=\"schema-{name}\"><summary><code>{name}</code></summary>{}</details>",
                json(schema)
            )
        })
        .collect();
    page(
        document["info"]["title"].as_str().unwrap_or_default(),
        &format!(
            "<p>{}</p><p>Base address: <code>{}</code>. For programs: <a href=\"openapi.json\">OpenAPI</a>.</p>\
             {untagged}{tags}<section><h2>schemas</h2>{schemas}</section>",
            text(&document["info"]["description"]),
            text(&document["servers"][0]["url"]),
        ),
    )
}

fn operation(path: &str, method: &str, operation: &Value) -> String {
    let text = |value: &Value| escape_html(value.as_str().unwrap_or_default());
    let parameters: String = items(&operation["parameters"])
        .map(|parameter| {
            let (name, place) = (text(&parameter["name"]), text(&parameter["in"]));
            format!(
                "<li><code>{name}</code> ({place}): {}</li>",
                text(&parameter["description"])
            )
        })
        .collect();
    let body = &operation["requestBody"]["content"]["application/json"];
    let examples: String = members(&body["examples"])
        .map(|(name, example)| {
            let summary = format!("{}: {}", escape_html(name), text(&example["summary"]));
            format!(
                "<details><summary>{summary}</summary>{}</details>",
                json(&example["value"])
            )
        })
        .collect();
    let responses: String = members(&operation["responses"])
        .map(|(status, response)| {
            let types: String = members(&response["content"])
                .map(|(kind, content)| {
                    format!(" <code>{}</code>{}", escape_html(kind), links(&content["schema"]))
                })
                .collect();
            format!(
                "<li><code>{}</code> {}{types}</li>",
                escape_html(status),
                text(&response["description"])
            )
        })
        .collect();
    let optional = |heading: &str, content: &str| match content {
        "" => String::new(),
        content => format!("<h3>{heading}</h3>{content}"),
    };
    format!(
        "<details><summary><span class=\"method\">{}</span> <code>{}</code> {}</summary><p>{}</p>{}{}{}{}</details>",
        escape_html(method),
        escape_html(path),
        text(&operation["summary"]),
        text(&operation["description"]),
        optional("Parameters", &wrapped("ul", &parameters)),
        optional("Body", &links(&body["schema"])),
        optional("Examples", &examples),
        optional("Responses", &wrapped("ul", &responses)),
    )
}

/// Links to all schemas that a schema refers to directly.
fn links(schema: &Value) -> String {
    let alternatives = items(&schema["anyOf"]).chain(std::iter::once(schema));
    let names = alternatives.filter_map(|schema| schema["$ref"].as_str()?.rsplit('/').next());
    names
        .map(escape_html)
        .map(|name| format!(" <a href=\"#schema-{name}\"><code>{name}</code></a>"))
        .collect()
}

fn wrapped(element: &str, content: &str) -> String {
    match content {
        "" => String::new(),
        content => format!("<{element}>{content}</{element}>"),
    }
}

fn json(value: &Value) -> String {
    format!("<pre>{}</pre>", escape_html(&format!("{value:#}")))
}

fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let members: Option<&Map<String, Value>> = value.as_object();
    members
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), value))
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn page(title: &str, content: &str) -> String {
    let title = escape_html(title);
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title><style>{STYLE}</style></head>\
         <body><main><h1>{title}</h1>{content}</main></body></html>"
    )
}
