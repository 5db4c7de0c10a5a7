//! Results of every kind of content, and a result that says it failed.

use periplus_toolset::{Block, Document, Tool, prelude::*};

use crate::media;

pub(crate) fn all() -> Vec<Tool> {
    vec![
        test_simple_text(),
        test_image_content(),
        test_audio_content(),
        test_embedded_resource(),
        test_multiple_content_types(),
        test_error_handling(),
    ]
}

/// Answers with a text.
#[tool(read_only)]
async fn test_simple_text() -> Content {
    Content::text("This is a simple text response for testing.")
}

/// Answers with a picture.
#[tool(read_only)]
async fn test_image_content() -> Content {
    media::image().into()
}

/// Answers with a sound.
#[tool(read_only)]
async fn test_audio_content() -> Content {
    media::audio().into()
}

/// Answers with a document.
#[tool(read_only)]
async fn test_embedded_resource() -> Content {
    let text = "This is an embedded resource content.";
    Block::Resource(Document::text("test://embedded-resource", "text/plain", text)).into()
}

/// Answers with a text, a picture and a document.
#[tool(read_only)]
async fn test_multiple_content_types() -> Content {
    let document = json!({ "test": "data", "value": 123 }).to_string();
    Content::text("Multiple content types test:")
        .and(media::image())
        .and(Block::Resource(Document::text(
            "test://mixed-content-resource",
            "application/json",
            document,
        )))
}

/// Always fails.
#[tool(read_only)]
async fn test_error_handling() -> Result<Content, ToolError> {
    Err(ToolError::is_error(
        "This tool intentionally returns an error for testing".into(),
    ))
}
