//! Objects in one line each, for messages: a person or a model reads there what was found, and where each one stands.

use periplus_collection::snapshot::StoredObject;

use crate::source;

/// Objects, or values, that a message names.
pub(crate) const MAX_HEADLINES: usize = 5;

/// Characters of a headline's title and of its artists.
const MAX_CHARS: usize = 100;

/// A line for each of the first objects, each on a line of its own behind what the message says.
pub(crate) fn headlines(objects: &[StoredObject]) -> String {
    objects
        .iter()
        .take(MAX_HEADLINES)
        .map(|object| format!("\n- {}", headline(object)))
        .collect()
}

fn headline(object: &StoredObject) -> String {
    let record = &object.record;
    let mentions = record.artist_mentions();
    let artists: Vec<&str> = mentions.iter().map(|mention| mention.name.as_str()).collect();
    let title = record.title.value().map_or("no title recorded", String::as_str);
    let mut parts = vec![shortened(title)];
    parts.extend((!artists.is_empty()).then(|| shortened(&artists.join("; "))));
    parts.extend(record.object_date_text.as_deref().map(shortened));
    let place = source::object_url(object).unwrap_or_else(|| format!("object {}", record.object_id));
    format!("{} ({place})", parts.join(", "))
}

/// The beginning of a text, on one line.
fn shortened(text: &str) -> String {
    cut(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The beginning of a text, as it is recorded.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
