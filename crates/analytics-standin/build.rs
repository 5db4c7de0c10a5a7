//! Deflates the statistics, so that the program carries a third of their bytes.

use std::{
    env, fs,
    io::{self, Write},
    path::Path,
};

use flate2::{Compression, write::DeflateEncoder};

const FOLDERS: [&str; 3] = ["", "country", "recorded"];

#[expect(
    clippy::disallowed_methods,
    reason = "cargo names the folder of a build script's output in the environment"
)]
fn main() -> io::Result<()> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/analytics");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
    let out = Path::new(&out);
    for folder in FOLDERS {
        deflate_all(&data.join(folder), &out.join(folder))?;
    }
    Ok(())
}

/// Writes the CSV files of a folder, deflated and by the same names, into another.
fn deflate_all(from: &Path, into: &Path) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", from.display());
    fs::create_dir_all(into)?;
    for entry in fs::read_dir(from)? {
        let file = entry?.path();
        let Some(name) = file
            .file_name()
            .filter(|_| file.extension().is_some_and(|ending| ending == "csv"))
        else {
            continue;
        };
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&fs::read(&file)?)?;
        fs::write(into.join(name), packed.finish()?)?;
    }
    Ok(())
}
