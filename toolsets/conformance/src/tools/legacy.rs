//! Questions that legacy clients get as requests on the stream of the call.

use periplus_toolset::{Tool, Value, prelude::*};

pub(crate) fn all() -> Vec<Tool> {
    vec![
        test_sampling(),
        test_elicitation(),
        test_elicitation_sep1034_defaults(),
        test_elicitation_sep1330_enums(),
    ]
}

/// Passes a prompt to the client's model.
#[tool(read_only)]
async fn test_sampling(
    /// What to say to the model.
    prompt: String,
    cx: &Context,
) -> Result<Content, ToolError> {
    let text = cx.ask(Question::model("sampling", &prompt, 100)).await?;
    Ok(Content::text(format!("LLM response: {text}")))
}

/// Asks the user for a name and an address.
#[tool(read_only)]
async fn test_elicitation(
    /// What to say to the user.
    message: String,
    cx: &Context,
) -> Result<Content, ToolError> {
    let properties = json!({
        "username": { "type": "string", "description": "User's response" },
        "email": { "type": "string", "description": "User's email address" },
    });
    let answer = form(cx, &message, &properties, &["username", "email"]).await?;
    Ok(Content::text(format!("User response: {}", Value::from(answer))))
}

/// Asks for values of every kind that have defaults.
#[tool(read_only)]
async fn test_elicitation_sep1034_defaults(cx: &Context) -> Result<Content, ToolError> {
    let properties = json!({
        "name": { "type": "string", "description": "Name", "default": "John Doe" },
        "age": { "type": "integer", "description": "Age", "default": 30 },
        "score": { "type": "number", "description": "Score", "default": 95.5 },
        "status": {
            "type": "string",
            "description": "Status",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": { "type": "boolean", "description": "Verified", "default": true },
    });
    let answer = form(cx, "Please check these values.", &properties, &[]).await?;
    Ok(completed(answer))
}

/// Asks for choices of every kind.
#[tool(read_only)]
async fn test_elicitation_sep1330_enums(cx: &Context) -> Result<Content, ToolError> {
    let options = ["option1", "option2", "option3"];
    let titled = |what: &str| {
        let titles = ["First", "Second", "Third"];
        let options = (1..).zip(titles);
        let options = options
            .map(|(n, title)| json!({ "const": format!("value{n}"), "title": format!("{title} {what}") }));
        options.collect::<Vec<_>>()
    };
    let properties = json!({
        "untitledSingle": { "type": "string", "enum": options },
        "titledSingle": { "type": "string", "oneOf": titled("Option") },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
    });
    let answer = form(cx, "Please choose.", &properties, &[]).await?;
    Ok(completed(answer))
}

/// Puts a form whose schema is written by hand.
async fn form(
    cx: &Context,
    message: &str,
    properties: &Value,
    required: &[&str],
) -> Result<JsonObject, ToolError> {
    let schema = JsonObject::from_iter([
        ("type".to_owned(), "object".into()),
        ("properties".to_owned(), properties.clone()),
        ("required".to_owned(), required.into()),
    ]);
    cx.ask(Question::form_with("form", message, schema)).await
}

fn completed(answer: JsonObject) -> Content {
    Content::text(format!(
        "Elicitation completed: action=accept, content={}",
        Value::from(answer)
    ))
}
