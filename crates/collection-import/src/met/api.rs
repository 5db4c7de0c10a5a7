//! Captures of the museum's API: responses saved by someone, listed with their digests.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use periplus_collection::snapshot::ApiSource;
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::pins::is_sha256;
use crate::ImportError;

/// The listing in the folder of captures.
const MANIFEST: &str = "manifest.json";
const FORMAT: &str = "met-api-seeds/1";
/// Longest listing: enough for a capture of every object.
const MAX_MANIFEST_BYTES: u64 = 512 * 1024 * 1024;
/// Longest response; real ones are a few kilobytes.
const MAX_BODY_BYTES: u64 = 4 * 1024 * 1024;

/// One saved response.
#[derive(Debug)]
pub(super) struct Capture {
    pub(super) source: ApiSource,
    /// The exact bytes.
    pub(super) body: Vec<u8>,
}

impl Capture {
    /// Whether the API knew the object.
    pub(super) const fn is_found(&self) -> bool {
        self.source.http_status == 200
    }
}

/// All captures of a folder.
#[derive(Debug, Default)]
pub(super) struct Captures {
    pub(super) manifest_sha256: String,
    pub(super) by_id: BTreeMap<u64, Capture>,
}

#[derive(Deserialize)]
struct Listing {
    format: String,
    captures: Vec<Listed>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    object_id: u64,
    file: String,
    retrieved_at: String,
    sha256: String,
    bytes: u64,
    url: String,
    http_status: u16,
}

impl Captures {
    /// Reads a folder, checking every file against the listing.
    pub(super) fn read(dir: &Path) -> Result<Self, ImportError> {
        let path = dir.join(MANIFEST);
        let text = read(&path, MAX_MANIFEST_BYTES)?;
        let problem = |problem: String| ImportError::ApiManifest {
            path: path.clone(),
            problem,
        };
        let listing: Listing = serde_json::from_slice(&text).map_err(|error| problem(error.to_string()))?;
        if listing.format != FORMAT {
            return Err(problem(format!(
                "its format is {:?}, expected {FORMAT:?}",
                listing.format
            )));
        }
        let mut captures = Self {
            manifest_sha256: hex::encode(Sha256::digest(&text)),
            by_id: BTreeMap::new(),
        };
        for listed in listing.captures {
            listed.check().map_err(&problem)?;
            let id = listed.object_id;
            if let Some(other) = captures.by_id.get(&id) {
                let first = other.source.retrieved_at.clone();
                return Err(ImportError::ApiDuplicate {
                    id,
                    first,
                    second: listed.retrieved_at,
                });
            }
            captures.by_id.insert(id, listed.read(dir)?);
        }
        Ok(captures)
    }
}

impl Listed {
    fn check(&self) -> Result<(), String> {
        let is_plain_name = Path::new(&self.file)
            .file_name()
            .is_some_and(|name| name == self.file.as_str());
        if !is_plain_name {
            return Err(format!("{:?} is no file name in the folder", self.file));
        }
        if !is_utc(&self.retrieved_at) {
            return Err(format!(
                "{:?} is no UTC time such as 2023-02-28T05:00:00Z",
                self.retrieved_at
            ));
        }
        if !is_sha256(&self.sha256) {
            return Err(format!(
                "{:?} is no SHA-256 digest in lower-case hex",
                self.sha256
            ));
        }
        if self.object_id == 0 {
            return Err("an object id is 0".to_owned());
        }
        Ok(())
    }

    fn read(self, dir: &Path) -> Result<Capture, ImportError> {
        let body = read(&dir.join(&self.file), MAX_BODY_BYTES)?;
        let found = hex::encode(Sha256::digest(&body));
        if found != self.sha256 || body.len() as u64 != self.bytes {
            let problem = format!(
                "it has sha256 {found} and {} bytes, expected {} and {}",
                body.len(),
                self.sha256,
                self.bytes
            );
            return Err(ImportError::ApiHash {
                file: self.file,
                problem,
            });
        }
        let json = serde_json::from_slice(&body);
        if self.http_status == 200 {
            let id = self.object_id;
            let problem = match &json {
                Ok(Value::Object(members)) if members.get("objectID").and_then(Value::as_u64) == Some(id) => {
                    None
                }
                Ok(_) => Some("objectID is another or missing".to_owned()),
                Err(error) => Some(format!("it is not JSON: {error}")),
            };
            if let Some(problem) = problem {
                return Err(ImportError::ApiBody {
                    file: self.file,
                    id,
                    problem,
                });
            }
        }
        let source = ApiSource {
            retrieved_at: self.retrieved_at,
            http_status: self.http_status,
            url: self.url,
            sha256: self.sha256,
            body: json.unwrap_or(Value::Null),
        };
        Ok(Capture { source, body })
    }
}

fn read(path: &Path, limit: u64) -> Result<Vec<u8>, ImportError> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes));
    read.map_err(|source| ImportError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    Ok(bytes)
}

/// Whether a text has the form `2023-02-28T05:00:00Z`, with or without a fraction of the second.
fn is_utc(text: &str) -> bool {
    const FORM: &str = "dddd-dd-ddTdd:dd:dd";
    let Some((time, rest)) = text.split_at_checked(FORM.len()) else {
        return false;
    };
    let fits = |(form, found): (u8, u8)| {
        if form == b'd' {
            found.is_ascii_digit()
        } else {
            form == found
        }
    };
    let is_time = FORM.bytes().zip(time.bytes()).all(fits);
    let fraction = rest.strip_suffix('Z');
    let is_fraction = fraction.is_some_and(|fraction| match fraction.strip_prefix('.') {
        Some(digits) => !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()),
        None => fraction.is_empty(),
    });
    is_time && is_fraction
}

#[cfg(test)]
mod tests {
    use super::is_utc;

    #[test]
    fn times_are_utc_in_one_form() {
        for time in ["2023-02-28T05:00:00Z", "2023-02-28T05:00:00.125Z"] {
            assert!(is_utc(time), "{time}");
        }
        for time in [
            "",
            "2023-02-28",
            "2023-02-28T05:00:00",
            "2023-02-28T05:00:00+00:00",
            "2023-02-28T05:00:00.Z",
        ] {
            assert!(!is_utc(time), "{time}");
        }
    }
}
