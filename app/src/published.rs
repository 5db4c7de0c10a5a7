//! What other programs hold on to by name: the tools of every shipped toolset, and the values that move between them.
//!
//! A name in `published.txt` is part of the interface: threads, prompts and other toolsets have it written down. Whoever
//! renames one changes the table in the same commit, with a note in `changes/`.

use std::collections::BTreeSet;

use periplus_cli::{
    Purpose, Toolset,
    config::{Environment, Settings},
};

/// How an argument of an example names a published value.
const HANDLE: &str = "@state:";

fn shipped() -> Vec<Toolset> {
    let settings = Settings::load(Environment::default(), None, &[]).unwrap();
    let build = |entry: periplus_cli::Entry| (entry.build)(&settings, Purpose::Listing).unwrap();
    crate::toolsets().into_iter().map(build).collect()
}

/// `<toolset>/<tool>/<field>` of every published value.
fn keys(toolset: &Toolset) -> impl Iterator<Item = String> {
    let name = toolset.name();
    toolset
        .tools()
        .iter()
        .map(|tool| tool.declaration())
        .flat_map(move |tool| {
            tool.produces
                .iter()
                .map(move |field| format!("{name}/{}/{field}", tool.name))
        })
}

/// One line a tool, a published value, a parameter that takes only such values, a credential header, a view.
fn table(toolsets: &[Toolset]) -> String {
    let mut lines = Vec::new();
    for toolset in toolsets {
        let name = toolset.name();
        for tool in toolset.tools().iter().map(|tool| tool.declaration()) {
            lines.push(format!("tool       {name}/{}", tool.name));
            let takes = |parameter: &String| format!("takes      {name}/{} {parameter}", tool.name);
            lines.extend(tool.not_authored.iter().map(takes));
        }
        lines.extend(keys(toolset).map(|key| format!("publishes  {key}")));
        lines.extend(
            toolset
                .credential_headers()
                .iter()
                .map(|header| format!("header     {name} {header}")),
        );
        let views: BTreeSet<&str> = toolset.views().values().map(|view| view.id.as_str()).collect();
        lines.extend(views.iter().map(|view| format!("view       ui://{name}/{view}")));
    }
    lines.join("\n") + "\n"
}

#[test]
fn no_published_name_changes_unnoticed() {
    let table = table(&shipped());
    assert!(
        table == include_str!("published.txt"),
        "app/src/published.txt is not what the toolsets declare; if that is meant, make it:\n{table}"
    );
}

#[test]
fn every_handle_of_an_example_names_a_published_value() {
    let toolsets = shipped();
    let published: BTreeSet<String> = toolsets.iter().flat_map(keys).collect();
    for toolset in &toolsets {
        let examples = serde_json::to_string(toolset.examples()).unwrap();
        for handle in examples.split(HANDLE).skip(1) {
            let key = handle.split('"').next().unwrap_or_default();
            assert!(
                published.contains(key),
                "{}: no tool publishes `{key}`",
                toolset.name()
            );
        }
    }
}

#[test]
fn no_two_toolsets_claim_the_same_name() {
    let toolsets = shipped();
    let names: BTreeSet<&str> = toolsets.iter().map(Toolset::name).collect();
    assert_eq!(names.len(), toolsets.len());
    let keys: Vec<String> = toolsets.iter().flat_map(keys).collect();
    let distinct: BTreeSet<&String> = keys.iter().collect();
    assert_eq!(distinct.len(), keys.len());
}

#[test]
fn every_shipped_toolset_keeps_its_contract() {
    for toolset in shipped() {
        toolset
            .check()
            .unwrap_or_else(|problems| panic!("{}: {problems:?}", toolset.name()));
    }
}
