//! The versions of `MetObjects.csv` that are known by digest.

/// A version of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pin {
    /// Digest of the bytes, in hex.
    pub sha256: &'static str,
    /// Size of the file.
    pub bytes: u64,
    /// When it was committed upstream; none for the shipped sample.
    pub date: Option<&'static str>,
    /// The upstream commit; none for the shipped sample.
    pub commit: Option<&'static str>,
}

/// Every upstream version, newest first.
const PINS: &str = include_str!("../../../../data/met/csv-pins.tsv");

/// The version taken unless another is asked for: the head of the default branch since 2023.
pub const DEFAULT_CSV_SHA256: &str = "de617b9c947458e426111207f81a65bd1379a151c0077d3ce29cfc22fc0b9183";
/// Records of the default version.
pub(super) const DEFAULT_CSV_RECORDS: u64 = 484_956;
/// The shipped sample; it is accepted by the name `sample`.
pub const SAMPLE_CSV_SHA256: &str = "a87ef1459024d183e69de34bba1211c3856df550e740eb59ff9604a16ab3c540";

/// The version with that digest.
#[must_use]
pub fn pin(sha256: &str) -> Option<Pin> {
    if sha256 == SAMPLE_CSV_SHA256 {
        let bytes = super::SAMPLE_CSV.len() as u64;
        return Some(Pin {
            sha256: SAMPLE_CSV_SHA256,
            bytes,
            date: None,
            commit: None,
        });
    }
    upstream_pins().find(|pin| pin.sha256 == sha256)
}

/// Every upstream version, newest first.
pub fn upstream_pins() -> impl Iterator<Item = Pin> {
    PINS.lines().skip(1).filter_map(|line| {
        // One upstream pointer has CRLF line ends, which the table keeps.
        let mut cells = line.split('\t').map(str::trim);
        let (date, commit, sha256, bytes) = (cells.next()?, cells.next()?, cells.next()?, cells.next()?);
        Some(Pin {
            sha256,
            bytes: bytes.parse().ok()?,
            date: Some(date),
            commit: Some(commit),
        })
    })
}

/// Whether a text is a SHA-256 digest in lower-case hex.
pub(super) fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{DEFAULT_CSV_SHA256, SAMPLE_CSV_SHA256, is_sha256, pin, upstream_pins};

    #[test]
    fn every_upstream_version_is_known() {
        let pins: Vec<_> = upstream_pins().collect();
        assert_eq!(pins.len(), 290);
        assert!(pins.iter().all(|pin| is_sha256(pin.sha256) && pin.bytes > 0));
        // Two versions were restored later.
        assert_eq!(
            pins.iter().map(|pin| pin.sha256).collect::<HashSet<_>>().len(),
            288
        );
    }

    #[test]
    fn the_default_and_the_sample_are_pinned() {
        assert_eq!(pin(DEFAULT_CSV_SHA256).expect("known").bytes, 317_650_992);
        assert_eq!(pin(SAMPLE_CSV_SHA256).expect("known").commit, None);
        assert_eq!(pin(&"0".repeat(64)), None);
    }
}
