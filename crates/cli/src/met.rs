//! What the binary needs to know about the museum collection before its toolset can be built.

use std::{fs::File, io::Read, path::PathBuf};

use anyhow::{Context, Result, bail, ensure};
use periplus_toolset::Secret;

use crate::{
    config::{Key, Settings, keys},
    progress::Bar,
};

/// Secrets are short; a larger file is the wrong file.
const MAX_SECRET_BYTES: u64 = 4096;

/// Builds the embedded catalogue into the cache folder, or finds it there; what is returned does the work.
///
/// # Errors
/// The environment does not say where a cache may be.
pub fn bundled(settings: &Settings) -> Result<impl FnOnce() -> Result<PathBuf, String> + Send + 'static> {
    let cache = settings.cache_dir().context(
        "there is no cache folder for the embedded catalogue: set XDG_CACHE_HOME or HOME, or MET_MCP_DATA_DIR",
    )?;
    Ok(move || {
        periplus_collection_import::met::bundled(&cache, &Bar::new())
            .map_err(|error| format!("the embedded catalogue cannot be built: {error}"))
    })
}

/// The bearer secret of the toolset, if the settings name a file with one.
///
/// # Errors
/// As [`secret_file`], and if the secret is not text.
pub fn bearer(settings: &Settings) -> Result<Option<Secret>> {
    let Some(bytes) = secret_file(settings, &keys::MET_BEARER_TOKEN_FILE)? else {
        return Ok(None);
    };
    // The parser's error is dropped on purpose: it holds the bytes.
    let text = String::from_utf8(bytes)
        .ok()
        .context("the bearer secret in MET_MCP_BEARER_TOKEN_FILE is not UTF-8")?;
    Ok(Some(Secret::new(&text)))
}

/// The content of a file that holds a secret, if the setting names one.
///
/// # Errors
/// The file cannot be read, is empty, is too large, or can be read by others than its owner.
pub fn secret_file(settings: &Settings, key: &Key) -> Result<Option<Vec<u8>>> {
    let Some(path) = settings.path(key) else {
        return Ok(None);
    };
    let name = format!("{} ({})", path.display(), key.env);
    let file = File::open(&path).with_context(|| format!("cannot read {name}"))?;
    let metadata = file.metadata().with_context(|| format!("cannot read {name}"))?;
    if is_open_to_others(&metadata) {
        bail!("{name} can be read by others than its owner: run `chmod 600` on it");
    }
    let mut secret = Vec::new();
    file.take(MAX_SECRET_BYTES + 1)
        .read_to_end(&mut secret)
        .with_context(|| format!("cannot read {name}"))?;
    ensure!(
        secret.len() as u64 <= MAX_SECRET_BYTES,
        "{name} has more than {MAX_SECRET_BYTES} bytes"
    );
    ensure!(!secret.trim_ascii().is_empty(), "{name} is empty");
    Ok(Some(secret.trim_ascii().to_vec()))
}

/// Group members may read it, as mounted secrets are often readable by the group of a service; all others may not.
fn is_open_to_others(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o007 != 0
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::config::Environment;

    fn read(content: &str, mode: u32) -> Result<Option<Vec<u8>>> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
        let path = file.path().display().to_string();
        let environment: Environment = [("MET_MCP_BEARER_TOKEN_FILE".to_owned(), path)]
            .into_iter()
            .collect();
        let settings = Settings::load(environment, None, &[]).unwrap();
        secret_file(&settings, &keys::MET_BEARER_TOKEN_FILE)
    }

    #[test]
    fn a_secret_is_read_without_the_white_space_around_it() {
        assert_eq!(read("s3cret\n", 0o600).unwrap(), Some(b"s3cret".to_vec()));
    }

    #[test]
    fn a_secret_that_others_may_read_is_refused_without_showing_it() {
        let error = format!("{:#}", read("s3cret", 0o644).unwrap_err());
        assert!(
            error.contains("chmod 600") && !error.contains("s3cret"),
            "{error}"
        );
    }

    #[test]
    fn an_empty_or_huge_file_is_refused() {
        assert!(read(" \n", 0o600).is_err());
        assert!(read(&"x".repeat(5000), 0o600).is_err());
    }
}
