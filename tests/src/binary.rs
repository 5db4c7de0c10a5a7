//! Where the binary under test is.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use anyhow::{Context, ensure};

/// Path of the binary under test; set it to test another build.
const BINARY: &str = "PERIPLUS_BIN";

/// Address of a PostgreSQL server that tests may use.
const POSTGRES: &str = "PERIPLUS_TEST_POSTGRES";

/// The built binary. Unless `PERIPLUS_BIN` names one, it is built first, so that a test never runs yesterday's.
///
/// # Panics
/// If it cannot be built: no test could say anything then.
#[must_use]
pub fn binary() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| named().unwrap_or_else(|| build().expect("the binary under test builds")))
}

/// The root of the repository.
#[must_use]
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the package lies below the root")
}

/// The address of the PostgreSQL server beside the tests; without one a test says that it is skipped.
#[must_use]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub fn postgres() -> Option<String> {
    let address = variable(POSTGRES).and_then(|address| address.into_string().ok());
    if address.is_none() {
        eprintln!("skipped: {POSTGRES} names no server");
    }
    address
}

fn named() -> Option<PathBuf> {
    variable(BINARY).map(PathBuf::from)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the harness is told by its caller which build to test, and beside which server"
)]
fn variable(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name)
}

fn build() -> anyhow::Result<PathBuf> {
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--workspace", "--bin", "periplus"])
        .current_dir(repository())
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "cargo build --bin periplus failed");
    // This test runs from <target>/<profile>/deps.
    let own = std::env::current_exe().context("cannot tell where this test runs")?;
    let target = own
        .ancestors()
        .nth(3)
        .context("the test does not lie in a target folder")?;
    Ok(target.join("debug").join("periplus"))
}
