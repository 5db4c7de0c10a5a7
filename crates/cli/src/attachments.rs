//! What a result holds besides its text, such as images, embedded resources and charts, as files.
//!
//! Names come from a stranger: they are reduced to one plain file name, and no existing file is ever replaced.

use std::{
    fmt,
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use periplus_chart::Chart;
use serde::Deserialize as _;
use serde_json::Value;

use crate::exit::{CliError, Exit};

/// Longest file name, in bytes, before a number is added; every file system takes this much.
const MAX_NAME_BYTES: usize = 100;

/// Files of one name in one folder; beyond it something is wrong.
const MAX_SAME_NAME: usize = 1000;

/// File endings of the types that tools return in practice.
const ENDINGS: &[(&str, &str)] = &[
    ("application/geo+json", "geojson"),
    ("application/gzip", "gz"),
    ("application/json", "json"),
    ("application/pdf", "pdf"),
    ("application/xml", "xml"),
    ("application/zip", "zip"),
    ("audio/mpeg", "mp3"),
    ("audio/ogg", "ogg"),
    ("audio/wav", "wav"),
    ("image/gif", "gif"),
    ("image/jpeg", "jpg"),
    ("image/png", "png"),
    ("image/svg+xml", "svg"),
    ("image/tiff", "tif"),
    ("image/webp", "webp"),
    ("text/csv", "csv"),
    ("text/html", "html"),
    ("text/markdown", "md"),
    ("text/plain", "txt"),
    ("video/mp4", "mp4"),
];

/// One image, sound or resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attachment {
    media_type: String,
    /// Where it is from, if it has an address; the source of its name.
    uri: Option<String>,
    content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    Text(String),
    Base64(String),
}

/// A file that was written.
#[derive(Debug)]
pub(crate) struct Saved {
    pub(crate) path: PathBuf,
    pub(crate) media_type: String,
    pub(crate) bytes: usize,
}

impl fmt::Display for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, media_type) = (self.path.display(), &self.media_type);
        write!(f, "saved {path} ({media_type}, {} bytes)", self.bytes)
    }
}

/// The attachments of a call's result, in their order.
pub(crate) fn of_result(result: &Value) -> Vec<Attachment> {
    let blocks = result.get("content").and_then(Value::as_array);
    blocks.into_iter().flatten().filter_map(of_block).collect()
}

/// Charts, as `docs/concepts/charts.md` describes them: a drawing of each that can be drawn, and the rows of each as CSV.
pub(crate) fn of_charts(charts: &Value) -> Vec<Attachment> {
    let file = |name: String, media_type: &str, text: String| Attachment {
        media_type: media_type.to_owned(),
        uri: Some(name),
        content: Content::Text(text),
    };
    let charts = charts.as_array();
    charts
        .into_iter()
        .flatten()
        // Whatever else a tool calls `charts` is none of ours.
        .filter_map(|chart| Chart::deserialize(chart).ok())
        .flat_map(|chart| {
            let drawing = chart
                .to_svg()
                .map(|svg| file(format!("{}.svg", chart.id), "image/svg+xml", svg));
            let rows = file(format!("{}.csv", chart.id), "text/csv", chart.to_csv());
            drawing.into_iter().chain([rows])
        })
        .collect()
}

/// The contents of a resource that was read.
pub(crate) fn of_resource(result: &Value) -> Vec<Attachment> {
    let contents = result.get("contents").and_then(Value::as_array);
    contents.into_iter().flatten().filter_map(resource).collect()
}

/// Addresses of resources that the result names without holding them.
pub(crate) fn links(result: &Value) -> impl Iterator<Item = &str> {
    let blocks = result.get("content").and_then(Value::as_array);
    blocks
        .into_iter()
        .flatten()
        .filter(|block| field(block, "type") == Some("resource_link"))
        .filter_map(|block| field(block, "uri"))
}

fn of_block(block: &Value) -> Option<Attachment> {
    match field(block, "type")? {
        "image" | "audio" => Some(Attachment {
            media_type: media_type(block),
            uri: None,
            content: Content::Base64(field(block, "data")?.to_owned()),
        }),
        "resource" => resource(block.get("resource")?),
        _ => None,
    }
}

fn resource(resource: &Value) -> Option<Attachment> {
    let content = match (field(resource, "blob"), field(resource, "text")) {
        (Some(blob), _) => Content::Base64(blob.to_owned()),
        (None, Some(text)) => Content::Text(text.to_owned()),
        (None, None) => return None,
    };
    Some(Attachment {
        media_type: media_type(resource),
        uri: field(resource, "uri").map(str::to_owned),
        content,
    })
}

fn field<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

/// The type without its parameters.
fn media_type(value: &Value) -> String {
    let declared = field(value, "mimeType").unwrap_or_default();
    let essence = declared.split(';').next().unwrap_or_default().trim();
    essence.to_ascii_lowercase()
}

impl Attachment {
    /// Writes the attachment into a folder, under a name of its own; `fallback` names what has no address.
    ///
    /// # Errors
    /// The content is no base64, or the folder cannot be written.
    pub(crate) fn save(&self, folder: &Path, fallback: &str) -> Result<Saved, CliError> {
        let decoded;
        let bytes = match &self.content {
            Content::Text(text) => text.as_bytes(),
            Content::Base64(text) => {
                decoded = STANDARD.decode(text).map_err(|error| {
                    CliError::answer(format!("{} is not base64: {error}", self.shown(fallback)))
                })?;
                &decoded
            }
        };
        let name = self.file_name(fallback);
        let written = write_new(folder, &name, bytes);
        let path = written.map_err(|error| CliError {
            exit: Exit::Output,
            message: format!("cannot write {}: {error}", folder.join(&name).display()),
            hint: None,
        })?;
        Ok(Saved {
            path,
            media_type: self.media_type.clone(),
            bytes: bytes.len(),
        })
    }

    fn shown(&self, fallback: &str) -> String {
        self.uri.clone().unwrap_or_else(|| fallback.to_owned())
    }

    /// A plain name with an ending, whatever the server calls it.
    fn file_name(&self, fallback: &str) -> String {
        let ending = ENDINGS
            .iter()
            .find(|(media_type, _)| *media_type == self.media_type)
            .map(|(_, ending)| *ending);
        let given = self.uri.as_deref().map(last_segment).map(plain);
        let name = given
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| plain(fallback));
        let (stem, own_ending) = split(&name);
        let ending = own_ending.or(ending).unwrap_or("bin");
        let room = MAX_NAME_BYTES.saturating_sub(ending.len() + 1);
        // Plain names are ASCII, so any byte is a border.
        format!("{}.{ending}", stem.get(..room).unwrap_or(stem))
    }
}

fn last_segment(uri: &str) -> &str {
    let path = uri.split(['?', '#']).next().unwrap_or_default();
    path.trim_end_matches('/')
        .rsplit(['/', '\\', ':'])
        .next()
        .unwrap_or_default()
}

/// Letters, digits, `.`, `-` and `_`; nothing that hides a file, climbs out of a folder or reads as a flag.
fn plain(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') {
                c
            } else {
                '_'
            }
        })
        .collect();
    plain.trim_matches(['.', '-', '_']).to_owned()
}

/// Stem and ending, where what follows the last dot looks like an ending.
fn split(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && (1..=8).contains(&ending.len()) => (stem, Some(ending)),
        _ => (name, None),
    }
}

/// Writes a file that did not exist; a taken name gets a number.
fn write_new(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let (stem, ending) = split(name);
    for number in 1..=MAX_SAME_NAME {
        let candidate = match (number, ending) {
            (1, _) => name.to_owned(),
            (_, Some(ending)) => format!("{stem}-{number}.{ending}"),
            (_, None) => format!("{stem}-{number}"),
        };
        let path = folder.join(candidate);
        // A link that someone has put there is not followed either.
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                file.write_all(bytes)?;
                return Ok(path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other(format!(
        "{MAX_SAME_NAME} files of that name exist already"
    )))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn name(uri: Option<&str>, media_type: &str) -> String {
        let attachment = Attachment {
            media_type: media_type.to_owned(),
            uri: uri.map(str::to_owned),
            content: Content::Text(String::new()),
        };
        attachment.file_name("draw-1")
    }

    #[test]
    fn a_name_is_one_plain_component_whatever_the_server_calls_it() {
        for (uri, media_type, expected) in [
            (None, "image/png", "draw-1.png"),
            (None, "", "draw-1.bin"),
            (Some("file:///data/map.tif"), "image/tiff", "map.tif"),
            (Some("ui://charts/panel"), "text/html", "panel.html"),
            (Some("test://a/../../etc/passwd"), "text/plain", "passwd.txt"),
            (Some("test://.."), "text/plain", "draw-1.txt"),
            (Some("x:..\\..\\boot.ini"), "text/plain", "boot.ini"),
            (Some("test://a/.bashrc?x=/y"), "text/plain", "bashrc.txt"),
            (Some("test://a/-rf"), "", "rf.bin"),
            (Some("test://a/Zürich plan.png"), "image/png", "Z_rich_plan.png"),
            (Some("urn:a:b\u{0}c\n"), "text/plain", "b_c.txt"),
            (Some(""), "image/jpeg", "draw-1.jpg"),
        ] {
            assert_eq!(name(uri, media_type), expected, "{uri:?}");
        }
        let long = name(Some(&format!("x://{}.png", "a".repeat(5000))), "image/png");
        assert_eq!((long.len(), long.ends_with(".png")), (MAX_NAME_BYTES, true));
    }

    #[test]
    fn images_sound_and_resources_become_files_and_text_does_not() {
        let result = json!({"content": [
            {"type": "text", "text": "drawn"},
            {"type": "image", "data": "AQID", "mimeType": "image/png"},
            {"type": "audio", "data": "BA==", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "x://a/notes.txt", "text": "é", "mimeType": "text/plain"}},
            {"type": "resource", "resource": {"uri": "ui://a/panel", "blob": "BQ==", "mimeType": "text/html;profile=x"}},
            {"type": "resource_link", "uri": "x://far"},
            {"type": "image"}, 3,
        ]});
        let folder = tempfile::tempdir().unwrap();
        let saved: Vec<(String, Vec<u8>)> = of_result(&result)
            .iter()
            .enumerate()
            .map(|(index, attachment)| {
                let saved = attachment
                    .save(folder.path(), &format!("t-{}", index + 1))
                    .unwrap();
                let name = saved
                    .path
                    .strip_prefix(folder.path())
                    .unwrap()
                    .display()
                    .to_string();
                (name, fs::read(&saved.path).unwrap())
            })
            .collect();
        let expected: [(&str, &[u8]); 4] = [
            ("t-1.png", &[1, 2, 3]),
            ("t-2.wav", &[4]),
            ("notes.txt", "é".as_bytes()),
            ("panel.html", &[5]),
        ];
        assert_eq!(
            saved,
            expected.map(|(name, bytes)| (name.to_owned(), bytes.to_vec()))
        );
        assert_eq!(links(&result).collect::<Vec<_>>(), ["x://far"]);
    }

    #[test]
    fn charts_become_a_drawing_and_their_rows() {
        let chart = json!({
            "id": "chart_0", "title": "Loss", "type": "bar", "insight": "", "data": [{ "year": 2015, "area_ha": 1.5 }],
            "xAxis": "year", "yAxis": "area_ha", "colorField": "", "stackField": "", "groupField": "", "seriesFields": [],
            "colorMap": {}, "seriesColor": null, "divergentColors": null,
        });
        let mut table = chart.clone();
        table["id"] = json!("../chart_1");
        table["type"] = json!("table");
        let folder = tempfile::tempdir().unwrap();
        let names: Vec<String> = of_charts(&json!([chart, table, { "id": "no chart" }]))
            .iter()
            .map(|attachment| {
                let saved = attachment.save(folder.path(), "x").unwrap();
                saved
                    .path
                    .strip_prefix(folder.path())
                    .unwrap()
                    .display()
                    .to_string()
            })
            .collect();
        assert_eq!(names, ["chart_0.svg", "chart_0.csv", "chart_1.csv"]);
        let rows = fs::read_to_string(folder.path().join("chart_0.csv")).unwrap();
        assert_eq!(rows, "year,area_ha\r\n2015,1.5\r\n");
    }

    #[test]
    fn no_file_is_replaced_and_no_link_followed() {
        let folder = tempfile::tempdir().unwrap();
        let outside = folder.path().join("outside");
        let inside = folder.path().join("inside");
        fs::create_dir(&inside).unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("a.txt")).unwrap();
        fs::write(inside.join("a-2.txt"), "mine").unwrap();
        let path = write_new(&inside, "a.txt", b"new").unwrap();
        assert_eq!(path, inside.join("a-3.txt"));
        assert!(!outside.exists());
        assert_eq!(fs::read_to_string(inside.join("a-2.txt")).unwrap(), "mine");
    }

    #[test]
    fn content_that_is_no_base64_is_named() {
        let result = json!({"content": [{"type": "image", "data": "?", "mimeType": "image/png"}]});
        let folder = tempfile::tempdir().unwrap();
        let error = of_result(&result)[0].save(folder.path(), "t-1").unwrap_err();
        assert!(
            error.message.starts_with("t-1 is not base64"),
            "{}",
            error.message
        );
    }
}
