use periplus_toolset::{Toolset, contract};
use periplus_zeno_analysis::{Config, toolset};

fn shipped() -> Toolset {
    toolset(Config::default()).unwrap()
}

#[test]
fn the_contract_holds() {
    contract::sweep(&shipped());
}

#[test]
fn keys_are_published_and_records_are_taken_as_handles_only() {
    let toolset = shipped();
    let declaration = |tool: &str| toolset.find(tool).unwrap().declaration().clone();
    assert_eq!(
        declaration("pick_dataset").produces,
        ["dataset", "dataset_candidates"]
    );
    assert_eq!(declaration("pick_dataset").not_authored, ["aoi_selection"]);
    assert_eq!(declaration("pull_data").produces, ["statistics"]);
    assert_eq!(
        declaration("pull_data").not_authored,
        ["dataset", "aoi_selection"]
    );
    assert_eq!(declaration("generate_insight").produces, ["charts", "insight"]);
    assert_eq!(
        declaration("generate_insight").not_authored,
        ["statistics", "dataset"]
    );
    assert_eq!(toolset.name(), "zeno-analysis");
}

#[test]
fn the_text_of_the_tool_says_that_the_area_may_be_left_out() {
    let toolset = shipped();
    let description = &toolset.find("pick_dataset").unwrap().declaration().description;
    assert!(description.contains("may be left out"), "{description}");
}

#[test]
fn change_over_time_is_explained_where_it_is_asked_for() {
    let toolset = shipped();
    let schema = toolset
        .find("pull_data")
        .unwrap()
        .declaration()
        .input_schema
        .clone();
    let parameter = &schema["properties"]["change_over_time_query"];
    assert_eq!(parameter["default"], false);
    assert!(
        parameter["description"]
            .as_str()
            .unwrap()
            .contains("conversion, transition, gain or loss")
    );
}
