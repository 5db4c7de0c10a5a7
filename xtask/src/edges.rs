//! Which crate may depend on which: the table, and the check that the workspace follows it.
//!
//! A new edge is a change of its own, here and in ARCHITECTURE.md.

use anyhow::{Context, Result, ensure};

use crate::{
    metadata::{Metadata, Package},
    shell,
};

/// One row: a crate, the crates of ours it may depend on, those its tests may add, and what it must not name.
struct Row {
    package: &'static str,
    may: &'static [&'static str],
    tests_may: &'static [&'static str],
    never: &'static [&'static str],
}

const fn row(package: &'static str, may: &'static [&'static str]) -> Row {
    Row {
        package,
        may,
        tests_may: &[],
        never: &[],
    }
}

impl Row {
    const fn tests(mut self, tests_may: &'static [&'static str]) -> Self {
        self.tests_may = tests_may;
        self
    }

    const fn never(mut self, never: &'static [&'static str]) -> Self {
        self.never = never;
        self
    }
}

/// The package that ships toolsets, and may name every one of them.
const BINARY: &str = "periplus";

/// Everything that serves or fetches.
const NETWORK: &[&str] = &["axum", "hyper", "reqwest", "rmcp", "tokio"];

const ROWS: &[Row] = &[
    row("periplus-toolset-macros", &[])
        .tests(&["periplus-toolset"])
        .never(NETWORK),
    row("periplus-toolset", &["periplus-toolset-macros"]).never(&["axum", "hyper", "reqwest", "rmcp"]),
    row("periplus-state", &[]).never(NETWORK),
    row("periplus-llm", &["periplus-fetch"]).never(&["axum", "rmcp"]),
    row(
        "periplus-agent",
        &[
            "periplus-llm",
            "periplus-postgres",
            "periplus-runtime",
            "periplus-state",
        ],
    )
    .tests(&[
        "periplus-fixtures",
        "periplus-toolset",
        "periplus-hello",
        "periplus-met",
        "periplus-collection-import",
    ])
    .never(&["axum", "rmcp"]),
    row(
        "periplus-agent-api",
        &[
            "periplus-agent",
            "periplus-llm",
            "periplus-runtime",
            "periplus-state",
        ],
    )
    .tests(&["periplus-fixtures"])
    .never(&["rmcp"]),
    row("periplus-analytics-standin", &[]).never(&["hyper", "reqwest", "rmcp"]),
    row("periplus-chart", &[]).never(NETWORK),
    row("periplus-fetch", &[]).never(&["axum", "rmcp"]),
    row("periplus-fixtures", &["periplus-runtime", "periplus-toolset"]).never(&["axum", "rmcp"]),
    row("periplus-eval", &["periplus-toolset"])
        .tests(&["periplus-llm", "periplus-zeno-analysis", "periplus-zeno-aoi"])
        .never(&["axum", "hyper", "reqwest", "rmcp"]),
    row("periplus-postgres", &[]).never(&["axum", "hyper", "reqwest", "rmcp"]),
    row("periplus-interpreter", &[]).never(&["axum", "hyper", "reqwest", "rmcp"]),
    row("periplus-collection", &[])
        .tests(&["periplus-collection-import"])
        .never(NETWORK),
    row("periplus-collection-import", &["periplus-collection"]).never(NETWORK),
    row("periplus-runtime", &["periplus-fetch", "periplus-toolset"]),
    row(
        "periplus-cli",
        &[
            "periplus-agent",
            "periplus-agent-api",
            "periplus-analytics-standin",
            "periplus-chart",
            "periplus-eval",
            "periplus-llm",
            "periplus-state",
            "periplus-collection",
            "periplus-collection-import",
            "periplus-runtime",
            "periplus-toolset",
        ],
    )
    .never(&["rmcp", "axum"]),
    row("periplus-hello", &["periplus-toolset"]).never(NETWORK),
    row("periplus-credential-demo", &["periplus-toolset"]).never(NETWORK),
    row("periplus-met", &["periplus-toolset", "periplus-collection"])
        .tests(&["periplus-collection-import"])
        .never(&["axum", "hyper", "reqwest", "rmcp"]),
    row("periplus-stac-explorer", &["periplus-fetch", "periplus-toolset"]).never(&["axum", "hyper", "rmcp"]),
    row("periplus-conformance", &["periplus-toolset"]).never(&["axum", "hyper", "reqwest", "rmcp"]),
    row(
        "periplus-zeno-aoi",
        &["periplus-toolset", "periplus-llm", "periplus-postgres"],
    )
    .never(&["axum", "hyper", "rmcp"]),
    row(
        "periplus-zeno-analysis",
        &[
            "periplus-toolset",
            "periplus-llm",
            "periplus-chart",
            "periplus-fetch",
            "periplus-interpreter",
            "periplus-analytics-standin",
        ],
    )
    .never(&["axum", "hyper", "rmcp", "tokio-postgres"]),
    row(
        "periplus",
        &[
            "periplus-cli",
            "periplus-conformance",
            "periplus-interpreter",
            "periplus-zeno-aoi",
            "periplus-zeno-analysis",
            "periplus-hello",
            "periplus-credential-demo",
            "periplus-met",
            "periplus-stac-explorer",
        ],
    ),
    row("e2e", &[]).never(&["rmcp"]),
    row(
        "bench",
        &[
            "periplus-agent",
            "periplus-interpreter",
            "periplus-llm",
            "periplus-runtime",
            "periplus-toolset",
            "periplus-collection",
            "periplus-collection-import",
            "periplus-zeno-analysis",
            "periplus-zeno-aoi",
        ],
    ),
    row("xtask", &[]).never(NETWORK),
];

/// What a toolset without a row of its own may do, as one that was just made.
const TOOLSET: Row = row("a toolset", &["periplus-toolset"]).never(&["axum", "hyper", "rmcp"]);

/// Crates that only one member may name, because their types change often or they are heavy.
const CONFINED: &[(&str, &str)] = &[
    ("rmcp", "periplus-runtime"),
    ("parquet", "periplus-collection-import"),
    ("monty", "periplus-interpreter"),
];

/// Checks the edges, and that ARCHITECTURE.md names every member.
pub(crate) fn check() -> Result<()> {
    let metadata = Metadata::read()?;
    let members: Vec<&str> = metadata.members().map(|package| package.name.as_str()).collect();
    let is_toolset = |package: &&Package| metadata.folder(package).starts_with("toolsets/");
    let toolsets: Vec<&str> = metadata
        .members()
        .filter(is_toolset)
        .map(|package| package.name.as_str())
        .collect();
    let mut problems: Vec<String> = metadata
        .members()
        .flat_map(|package| problems_of(package, &members, &toolsets))
        .collect();
    let path = shell::root().join("ARCHITECTURE.md");
    let map = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    for package in metadata.members() {
        let folder = metadata.folder(package);
        let is_new = toolsets.contains(&package.name.as_str()) && row_of(package).is_none();
        if !is_new && !map.contains(&format!("`{folder}`")) {
            problems.push(format!("ARCHITECTURE.md does not name `{folder}`"));
        }
    }
    ensure!(problems.is_empty(), "{}", problems.join("\n"));
    println!("{} crates follow the table of edges", members.len());
    Ok(())
}

fn row_of(package: &Package) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.package == package.name)
}

fn problems_of(package: &Package, members: &[&str], toolsets: &[&str]) -> Vec<String> {
    let is_toolset = toolsets.contains(&package.name.as_str());
    let Some(row) = row_of(package).or(is_toolset.then_some(&TOOLSET)) else {
        return vec![format!(
            "{} has no row in the table of edges (xtask/src/edges.rs)",
            package.name
        )];
    };
    let mut problems = Vec::new();
    for dependency in &package.dependencies {
        let name = dependency.name.as_str();
        let is_test = dependency.kind.as_deref() == Some("dev");
        let is_allowed = row.may.contains(&name)
            || (is_test && row.tests_may.contains(&name))
            || (package.name == BINARY && toolsets.contains(&name));
        if members.contains(&name) && name != package.name && !is_allowed {
            let may = if row.may.is_empty() {
                "nothing of ours".to_owned()
            } else {
                row.may.join(", ")
            };
            problems.push(format!(
                "{} depends on {name}; it may depend on {may}",
                package.name
            ));
        }
        if !is_test && row.never.contains(&name) {
            problems.push(format!("{} names {name}, which it must not", package.name));
        }
        let owner = CONFINED
            .iter()
            .find(|(confined, _)| *confined == name)
            .map(|(_, owner)| *owner);
        if let Some(owner) = owner.filter(|owner| *owner != package.name && !is_test) {
            problems.push(format!(
                "{} names {name}, which is confined to {owner}",
                package.name
            ));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, dependencies: &[(&str, Option<&str>)]) -> Package {
        let dependencies: Vec<_> = dependencies
            .iter()
            .map(|(name, kind)| serde_json::json!({ "name": name, "kind": kind }))
            .collect();
        serde_json::from_value(serde_json::json!({
            "id": name, "name": name, "version": "0.1.0", "license": null,
            "dependencies": dependencies, "manifest_path": "Cargo.toml",
        }))
        .unwrap()
    }

    const MEMBERS: &[&str] = &[
        "periplus-toolset",
        "periplus-runtime",
        "periplus-collection",
        "periplus-met",
    ];

    const TOOLSETS: &[&str] = &["periplus-met", "periplus-new"];

    #[test]
    fn an_edge_that_is_not_in_the_table_is_named() {
        let problems = problems_of(
            &package("periplus-collection", &[("periplus-toolset", None)]),
            MEMBERS,
            TOOLSETS,
        );
        assert_eq!(
            problems,
            ["periplus-collection depends on periplus-toolset; it may depend on nothing of ours"]
        );
    }

    #[test]
    fn a_confined_and_a_forbidden_crate_are_named() {
        let problems = problems_of(&package("periplus-met", &[("rmcp", None)]), MEMBERS, TOOLSETS);
        assert_eq!(problems.len(), 2, "{problems:?}");
    }

    #[test]
    fn an_edge_of_tests_is_allowed_in_tests_only() {
        let edge = "periplus-collection-import";
        let members: Vec<&str> = MEMBERS.iter().copied().chain([edge]).collect();
        assert!(
            problems_of(
                &package("periplus-met", &[(edge, Some("dev"))]),
                &members,
                TOOLSETS
            )
            .is_empty()
        );
        assert_eq!(
            problems_of(&package("periplus-met", &[(edge, None)]), &members, TOOLSETS).len(),
            1
        );
    }

    #[test]
    fn a_new_member_needs_a_row() {
        assert_eq!(problems_of(&package("surprise", &[]), MEMBERS, TOOLSETS).len(), 1);
    }

    #[test]
    fn a_new_toolset_needs_no_row_and_may_depend_on_the_authoring_crate_alone() {
        let problems = |package| problems_of(&package, MEMBERS, TOOLSETS);
        assert!(problems(package("periplus-new", &[("periplus-toolset", None)])).is_empty());
        assert_eq!(
            problems(package("periplus-new", &[("periplus-runtime", None)])).len(),
            1
        );
        assert!(problems(package("periplus", &[("periplus-new", None)])).is_empty());
    }
}
