//! Binary content is named by kind and size wherever a model would read it.

use std::borrow::Cow;

use serde_json::Value;

/// Longest media type of a `data:` URL; a sentence that happens to start with `data:` is not one.
const MAX_MEDIA_TYPE_BYTES: usize = 200;

/// What stands for binary content of a media type, given the length of its base64 text.
pub(crate) fn placeholder(media_type: &str, base64_bytes: usize) -> String {
    let kind = if media_type.starts_with("image/") {
        "image"
    } else {
        "blob"
    };
    let kilobytes = (base64_bytes / 4 * 3).div_ceil(1024);
    format!("<{kind}, {kilobytes} KB, rendered in UI>")
}

/// The value with every `data:` URL in it replaced by its placeholder.
pub(crate) fn without_blobs(value: &Value) -> Cow<'_, Value> {
    if !has_blob(value) {
        return Cow::Borrowed(value);
    }
    let mut copy = value.clone();
    replace_blobs(&mut copy);
    Cow::Owned(copy)
}

fn has_blob(value: &Value) -> bool {
    match value {
        Value::String(text) => media_type(text).is_some(),
        Value::Array(items) => items.iter().any(has_blob),
        Value::Object(object) => object.values().any(has_blob),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn replace_blobs(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(media_type) = media_type(text) {
                *text = placeholder(media_type, text.len());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(replace_blobs),
        Value::Object(object) => object.values_mut().for_each(replace_blobs),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The media type of a `data:` URL, empty if it names none.
fn media_type(text: &str) -> Option<&str> {
    let (media_type, _) = text.strip_prefix("data:")?.split_once(',')?;
    let is_url = media_type.len() <= MAX_MEDIA_TYPE_BYTES && !media_type.contains(char::is_whitespace);
    is_url.then_some(media_type)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn data_urls_are_named_and_prose_is_kept() {
        let value = json!({
            "plot": format!("data:image/png;base64,{}", "A".repeat(4096)),
            "files": ["data:application/pdf;base64,AAAA", "data: collected in May, then lost"],
        });
        let shown = without_blobs(&value);
        assert_eq!(shown["plot"], "<image, 4 KB, rendered in UI>");
        assert_eq!(shown["files"][0], "<blob, 1 KB, rendered in UI>");
        assert_eq!(shown["files"][1], value["files"][1]);
        assert!(matches!(without_blobs(&shown), Cow::Borrowed(_)));
    }
}
