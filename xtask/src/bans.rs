//! What must not be in the dependency tree: a second TLS stack, and licences nobody has agreed to.
//!
//! `deny.toml` says the same to `cargo deny`, which takes minutes to install; this needs cargo alone.

use anyhow::{Result, ensure};

use crate::{metadata::Metadata, shell};

/// Crates that must not be built, with the reason.
const BANNED: &[(&str, &str)] = &[
    (
        "aws-lc-sys",
        "rustls uses ring; one crypto library is enough, and this one needs a C toolchain",
    ),
    (
        "openssl-sys",
        "TLS is rustls; OpenSSL would have to be installed on every machine",
    ),
    ("native-tls", "TLS is rustls"),
];

/// Licences that may be built into the binary without asking; deny.toml has the same list.
const LICENCES: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "Zlib",
];

/// Checks both lists against what cargo would build.
pub(crate) fn check() -> Result<()> {
    let mut problems = Vec::new();
    for (name, reason) in BANNED {
        let tree = shell::cargo(["tree", "--workspace", "--locked", "--invert", name]).output()?;
        // For a package that is nowhere in the tree, cargo fails; for one of another platform it prints nothing.
        if tree.status.success() && !tree.stdout.is_empty() {
            problems.push(format!(
                "{name} is in the dependency tree ({reason}):\n{}",
                String::from_utf8_lossy(&tree.stdout)
            ));
        }
    }
    let metadata = Metadata::read()?;
    for package in &metadata.packages {
        let licence = package.license.as_deref().unwrap_or("no licence");
        if !is_permitted(licence) {
            problems.push(format!(
                "{} {} has licence {licence:?}",
                package.name, package.version
            ));
        }
    }
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    println!(
        "{} packages: no banned crate, known licences only",
        metadata.packages.len()
    );
    Ok(())
}

/// Whether an SPDX expression can be satisfied with the permitted licences; `/` is an old spelling of `OR`.
fn is_permitted(expression: &str) -> bool {
    let flat = expression.replace(['(', ')'], " ").replace('/', " OR ");
    let flat = flat.split_whitespace().collect::<Vec<_>>().join(" ");
    if expression.contains('(') {
        // Brackets occur as `(A OR B) AND C`: every alternative must then be permitted, which is stricter.
        return flat
            .split(" AND ")
            .flat_map(|part| part.split(" OR "))
            .all(|name| LICENCES.contains(&name));
    }
    flat.split(" OR ")
        .any(|part| part.split(" AND ").all(|name| LICENCES.contains(&name)))
}

#[cfg(test)]
mod tests {
    use super::is_permitted;

    #[test]
    fn one_permitted_alternative_is_enough_and_all_joint_licences_are_needed() {
        for (expression, expected) in [
            ("MIT", true),
            ("MIT OR Apache-2.0", true),
            ("MIT/Apache-2.0", true),
            ("GPL-3.0 OR MIT", true),
            ("GPL-3.0", false),
            ("MIT AND GPL-3.0", false),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("(MIT OR GPL-3.0) AND Unicode-3.0", false),
            ("Apache-2.0 WITH LLVM-exception OR MIT", true),
            ("no licence", false),
        ] {
            assert_eq!(is_permitted(expression), expected, "{expression}");
        }
    }
}
