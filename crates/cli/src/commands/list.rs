//! `list`: the tools of a server, or of this binary.

use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};
use serde_json::{Value, json};

use super::{App, block_on, declared, local, remote};
use crate::{
    args::List,
    exit::{CliError, Exit, Outcome},
    printer,
};

/// A toolset as it is shown.
struct Shown {
    name: String,
    url: Option<String>,
    status: String,
    tools: Vec<Value>,
}

pub(crate) fn run(app: &App, args: &List) -> Outcome {
    if args.local {
        let listing = local::listing(app)?;
        let shown = listing.into_iter().map(|(name, tools)| Shown {
            name,
            url: None,
            status: "ok".to_owned(),
            tools,
        });
        return print(&shown.collect::<Vec<_>>(), args.json);
    }
    let headers = remote::given_headers(&args.headers)?;
    block_on(async {
        let directory = remote::open(app).await?;
        let is_index = directory.is_index;
        let absent = directory.absent.into_iter().map(|absent| Shown {
            name: absent.name,
            url: Some(absent.url),
            status: absent.status,
            tools: Vec::new(),
        });
        let listings = directory.entries.into_iter().map(|entry| async {
            let credentials = remote::credentials(&entry.connection, &headers, &app.settings)?;
            let tools = entry.connection.list_tools(&credentials).await;
            entry.connection.close().await;
            Ok::<_, CliError>((entry, tools))
        });
        let mut shown = Vec::new();
        for listing in futures::future::join_all(listings).await {
            let (entry, tools) = listing?;
            let (name, url) = (
                entry.connection.name().to_owned(),
                Some(entry.connection.url().to_string()),
            );
            match tools {
                Ok(tools) => {
                    let tools = tools.iter().map(declared).collect();
                    shown.push(Shown {
                        name,
                        url,
                        status: "ok".to_owned(),
                        tools,
                    });
                }
                Err(error) if is_index => {
                    printer::warning(&error.to_string());
                    let status = remote::status_of(&error).to_owned();
                    shown.push(Shown {
                        name,
                        url,
                        status,
                        tools: Vec::new(),
                    });
                }
                Err(error) => return Err(error.into()),
            }
        }
        shown.extend(absent);
        print(&shown, args.json)
    })
}

fn print(toolsets: &[Shown], as_json: bool) -> Outcome {
    if as_json {
        let items: Vec<Value> = toolsets
            .iter()
            .map(|shown| json!({ "toolset": shown.name, "url": shown.url, "status": shown.status, "tools": shown.tools }))
            .collect();
        printer::data(&json!(items).to_string())?;
        return Ok(Exit::Success);
    }
    let rows = toolsets.iter().flat_map(|shown| {
        let nothing = shown.tools.is_empty().then(|| {
            [
                format!("{}/", shown.name),
                String::new(),
                format!("({})", shown.status),
            ]
        });
        let tools = shown.tools.iter().map(|tool| {
            let name = tool["name"].as_str().unwrap_or_default();
            let description = tool["description"].as_str().unwrap_or_default();
            row(
                &format!("{}/{name}", shown.name),
                &tool["inputSchema"],
                description,
            )
        });
        nothing.into_iter().chain(tools)
    });
    printer::data(&table(rows))?;
    Ok(Exit::Success)
}

/// A tool in a table: name, arguments, what it does.
pub(super) fn row(name: &str, input_schema: &Value, description: &str) -> [String; 3] {
    [
        name.to_owned(),
        arguments(input_schema),
        first_sentence(description).to_owned(),
    ]
}

/// A table of tools.
pub(super) fn table(rows: impl Iterator<Item = [String; 3]>) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(["TOOL", "ARGUMENTS", "DESCRIPTION"])
        .add_rows(rows);
    plain(&mut table)
}

/// A table as lines without blanks at their ends; what stands in the first column can be copied whole.
pub(super) fn plain(table: &mut Table) -> String {
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    if let Some(names) = table.column_mut(0) {
        names.set_constraint(ColumnConstraint::ContentWidth);
    }
    let text = table.to_string();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n")
}

/// `query: string, limit?: integer`
fn arguments(schema: &Value) -> String {
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let properties = schema["properties"].as_object();
    let shown: Vec<String> = properties
        .into_iter()
        .flatten()
        .map(|(name, property)| {
            let mark = if required.contains(&name.as_str()) {
                ""
            } else {
                "?"
            };
            format!("{name}{mark}: {}", property["type"].as_str().unwrap_or("any"))
        })
        .collect();
    shown.join(", ")
}

fn first_sentence(text: &str) -> &str {
    let line = text.split("\n\n").next().unwrap_or_default();
    match line.find(". ") {
        Some(end) => &line[..=end],
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_show_type_and_whether_they_are_optional() {
        let schema = json!({
            "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}, "area": {}},
            "required": ["query"],
        });
        assert_eq!(arguments(&schema), "query: string, limit?: integer, area?: any");
        assert_eq!(arguments(&json!({})), "");
    }

    #[test]
    fn a_name_is_never_broken_however_narrow_the_terminal() {
        let name = "toolset/a_tool_with_a_long_name";
        let mut table = Table::new();
        table
            .load_style(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(50)
            .add_row([
                name,
                "first: string, second?: integer",
                "Does what it says, at some length.",
            ]);
        assert!(plain(&mut table).starts_with(name));
    }

    #[test]
    fn a_description_is_cut_after_its_first_sentence() {
        assert_eq!(first_sentence("Greet. Warmly."), "Greet.");
        assert_eq!(first_sentence("Greet\n\nmore"), "Greet");
    }
}
