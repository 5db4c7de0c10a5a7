//! Shapes and lists of areas as documents.

use periplus_toolset::{Body, Toolset, Value};
use periplus_zeno_aoi::{Config, toolset};

use crate::{
    catalogues::{aoi, pick},
    database,
};

/// The document under a URI.
async fn read(toolset: &Toolset, uri: &str) -> Option<Value> {
    let mut templates = toolset.resource_templates().iter();
    let (template, variables) = templates.find_map(|template| Some((template, template.matches(uri)?)))?;
    let Body::Text(text) = template.read(uri, variables).await?.body else {
        return None;
    };
    Some(serde_json::from_str(&text).expect("a document is JSON"))
}

/// The ids of a list, in order.
async fn listed(toolset: &Toolset, uri: &str) -> Vec<String> {
    let list = read(toolset, uri).await.expect("the list is there");
    let areas = list["areas"].as_array().expect("a list has areas").iter();
    areas
        .map(|area| area["src_id"].as_str().expect("an area has an id").to_owned())
        .collect()
}

#[tokio::test]
async fn the_shape_of_an_area_is_a_document() {
    let answer = pick("loss in Fiji").await;
    let uri = answer["aoi_selection"]["aois"][0]["geometry_ref"]
        .as_str()
        .unwrap();
    assert_eq!(uri, "area://gadm/FJI");
    let toolset = aoi();
    let shape = read(&toolset, uri).await.expect("the document is there");
    assert_eq!(shape["name"], "Fiji");
    assert_eq!(shape["src_id"], "FJI");
    assert_eq!(shape["geometry"]["type"], "MultiPolygon");
    assert!(
        read(&toolset, "area://gadm/BRA.14_1").await.is_some(),
        "a revision mark does not matter"
    );
    for uri in ["area://gadm/NOPE", "area://custom/1", "area://gadm/%zz"] {
        assert!(read(&toolset, uri).await.is_none(), "{uri}");
    }
}

#[tokio::test]
async fn an_area_without_an_id_of_the_statistics_carries_its_shape_and_others_do_not() {
    let first = async |question: &str| pick(question).await["aoi_selection"]["aois"][0].clone();
    let district = first("loss in Abim, Uganda").await;
    assert_eq!(district["source"], "naturalearth");
    assert_eq!(district["geometry"]["type"], "MultiPolygon");
    let uri = district["geometry_ref"].as_str().unwrap();
    let document = read(&aoi(), uri).await.expect("the document is there");
    assert_eq!(document["geometry"], district["geometry"]);
    assert_eq!(first("loss in Fiji").await.get("geometry"), None);
}

#[tokio::test]
async fn the_outlines_of_all_countries_are_one_document() {
    let world = read(&aoi(), "area://gadm/WORLD")
        .await
        .expect("the document is there");
    assert_eq!(world["features"].as_array().map(Vec::len), Some(250));
}

#[tokio::test]
async fn areas_are_listed_by_page_and_by_likeness_in_both_catalogues() {
    let embedded = aoi();
    let first = listed(&embedded, "areas://search?source=gadm&limit=30").await;
    assert_eq!(first.len(), 30);
    let second = listed(&embedded, "areas://search?source=gadm&limit=20&offset=10").await;
    assert_eq!(first[10..], second, "pages follow one another");
    let like = listed(&embedded, "areas://search?name=Par%C3%A1,%20Brazil&limit=15").await;
    assert_eq!((like[0].as_str(), like.len()), ("BRA.14", 15));
    assert_eq!(listed(&embedded, "areas://search").await.len(), 50);
    for refused in [
        "areas://search?source=custom",
        "areas://search?limit=x",
        "areas://search?page=2",
    ] {
        assert_eq!(read(&embedded, refused).await, None, "{refused}");
    }
    if let Some(catalogue) = database::catalogue().await {
        let stored = toolset(Config {
            catalogue: Some(catalogue),
            ..Config::default()
        });
        assert_eq!(
            listed(&stored, "areas://search?source=gadm&limit=30").await,
            first
        );
        assert_eq!(
            listed(&stored, "areas://search?name=Par%C3%A1,%20Brazil&limit=15").await[..5],
            like[..5]
        );
    }
}
