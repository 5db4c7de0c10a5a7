use periplus_toolset::contract;
use periplus_zeno_aoi::{Config, toolset};

#[test]
fn the_contract_holds() {
    contract::sweep(&toolset(Config::default()));
}

/// Other toolsets ask for these keys by name: a rename breaks them.
#[test]
fn the_published_keys_keep_their_names() {
    let toolset = toolset(Config::default());
    assert_eq!(toolset.name(), "zeno-aoi");
    let tool = toolset.find("pick_aoi").expect("the tool keeps its name");
    let mut produces: Vec<String> = tool
        .declaration()
        .produces
        .iter()
        .map(ToString::to_string)
        .collect();
    produces.sort();
    assert_eq!(produces, ["aoi_candidates", "aoi_selection"]);
}
