//! Writes the published contract anew: `cargo run -p periplus-met --example contract`.

#[path = "../tests/it/published.rs"]
mod published;
#[path = "../tests/it/support.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod support;

use std::{fs, path::Path};

#[tokio::main]
async fn main() -> std::io::Result<()> {
    for (name, text) in published::files().await {
        let path = Path::new(published::FOLDER).join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)?;
    }
    Ok(())
}
