//! Prompts: plain, with arguments, with other content than text, and one that asks first.

use periplus_toolset::{Block, Document, Prompt, PromptMessage, Question, schemars::JsonSchema};
use serde::Deserialize;

use crate::media;

pub(crate) fn all() -> Vec<Prompt> {
    vec![
        Prompt::fixed(
            "test_simple_prompt",
            "A prompt without arguments.",
            "This is a simple prompt for testing.",
        ),
        with_arguments(),
        with_embedded_resource(),
        with_image(),
        asking(),
    ]
}

fn text(text: impl Into<String>) -> PromptMessage {
    PromptMessage::user(Block::Text(text.into()))
}

fn with_arguments() -> Prompt {
    Prompt::new(
        "test_prompt_with_arguments",
        "A prompt with two arguments.",
        |arguments, _| {
            let text = text(format!(
                "Prompt with arguments: arg1='{}', arg2='{}'",
                arguments["arg1"], arguments["arg2"]
            ));
            Box::pin(async { Ok(vec![text]) })
        },
    )
    .argument("arg1", "The first argument.")
    .suggest(|written| {
        ["paris", "park", "party"]
            .iter()
            .filter(|word| word.starts_with(written))
            .map(|word| (*word).to_owned())
            .collect()
    })
    .argument("arg2", "The second argument.")
}

fn with_embedded_resource() -> Prompt {
    Prompt::new(
        "test_prompt_with_embedded_resource",
        "A prompt that holds a document.",
        |mut arguments, _| {
            Box::pin(async move {
                let uri = arguments.remove("resourceUri").unwrap_or_default();
                let content = "Embedded resource content for testing.";
                Ok(vec![
                    PromptMessage::user(Block::Resource(Document::text(uri, "text/plain", content))),
                    text("Please process the embedded resource above."),
                ])
            })
        },
    )
    .argument("resourceUri", "URI of the document.")
}

fn with_image() -> Prompt {
    Prompt::new(
        "test_prompt_with_image",
        "A prompt that holds a picture.",
        |_, _| {
            Box::pin(async {
                Ok(vec![
                    PromptMessage::user(media::image()),
                    text("Please analyze the image above."),
                ])
            })
        },
    )
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Background {
    /// Anything that the prompt should take into account.
    context: String,
}

fn asking() -> Prompt {
    Prompt::new(
        "test_input_required_result_prompt",
        "A prompt that asks its user first.",
        |_, cx| {
            Box::pin(async move {
                let question =
                    Question::<Background>::form("user_context", "What context should the prompt use?");
                let background = cx.ask(question).await?;
                Ok(vec![text(format!("Use this context: {}", background.context))])
            })
        },
    )
}
