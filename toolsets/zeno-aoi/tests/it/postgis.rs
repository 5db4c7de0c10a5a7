//! What only a database can do wrong.

use periplus_toolset::{json, testing::call};
use periplus_zeno_aoi::{
    Config, Place, Source, Subtype,
    catalogue::{AreaCatalogue, CatalogueError, Page, embedded::Embedded, postgis::PostGis},
    toolset,
};

use crate::database;

/// A database of the test's own with the tables that deployments hold.
async fn deployment(name: &str) -> Option<PostGis> {
    let address = database::made(name).await?;
    let client = database::connect(&address).await;
    client
        .batch_execute(TABLES)
        .await
        .expect("the tables can be made");
    Some(
        PostGis::new(&address.replacen("postgresql://", "postgresql+asyncpg://", 1))
            .expect("the address is one"),
    )
}

const TABLES: &str = "
    create extension if not exists postgis;
    create extension if not exists pg_trgm;
    create table geometries_gadm (gadm_id text, name text, subtype text, geometry geometry);
    create table geometries_wdpa (wdpa_pid text, name text, subtype text, geometry geometry);
    create table geometries_kba (sitrecid integer, name text, subtype text, geometry geometry);
    insert into geometries_gadm
    select id, name, subtype, ST_Multi(ST_MakeEnvelope(x, 0, x + w, 10, 4326)) from (values
        ('IND', 'India', 'country', 0, 10),
        ('IND.26_1', 'Odisha, India', 'state-province', 0, 4),
        ('IND.26.26_1', 'Puri, Odisha, India', 'district-county', 0, 2),
        ('IND.26.26.2_1', 'Puri, Puri, Odisha, India', 'municipality', 0, 1),
        ('IND.2_1', 'Assam, India', 'state-province', 4, 3),
        ('IND.260_1', 'Elsewhere, India', 'state-province', 8, 1),
        ('AGO', 'Angola', 'country', 20, 10),
        ('AGO.17_1', 'Uíge, Angola', 'state-province', 20, 5),
        ('AGO.17.11_1', 'Puri, Uíge, Angola', 'district-county', 20, 2),
        ('Z01.1_1', 'Odisha, Disputed', 'state-province', 50, 1),
        ('BRA.14_1', 'Pará, Brazil', 'state-province', 60, 1),
        ('BRA.16_1', 'Paraná, Brazil', 'state-province', 61, 1),
        ('PRT.12_1', 'Lisboa, Portugal', 'state-province', 70, 1)
    ) as rows (id, name, subtype, x, w);
    insert into geometries_gadm values (null, null, 'country', null);
    insert into geometries_gadm select 'FJI', 'Fiji', 'country', ST_Collect(array[
        ST_MakeEnvelope(177, -19, 180, -16, 4326), ST_MakeEnvelope(-180, -18, -178, -17, 4326)]);
    insert into geometries_wdpa values
        ('555592663', 'Cobaipo, Protected Area, BOL', 'protected-area', ST_MakeEnvelope(1, 1, 3, 3, 4326)),
        ('7', 'Beside, National Park, IND', 'protected-area', ST_MakeEnvelope(4, 0, 5, 5, 4326));
    insert into geometries_kba values
        (15060, 'Mount Hakusan, Hakusan, JPN', 'key-biodiversity-area', ST_MakeEnvelope(1, 1, 2, 2, 4326))";

async fn found(catalogue: &PostGis, name: &str) -> Vec<(String, f64)> {
    let candidates = catalogue
        .search(&Place::parse(name), &[], Page::CANDIDATES)
        .await
        .expect("the database answers");
    candidates
        .into_iter()
        .map(|candidate| (candidate.area.id, candidate.similarity))
        .collect()
}

#[tokio::test]
async fn the_tables_of_a_deployment_are_searched_as_they_are() {
    let Some(catalogue) = deployment("searched").await else {
        return;
    };
    assert_eq!(
        catalogue.sources().await.unwrap(),
        [Source::Gadm, Source::Kba, Source::Wdpa]
    );
    let puri = found(&catalogue, "Puri").await;
    assert_eq!(puri.len(), 3, "{puri:?}");
    assert_eq!(
        found(&catalogue, "Para, Brazil").await[0].0,
        "BRA.14_1",
        "accents do not count"
    );
    assert_eq!(
        found(&catalogue, "Lisbon").await[0].0,
        "PRT.12_1",
        "names in other languages are known"
    );
    assert_eq!(found(&catalogue, "Mount Hakusan").await[0].0, "15060");
    assert!(
        found(&catalogue, "Odisha")
            .await
            .iter()
            .all(|(id, _)| !id.starts_with("Z01"))
    );
}

#[tokio::test]
async fn units_are_found_by_the_prefix_of_their_id_and_by_their_shape() {
    let Some(catalogue) = deployment("units").await else {
        return;
    };
    let area = async |source, id| catalogue.shape(source, id).await.unwrap().expect("it is there").0;
    let names = async |parent, subtype| -> Vec<String> {
        let units = catalogue.within(&parent, subtype).await.unwrap();
        units.into_iter().map(|area| area.id).collect()
    };
    let india = area(Source::Gadm, "IND").await;
    assert_eq!(
        names(india.clone(), Subtype::StateProvince).await,
        ["IND.2_1", "IND.260_1", "IND.26_1"]
    );
    let odisha = area(Source::Gadm, "IND.26_1").await;
    assert_eq!(
        names(odisha.clone(), Subtype::DistrictCounty).await,
        ["IND.26.26_1"],
        "the dot after the prefix matters"
    );
    // The park beside only touches it.
    assert_eq!(names(odisha, Subtype::ProtectedArea).await, ["555592663"]);
    let site = area(Source::Kba, "15060").await;
    assert_eq!(
        names(site, Subtype::StateProvince).await,
        ["IND.26_1"],
        "units of a site are those it overlaps, not all"
    );
}

#[tokio::test]
async fn a_protected_area_is_picked_by_its_kind() {
    let Some(catalogue) = deployment("picked").await else {
        return;
    };
    let toolset = toolset(Config {
        catalogue: Some(std::sync::Arc::new(catalogue)),
        ..Config::default()
    });
    let pick = async |question: &str| {
        let output = call(&toolset, "pick_aoi", json!({ "question": question })).await;
        output.unwrap().structured
    };
    let answer = pick("show me tree cover loss in Cobaipo protected area in Bolivia").await;
    assert_eq!(
        answer["aoi_selection"]["aois"][0]["src_id"], "555592663",
        "{answer}"
    );
    let answer = pick("Measure deforestation in Puri").await;
    assert_eq!(answer["aoi_candidates"].as_array().unwrap().len(), 3, "{answer}");
    let answer = pick("Puri, Odisha, India - (district-county) [IND]").await;
    assert_eq!(
        answer["aoi_selection"]["aois"][0]["src_id"], "IND.26.26_1",
        "{answer}"
    );
    let answer = pick("loss in Fiji").await;
    let bbox = &answer["aoi_selection"]["aois"][0]["bbox"];
    assert_eq!(bbox, &json!([177.0, -19.0, -178.0, -16.0]));
}

#[tokio::test]
async fn nothing_can_be_written_through_a_lookup() {
    let Some(catalogue) = deployment("read_only").await else {
        return;
    };
    let hostile = "'; drop table geometries_gadm; --";
    assert!(found(&catalogue, hostile).await.is_empty());
    assert!(catalogue.shape(Source::Gadm, hostile).await.unwrap().is_none());
    assert_eq!(found(&catalogue, "India").await[0].0, "IND");
}

#[tokio::test]
async fn areas_are_not_loaded_beside_a_table_that_would_be_read_instead() {
    let Some(catalogue) = deployment("beside").await else {
        return;
    };
    for replace in [false, true] {
        let refused = catalogue.load(&Embedded::shipped(), replace).await;
        assert!(
            matches!(refused, Err(CatalogueError::TableExists(_))),
            "{refused:?}"
        );
    }
    assert_eq!(found(&catalogue, "India").await[0].0, "IND");
}

/// The table that newer deployments have, with an area of each kind that must not be found, and one of another source.
const UNIFIED: &str = "
    create extension if not exists postgis;
    create extension if not exists pg_trgm;
    create table aois (id uuid primary key, source text, source_id text, name text, subtype text,
        geometry geometry(MultiPolygon, 4326), bbox float[], area_km2 float, iso3 text[], admin_level smallint,
        is_disputed bool default false, is_deprecated bool default false, created_by text, properties jsonb default '{}',
        created_at timestamptz, updated_at timestamptz);
    insert into aois (id, source, source_id, name, subtype, geometry, area_km2, iso3, is_disputed, is_deprecated, properties)
    select gen_random_uuid(), source, id, name, subtype, ST_Multi(ST_MakeEnvelope(x, 0, x + 1, 1, 4326)), 12.5, iso3,
        is_disputed, is_deprecated, properties::jsonb
    from (values
        ('wdpa', '1', 'Kora, National Park, Kenya', 'protected-area', 1, array['KEN'], false, false, '{\"kind\": \"National Park\"}'),
        ('wdpa', '2', 'Kora, Old Reserve, Kenya', 'protected-area', 2, array['KEN'], false, true, '{}'),
        ('wdpa', '3', 'Kora, Claimed Reserve, Kenya', 'protected-area', 3, array['KEN'], true, false, '{}')
    ) as rows (source, id, name, subtype, x, iso3, is_disputed, is_deprecated, properties)";

#[tokio::test]
async fn one_table_for_all_sources_is_read_without_what_is_disputed_or_outdated() {
    let Some(address) = database::made("unified").await else {
        return;
    };
    let client = database::connect(&address).await;
    client
        .batch_execute(UNIFIED)
        .await
        .expect("the table can be made");
    let catalogue = PostGis::new(&address).unwrap();
    assert_eq!(catalogue.sources().await.unwrap(), [Source::Wdpa]);
    let candidates = catalogue
        .search(&Place::parse("Kora, Kenya"), &[], Page::CANDIDATES)
        .await
        .unwrap();
    let [candidate] = candidates.as_slice() else {
        panic!("one of the three is in force: {candidates:?}");
    };
    let area = &candidate.area;
    assert_eq!(area.iso3.as_deref(), Some("KEN"));
    assert_eq!(area.kind.as_deref(), Some("National Park"));
    assert_eq!(area.area_km2, Some(12.5));
}

#[tokio::test]
async fn areas_that_are_there_are_replaced_only_if_that_is_said_and_those_of_other_sources_stay() {
    let Some(address) = database::made("replaced").await else {
        return;
    };
    let client = database::connect(&address).await;
    client
        .batch_execute(UNIFIED)
        .await
        .expect("the table can be made");
    let areas = Embedded::shipped();
    let load = async |replace| PostGis::new(&address).unwrap().load(&areas, replace).await;
    let first = load(false).await.expect("there are none of them yet");
    assert_eq!(first.gadm + first.natural_earth, areas.areas().count());
    let refused = load(false).await;
    assert!(
        matches!(refused, Err(CatalogueError::AreasExist(_))),
        "{refused:?}"
    );
    assert_eq!(load(true).await.expect("they are replaced"), first);
    let catalogue = PostGis::new(&address).unwrap();
    assert_eq!(
        catalogue.sources().await.unwrap(),
        [Source::Gadm, Source::Wdpa, Source::NaturalEarth]
    );
    assert_eq!(found(&catalogue, "Kora, Kenya").await[0].0, "1");
    assert_eq!(found(&catalogue, "Peru").await[0].0, "PER");
}

#[tokio::test]
async fn a_database_that_is_away_is_said_to_be_away() {
    let catalogue = PostGis::new("postgresql://nobody@127.0.0.1:1/none?sslmode=disable").unwrap();
    let toolset = toolset(Config {
        catalogue: Some(std::sync::Arc::new(catalogue)),
        ..Config::default()
    });
    let output = call(&toolset, "pick_aoi", json!({ "question": "loss in Peru" })).await;
    let answer = output.unwrap().structured;
    assert_eq!(answer["error"], "catalogue_unavailable");
    assert!(!answer.to_string().contains("127.0.0.1"), "{answer}");
}
