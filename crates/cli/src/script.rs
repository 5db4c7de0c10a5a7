//! The script of a `scripted:` model, from the file that its name is the path of.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use periplus_llm::{ModelName, Provider, scripted::Script};

/// Longest script that is read, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The script that a model plays; none unless it is a scripted one.
pub(crate) fn of(name: &ModelName) -> Result<Option<Script>> {
    if name.provider() != Provider::Scripted {
        return Ok(None);
    }
    let path = Path::new(name.model());
    let cannot_read = || format!("cannot read the script {}", path.display());
    let size = std::fs::metadata(path).with_context(cannot_read)?.len();
    ensure!(
        size <= MAX_BYTES,
        "{}: it has {size} bytes; at most {MAX_BYTES} are read",
        cannot_read()
    );
    let text = std::fs::read_to_string(path).with_context(cannot_read)?;
    Ok(Some(Script::from_json(name.model(), &text)?))
}
