use periplus_stac_explorer::{Config, toolset};
use periplus_toolset::contract;

#[test]
fn the_contract_holds() {
    contract::sweep(&toolset(Config::default()));
}

#[test]
fn collections_a_collection_and_its_tiles_are_published() {
    let toolset = toolset(Config::default());
    let produces = |tool: &str| toolset.find(tool).unwrap().declaration().produces.clone();
    assert_eq!(produces("search_collections"), ["collections"]);
    assert_eq!(produces("show_map"), ["collection", "tile_url"]);
    assert!(toolset.credential_headers().is_empty());
    for tool in toolset.tools() {
        let annotations = &tool.declaration().annotations;
        assert_eq!(annotations.read_only, Some(true));
        assert_eq!(annotations.open_world, Some(true));
    }
}

#[test]
fn the_views_may_load_images_of_the_configured_hosts_and_nothing_else() {
    let toolset = toolset(Config {
        root: Some("https://stac.example.org:8443/v1".parse().unwrap()),
        tiler: Some("https://tiles.example.org/data/v1".parse().unwrap()),
        ..Config::default()
    });
    let thumbnails = "https://ai4edatasetspublicassets.blob.core.windows.net";
    let (stac, tiles) = ("https://stac.example.org:8443", "https://tiles.example.org");
    for (tool, id, origins) in [
        (
            "search_collections",
            "collection-picker",
            vec![thumbnails, stac, tiles],
        ),
        (
            "show_map",
            "map",
            vec![thumbnails, stac, "https://tile.openstreetmap.org", tiles],
        ),
    ] {
        let view = toolset.view_of(tool).unwrap();
        assert_eq!(view.id, id);
        assert_eq!(view.security.resource_domains, origins);
        assert!(view.security.connect_domains.is_empty());
    }
}
