//! `call`: one tool, one result.

use std::{path::Path, sync::Arc};

use periplus_runtime::client::{CallResult, ClientOptions};
use serde_json::{Value, json};

use super::{App, block_on, local, remote};
use crate::{
    args::Call,
    arguments,
    attachments::{self, Attachment},
    exit::{CliError, Exit, Outcome},
    printer,
    question::Asker,
};

pub(crate) fn run(app: &App, args: &Call) -> Outcome {
    let (toolset, tool) = match args.tool.split_once('/') {
        Some((toolset, tool)) => (Some(toolset), tool),
        None => (None, args.tool.as_str()),
    };
    let headers = remote::given_headers(&args.headers)?;
    let asker = Arc::new(Asker::new(&args.answers)?);
    let outcome = block_on(async {
        if args.local {
            call_here(app, args, toolset, tool, &headers, &asker).await
        } else {
            call_there(app, args, toolset, tool, &headers, &asker).await
        }
    })?;
    asker.tell_unused();
    Ok(outcome)
}

async fn call_here(
    app: &App,
    args: &Call,
    toolset: Option<&str>,
    tool: &str,
    headers: &[(String, String)],
    asker: &Asker,
) -> Outcome {
    let found = local::Found::find(app, toolset, tool)?;
    let arguments = arguments::read(
        &args.arguments,
        args.arg_file.as_deref(),
        Some(&found.input_schema()),
    )?;
    let headers = remote::with_environment(headers, found.credential_headers(), &app.settings);
    match found.call(&arguments, &headers, asker).await? {
        local::Answer::Result(structured) => print_result(&structured, args.json),
        local::Answer::Error(text) => {
            let raw = json!({ "content": [{ "type": "text", "text": text }], "isError": true });
            print_error(tool, &text, &raw, args.json)
        }
    }
}

async fn call_there(
    app: &App,
    args: &Call,
    toolset: Option<&str>,
    tool: &str,
    headers: &[(String, String)],
    asker: &Arc<Asker>,
) -> Outcome {
    let options = ClientOptions {
        capabilities: json!({ "elicitation": {} }),
        responder: Some(Arc::clone(asker) as _),
        ..ClientOptions::default()
    };
    let directory = remote::open_with(app, options).await?;
    let found = remote::find(app, directory, toolset, tool, headers).await?;
    let schema: Option<Value> = serde_json::from_str(found.tool.input_schema.get()).ok();
    let arguments = arguments::read(&args.arguments, args.arg_file.as_deref(), schema.as_ref())?;
    let outcome = found
        .connection
        .call_tool(&found.tool, &arguments, &found.credentials)
        .await;
    let has_result = outcome.as_ref().is_ok_and(|result| !result.is_error);
    let outcome = match (asker.failure(), outcome) {
        // Why there was no answer says more than what the server made of that.
        (Some(failure), _) if !has_result => Err(failure),
        (_, Ok(result)) => report(&found, &result, args).await,
        (_, Err(error)) => Err(error.into()),
    };
    found.connection.close().await;
    outcome
}

/// Prints the result, then writes what else it holds.
async fn report(found: &remote::Found, result: &CallResult, args: &Call) -> Outcome {
    if result.is_error {
        return print_error(&found.tool.name, &result.text.join("\n"), &result.raw, args.json);
    }
    match &result.structured {
        Some(structured) => print_result(structured, args.json)?,
        None if args.json => print_result(&result.raw, true)?,
        None => {
            printer::data(&result.text.join("\n"))?;
            Exit::Success
        }
    };
    let mut held = attachments::of_result(&result.raw);
    let charts = result.structured.as_ref().and_then(|fields| fields.get("charts"));
    held.extend(charts.into_iter().flat_map(attachments::of_charts));
    match &args.save {
        Some(folder) => save(found, result, held, folder).await,
        None => {
            if !held.is_empty() {
                let count = held.len();
                let plural = if count == 1 { "" } else { "s" };
                printer::note(&format!(
                    "the result also holds {count} file{plural}: --save DIR writes them"
                ));
            }
            Ok(Exit::Success)
        }
    }
}

async fn save(
    found: &remote::Found,
    result: &CallResult,
    mut attachments: Vec<Attachment>,
    folder: &Path,
) -> Outcome {
    let view = found
        .tool
        .meta
        .as_ref()
        .and_then(|meta| meta.pointer("/ui/resourceUri"));
    let linked = attachments::links(&result.raw).chain(view.and_then(Value::as_str));
    for uri in linked {
        match found.connection.read_resource(uri, &found.credentials).await {
            Ok(resource) => attachments.extend(attachments::of_resource(&resource)),
            // A link may lead anywhere; what was called has worked.
            Err(error) => printer::warning(&format!("{uri} is not saved: {error}")),
        }
    }
    if attachments.is_empty() {
        printer::note("nothing to save: the result is text and structured content only");
    }
    for (index, attachment) in attachments.iter().enumerate() {
        let saved = attachment.save(folder, &format!("{}-{}", found.tool.name, index + 1))?;
        printer::note(&saved.to_string());
    }
    Ok(Exit::Success)
}

/// The result once: for people with line breaks, for scripts on one line.
fn print_result(result: &Value, as_json: bool) -> Outcome {
    printer::data(&if as_json {
        result.to_string()
    } else {
        format!("{result:#}")
    })?;
    Ok(Exit::Success)
}

/// The tool's own error: its text for people, the whole result for scripts.
fn print_error(tool: &str, text: &str, raw: &Value, as_json: bool) -> Outcome {
    if as_json {
        printer::data(&raw.to_string())?;
    }
    Err(failed(tool, text))
}

/// A tool's own error as one of ours.
pub(crate) fn failed(tool: &str, text: &str) -> CliError {
    // Most servers begin the text with these words, which would then stand there twice.
    let reason = text.strip_prefix("Error executing tool ").map_or(text, |rest| {
        rest.strip_prefix(tool)
            .and_then(|rest| rest.strip_prefix(": "))
            .unwrap_or(rest)
    });
    CliError::answer(format!("tool {tool} failed: {reason}"))
}
