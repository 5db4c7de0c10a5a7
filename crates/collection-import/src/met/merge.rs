//! Puts a CSV record and an API capture together. Where they disagree, nothing is picked.
//!
//! Disagreement is judged for title, artists, date, rights and image only. For anything else the CSV is the
//! record and the API is evidence.

use std::collections::BTreeSet;

use periplus_collection::{ArtistMention, Geography, Interval, Merged, ObjectDate, Record, text};
use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;

use super::dates;
use super::quality::FlagSet;
use super::record::{flag_missing, set};

/// A response as values.
#[derive(Debug)]
struct Response<'a>(&'a Value);

impl Response<'_> {
    fn text(&self, name: &str) -> Option<String> {
        let decoded = decode_entities(self.0.get(name)?.as_str()?);
        text::clean(&decoded).map(std::borrow::Cow::into_owned)
    }

    fn set(&self, name: &str) -> Vec<String> {
        self.text(name).map_or_else(Vec::new, |cell| set(&cell))
    }

    fn year(&self, name: &str) -> Option<i32> {
        self.0
            .get(name)?
            .as_i64()
            .and_then(|year| i32::try_from(year).ok())
    }

    /// The date by the rules for CSV rows, and its words.
    fn date(&self, flags: &mut FlagSet) -> (ObjectDate, Option<String>) {
        let words = self.text("objectDate");
        let date = match (self.year("objectBeginDate"), self.year("objectEndDate")) {
            (Some(begin), Some(end)) => dates::interval(Interval { begin, end }, words.as_deref(), flags),
            (None, None) if words.is_none() => ObjectDate::Missing,
            _ => ObjectDate::Invalid,
        };
        (date, words)
    }

    fn constituents(&self) -> Option<Vec<ArtistMention>> {
        let mut mentions: Vec<ArtistMention> = Vec::new();
        for constituent in self.0.get("constituents")?.as_array()? {
            let constituent = Response(constituent);
            if let Some(name) = constituent.text("name") {
                let mention = ArtistMention {
                    attribution: name.clone(),
                    role: constituent.text("role"),
                    name,
                };
                if !mentions.contains(&mention) {
                    mentions.push(mention);
                }
            }
        }
        Some(mentions)
    }

    /// The artists, and whether the list is all of them.
    fn artists(&self) -> (Vec<ArtistMention>, bool) {
        if let Some(mentions) = self.constituents() {
            return (mentions, true);
        }
        let first = self.text("artistDisplayName").map(|name| ArtistMention {
            attribution: name.clone(),
            role: self.text("artistRole"),
            name,
        });
        (first.into_iter().collect(), false)
    }

    fn has_image(&self) -> bool {
        let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
        let named = ["primaryImage", "primaryImageSmall"]
            .iter()
            .any(|name| self.0.get(*name).is_some_and(is_text));
        let more = self.0.get("additionalImages").and_then(Value::as_array);
        named || more.is_some_and(|images| images.iter().any(is_text))
    }

    fn tags(&self) -> Vec<String> {
        let tags = self
            .0
            .get("tags")
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        let terms: Vec<String> = tags.iter().filter_map(|tag| Response(tag).text("term")).collect();
        set(&terms.join("|"))
    }
}

/// Adds what a response of the API says to a CSV record.
pub(super) fn merge(record: &mut Record, body: &Value) {
    let response = Response(body);
    merge_title(record, response.text("title"));
    merge_artists(record, response.artists());
    merge_date(record, &response);
    let rights = body.get("isPublicDomain").and_then(Value::as_bool);
    match (record.is_public_domain.value(), rights) {
        (Some(csv), Some(api)) if *csv != api => {
            record.is_public_domain = Merged::Conflict;
            record.flag("api_conflict_rights");
        }
        (None, Some(api)) => record.is_public_domain = Merged::Value(api),
        _ => {}
    }
    record
        .data_quality
        .retain(|flag| flag != "title_missing" && flag != "artist_missing" && flag != "date_missing");
    flag_missing(record);
    if record.object_date == ObjectDate::Missing {
        record.flag("date_missing");
    }
}

/// The record of an object that only the API knows.
pub(super) fn api_record(object_id: u64, body: &Value) -> Record {
    let response = Response(body);
    let mut flags = FlagSet::default();
    let (object_date, object_date_text) = response.date(&mut flags);
    let (artists, _is_complete) = response.artists();
    flags.insert("api_only");
    let mut record = Record {
        object_id,
        title: response.text("title").into(),
        department: response.text("department"),
        object_name: response.text("objectName"),
        culture: response.text("culture"),
        period: response.text("period"),
        medium: response.text("medium"),
        classification: response.set("classification"),
        tags: response.tags(),
        artists: Some(artists).filter(|artists| !artists.is_empty()).into(),
        object_date,
        object_date_text,
        geography: Geography {
            kind: response.set("geographyType"),
            city: response.set("city"),
            state: response.set("state"),
            county: response.set("county"),
            country: response.set("country"),
            region: response.set("region"),
            subregion: response.set("subregion"),
            locale: response.set("locale"),
        },
        is_public_domain: body.get("isPublicDomain").and_then(Value::as_bool).into(),
        has_known_image: Merged::Missing,
        data_quality: flags.into_names(),
    };
    flag_missing(&mut record);
    if record.object_date == ObjectDate::Missing {
        record.flag("date_missing");
    }
    record
}

/// Decides whether an image is known: by a response of the API, by a stored vector, or by both.
///
/// A response without an image means that the museum publishes none, a vector that there was one.
pub(super) fn judge_image(record: &mut Record, body: Option<&Value>, has_vector: bool) {
    record.has_known_image = match body.map(|body| Response(body).has_image()) {
        Some(true) => Merged::Value(true),
        Some(false) if has_vector => {
            record.flag("image_evidence_disagrees");
            Merged::Conflict
        }
        Some(false) => Merged::Value(false),
        None if has_vector => Merged::Value(true),
        None => Merged::Missing,
    };
}

fn merge_title(record: &mut Record, api: Option<String>) {
    let Some(api) = api else { return };
    let agrees = |csv: &String| {
        let api = comparable(&api);
        comparable(csv) == api || csv.split('|').any(|member| comparable(member) == api)
    };
    match record.title.value() {
        None => record.title = Merged::Value(api),
        Some(csv) if agrees(csv) => {}
        Some(_) => {
            record.title = Merged::Conflict;
            record.flag("api_conflict_title");
        }
    }
}

fn merge_artists(record: &mut Record, (api, is_complete): (Vec<ArtistMention>, bool)) {
    if api.is_empty() {
        return;
    }
    let Some(csv) = record.artists.value() else {
        record.artists = Merged::Value(api);
        return;
    };
    let names: BTreeSet<String> = api.iter().map(|mention| comparable(&mention.name)).collect();
    let forms = |mention: &ArtistMention| [comparable(&mention.name), comparable(&mention.attribution)];
    let known: BTreeSet<String> = csv.iter().flat_map(forms).collect();
    let is_matched = |mention: &ArtistMention| forms(mention).iter().any(|form| names.contains(form));
    if !names.is_subset(&known) || (is_complete && !csv.iter().all(is_matched)) {
        record.artists = Merged::Conflict;
        record.flag("api_conflict_artist");
    }
}

fn merge_date(record: &mut Record, response: &Response<'_>) {
    let (api, api_text) = response.date(&mut FlagSet::default());
    match (record.object_date, api) {
        (ObjectDate::Valid(csv), ObjectDate::Valid(api)) if csv != api => {
            record.object_date = ObjectDate::Conflict;
            record.object_date_text = None;
            record.flag("api_conflict_date");
        }
        (ObjectDate::Missing, ObjectDate::Valid(_)) => {
            record.object_date = api;
            record.object_date_text = api_text;
        }
        _ => match (&record.object_date_text, api_text) {
            (Some(csv), Some(api)) if comparable(csv) != comparable(&api) => {
                record.object_date_text = None;
                record.flag("api_conflict_date");
            }
            (None, Some(api)) => record.object_date_text = Some(api),
            _ => {}
        },
    }
}

/// The form in which two sources are compared: case and marks count, spacing and encoding do not.
fn comparable(value: &str) -> String {
    let decoded = decode_entities(value);
    let composed: String = text::unify_line_ends(&decoded).nfc().collect();
    text::collapse_whitespace(&composed)
}

/// The text with the HTML entities that the API leaves in names decoded.
fn decode_entities(value: &str) -> String {
    const NAMED: [(&str, char); 5] = [
        ("amp", '&'),
        ("quot", '"'),
        ("lt", '<'),
        ("gt", '>'),
        ("apos", '\''),
    ];
    /// The longest entity, `&#x10ffff;`, without its ends.
    const LONGEST: usize = 8;
    let mut decoded = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(start) = rest.find('&') {
        decoded.push_str(&rest[..start]);
        rest = &rest[start + 1..];
        let entity = rest
            .split_once(';')
            .filter(|(entity, _after)| entity.len() <= LONGEST);
        let character = entity.and_then(|(entity, _after)| match entity.strip_prefix('#') {
            Some(number) => match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok().and_then(char::from_u32),
                None => number.parse().ok().and_then(char::from_u32),
            },
            None => NAMED
                .iter()
                .find(|(name, _)| *name == entity)
                .map(|(_, character)| *character),
        });
        match (character, entity) {
            (Some(character), Some((_entity, after))) => {
                decoded.push(character);
                rest = after;
            }
            _ => decoded.push('&'),
        }
    }
    decoded.push_str(rest);
    decoded
}

#[cfg(test)]
mod tests;
