//! Blocks and documents in the form that they have on the wire.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use periplus_toolset::{Block, Body, Document, Media};
use serde_json::{Value, json};

/// A block of content.
pub(super) fn block(block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({ "type": "text", "text": text }),
        Block::Image(image) => media("image", image),
        Block::Audio(audio) => media("audio", audio),
        Block::Resource(resource) => json!({ "type": "resource", "resource": document(resource) }),
        other => {
            json!({ "type": "text", "text": format!("(content of an unknown kind, {} bytes)", other.size()) })
        }
    }
}

/// A document, as it is read or embedded.
pub(super) fn document(document: &Document) -> Value {
    let mut item = json!({ "uri": document.uri, "mimeType": document.mime_type });
    match &document.body {
        Body::Text(text) => item["text"] = text.as_str().into(),
        Body::Bytes(bytes) => item["blob"] = STANDARD.encode(bytes).into(),
    }
    item
}

fn media(kind: &str, media: &Media) -> Value {
    json!({ "type": kind, "mimeType": media.mime_type, "data": STANDARD.encode(&media.bytes) })
}
