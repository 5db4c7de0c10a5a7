//! The declarations, as every toolset's.

use periplus_met::{Config, Source};
use periplus_toolset::contract;

#[test]
fn the_contract_holds() {
    contract::sweep(&periplus_met::toolset(Config::new(Source::Directory(
        super::support::snapshot(),
    ))));
}

#[test]
fn every_tool_only_reads_and_names_the_arguments_of_the_contract() {
    let toolset = periplus_met::toolset(Config::new(Source::Directory(super::support::snapshot())));
    let expected: [(&str, &[&str]); 6] = [
        ("collection_capabilities", &[]),
        (
            "collection_facets",
            &["field", "selection", "prefix", "pageSize", "cursor"],
        ),
        (
            "collection_select",
            &["predicate", "policies", "pageSize", "cursor"],
        ),
        (
            "collection_rank",
            &[
                "selection",
                "anchor",
                "axis",
                "method",
                "pageSize",
                "cursor",
                "maxCandidates",
                "includeAnchor",
                "includeUnscored",
            ],
        ),
        ("collection_objects", &["objectIds"]),
        ("collection_evidence", &["evidenceIds"]),
    ];
    let declared: Vec<_> = toolset.tools().iter().map(|tool| tool.declaration()).collect();
    assert_eq!(declared.len(), expected.len());
    for (declaration, (name, arguments)) in declared.iter().zip(expected) {
        assert_eq!(declaration.name, name);
        let properties = declaration
            .input_schema
            .get("properties")
            .and_then(|p| p.as_object());
        let names: Vec<&str> = properties
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(names, arguments);
        assert_eq!(declaration.annotations.read_only, Some(true));
        assert_eq!(declaration.annotations.open_world, Some(false));
        for key in ["contract", "datasetMode", "snapshot", "queryVersion"] {
            assert!(
                declaration.produces.iter().any(|produced| produced == key),
                "{name} lacks {key}"
            );
        }
    }
}
