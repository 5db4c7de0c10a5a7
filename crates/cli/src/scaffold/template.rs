//! The files of a new toolset and of a new workspace.

use std::path::PathBuf;

use super::{Name, Source, list::END};

/// A file by its path below the folder that is made.
type File = (PathBuf, String);

/// What a toolset's manifest takes from its workspace, where the workspace has it.
const INHERITED: [&str; 5] = ["version", "edition", "rust-version", "license", "publish"];

/// The compiler that Periplus is built with.
const TOOLCHAIN: &str = include_str!("../../../../rust-toolchain.toml");

/// The files of a toolset.
pub(super) fn toolset(name: &Name, package: &str, inherited: &[String], with_view: bool) -> Vec<File> {
    let fill = |template: &str| {
        let (row, argument) = if with_view {
            (
                "| `example` | `name` (`world` unless given) | `message`, `name` |",
                "name=Ada",
            )
        } else {
            ("| `example` | `query` | `message` |", "query=hello")
        };
        template
            .replace("__NAME__", name.as_str())
            .replace("__TITLE__", &name.title())
            .replace("__CRATE__", &crate_name(package))
            .replace("__TOOL_ROW__", row)
            .replace("__EXAMPLE_ARGUMENT__", argument)
    };
    let (lib, example) = if with_view {
        (
            include_str!("template/toolset/lib_with_view.rs"),
            include_str!("template/toolset/example_with_view.rs"),
        )
    } else {
        (
            include_str!("template/toolset/lib.rs"),
            include_str!("template/toolset/example.rs"),
        )
    };
    let mut files = vec![
        ("Cargo.toml".into(), manifest(name, package, inherited)),
        (
            "README.md".into(),
            fill(include_str!("template/toolset/README.md")),
        ),
        (
            "toolset.yaml".into(),
            fill(include_str!("template/toolset/toolset.yaml")),
        ),
        ("src/lib.rs".into(), fill(lib)),
        (
            "src/tools/mod.rs".into(),
            fill(include_str!("template/toolset/tools.rs")),
        ),
        ("src/tools/example.rs".into(), fill(example)),
        (
            "tests/contract.rs".into(),
            fill(include_str!("template/toolset/contract.rs")),
        ),
    ];
    if with_view {
        let panel = fill(include_str!("template/toolset/panel.html"));
        files.push(("src/views/panel.html".into(), panel));
    }
    files
}

/// The files of a workspace, without its toolsets.
pub(super) fn workspace(app: &str, source: &Source) -> Vec<File> {
    let fill = |template: &str| {
        template
            .replace("__APP__", app)
            .replace("__RUST_VERSION__", env!("CARGO_PKG_RUST_VERSION"))
            .replace("__CLI_SOURCE__", &source.dependency("crates/cli"))
            .replace("__TOOLSET_SOURCE__", &source.dependency("crates/toolset"))
    };
    let mut files = vec![
        (
            "Cargo.toml".into(),
            fill(include_str!("template/workspace/workspace.toml")),
        ),
        (
            "README.md".into(),
            fill(include_str!("template/workspace/README.md")),
        ),
        (
            ".gitignore".into(),
            include_str!("template/workspace/gitignore").to_owned(),
        ),
        ("rust-toolchain.toml".into(), TOOLCHAIN.to_owned()),
        (
            "app/Cargo.toml".into(),
            fill(include_str!("template/workspace/app.toml")),
        ),
        (
            "app/src/main.rs".into(),
            include_str!("template/workspace/main.rs").to_owned(),
        ),
    ];
    files.extend(source.lock().map(|lock| ("Cargo.lock".into(), lock)));
    files
}

/// The lines that the three lists get: the dependencies of the workspace, those of the binary, the binary's toolsets.
pub(super) fn listed(name: &Name, package: &str) -> [String; 3] {
    let entry = format!(
        "Entry {{\n    name: \"{name}\",\n    summary: \"{}\",\n    build: |_settings, _purpose| Ok({}::toolset()),\n}},",
        name.title(),
        crate_name(package)
    );
    [
        format!("{package} = {{ path = \"toolsets/{name}\" }}"),
        format!("{package}.workspace = true"),
        entry,
    ]
}

/// The comment that a list must end with, for a message.
pub(super) fn end_of_list(is_program: bool) -> String {
    format!("{} {END}", if is_program { "//" } else { "#" })
}

fn manifest(name: &Name, package: &str, inherited: &[String]) -> String {
    let mut text = format!("[package]\nname = \"{package}\"\n");
    for key in INHERITED {
        if inherited.iter().any(|inherited| inherited == key) {
            text += &format!("{key}.workspace = true\n");
        }
    }
    text + &format!(
        "description = \"The toolset {name}.\"\n\n[lints]\nworkspace = true\n\n\
         [dependencies]\nperiplus-toolset.workspace = true\n\n[dev-dependencies]\ntokio.workspace = true\n"
    )
}

fn crate_name(package: &str) -> String {
    package.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_placeholder_is_left_in_any_file() {
        let name = Name::parse("land-cover").unwrap();
        let source = Source::Git("https://git.example.org/x".to_owned());
        let inherited: Vec<String> = INHERITED.iter().map(|key| (*key).to_owned()).collect();
        let files = [
            toolset(&name, "acme-land-cover", &inherited, false),
            toolset(&name, "acme-land-cover", &inherited, true),
            workspace("acme", &source),
        ];
        for (path, text) in files.concat() {
            let is_open = |word: &str| word.starts_with("__") && word.ends_with("__") && word.len() > 4;
            let left = text
                .split(|c: char| !c.is_ascii_uppercase() && c != '_')
                .find(|word| is_open(word));
            assert_eq!(left, None, "{}", path.display());
            assert!(
                text.ends_with('\n') && !text.contains("\n\n\n"),
                "{}",
                path.display()
            );
        }
    }
}
