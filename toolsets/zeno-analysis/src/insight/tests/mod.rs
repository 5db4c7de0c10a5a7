//! Generators, texts and messages over small tables.

use periplus_toolset::Value;
use serde_json::json;

use super::*;
use crate::{
    analytics::Table,
    catalogue::{Catalogue, Endpoint},
};

/// A table as the service would send it; areas are called by their ids.
pub(crate) fn frame(columns: Value) -> Frame {
    let record = record(json!({}));
    Frame::new(&[(&record, &table(columns))])
}

mod charts;
mod message;
mod subjects;

fn table(columns: Value) -> Table {
    Table::parse(Endpoint::TreeCoverLoss, &columns).unwrap()
}

fn record(more: Value) -> Statistics {
    let mut record = json!({
        "dataset_name": "Tree cover loss", "dataset_id": 4, "start_date": "2015-01-01", "end_date": "2022-12-31",
        "source_url": "http://127.0.0.1/x", "provenance": { "served_by": "test", "sources": [], "canopy_cover": 30 },
    });
    record
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    serde_json::from_value(record).unwrap()
}

async fn ask(dataset_id: u32, query: &str, columns: Value, names: Value) -> Answer {
    ask_of(
        dataset_id,
        query,
        columns,
        json!({ "aoi_id_to_name": names, "dataset_id": dataset_id }),
    )
    .await
    .unwrap()
}

async fn ask_of(dataset_id: u32, query: &str, columns: Value, more: Value) -> Result<Answer, String> {
    let catalogue = Catalogue::load(&[]).unwrap();
    let records = [record(more)];
    let frame = Frame::new(&[(&records[0], &table(columns))]);
    let question = Question {
        text: query,
        language: "en",
        dataset: catalogue.find(dataset_id).unwrap(),
        records: &records,
        frame: &frame,
    };
    let helpers = Helpers {
        writer: None,
        coders: &[],
        interpreter: None,
        cancel: CancellationToken::new(),
    };
    answer(question, helpers).await
}

async fn found(dataset_id: u32, query: &str, columns: Value, names: Value) -> Found {
    match ask(dataset_id, query, columns, names).await {
        Answer::Found(found) => *found,
        Answer::Refused(reason) => panic!("refused: {reason}"),
    }
}

fn column<'a>(chart: &'a Chart, name: &str) -> Vec<&'a Value> {
    chart.data.iter().map(|row| &row[name]).collect()
}

fn losses() -> Value {
    json!({
        "aoi_id": ["BRA.14", "BRA.14", "BRA.14", "BRA.14"],
        "aoi_type": "admin",
        "tree_cover_loss_year": [2017, 2015, 2018, 2016],
        "area_ha": [20.5, 10.25, 0.0, 40.0],
        "carbon_emissions_MgCO2e": [200.0, 100.0, null, 400.0],
        "__dtypes__": {},
    })
}

/// One small table for every dataset, in the shapes of the service.
fn every_dataset() -> Vec<(u32, Value)> {
    vec![
        (
            0,
            json!({ "aoi_id": ["A", "A", "A"], "country": ["A", "A", "A"], "driver": ["Wildfire", "Flooding", "Wildfire"],
            "dist_alert_date": ["2024-01-03", "2024-02-01", "2024-02-03"], "dist_alert_confidence": ["high", "low", "high"], "area_ha": [1.5, 2.5, 3.0] }),
        ),
        (
            1,
            json!({ "aoi_id": ["A", "A", "A"], "aoi_type": ["admin", "admin", "admin"], "land_cover_class": ["Cropland", "Tree cover", "Cultivated grasslands"],
            "area_ha": [10.0, 0.0, 5.0] }),
        ),
        (
            2,
            json!({ "year": [2001, 2000], "area_ha": [110.0, 100.0], "aoi_id": ["A", "A"], "aoi_type": "admin" }),
        ),
        (
            3,
            json!({ "aoi_id": ["A", "A", "A"], "natural_lands_class": ["Mangroves", "Cropland", "Natural forests"], "area_ha": [3.0, 6.0, 1.0] }),
        ),
        (4, losses()),
        (
            5,
            json!({ "aoi_id": ["A", "A"], "tree_cover_gain_period": ["2005-2010", "2000-2005"], "area_ha": [4.0, 6.0] }),
        ),
        (
            6,
            json!({ "aoi_id": ["A"], "carbon_net_flux_Mg_CO2e": [-50.0], "carbon_gross_emissions_Mg_CO2e": [100.0], "carbon_gross_removals_Mg_CO2e": [150.0] }),
        ),
        (7, json!({ "aoi_id": ["A"], "area_ha": [1234.5] })),
        (
            8,
            json!({ "aoi_id": ["A", "A", "A"], "tree_cover_loss_driver": ["Wildfire", "Unknown", "Settlements & Infrastructure"], "area_ha": [7.0, 2.0, 1.0],
            "carbon_emissions_MgCO2e": [null, null, null] }),
        ),
        (
            9,
            json!({ "aoi_id": ["A", "A", "A", "A"], "crop_type": ["Banana", "Banana", "Rice", "Banana"], "gas_type": ["CO2e", "CO2", "CO2e", "CO2e"],
            "year": [2024, 2024, 2024, 2023], "emissions_factor_tCO2e_per_tonne_production": [0.5, 0.4, 0.1, 0.6],
            "emissions_tCO2e": [50.0, 40.0, 10.0, 60.0], "production_tonnes": [100.0, 100.0, 100.0, 100.0] }),
        ),
        (
            10,
            json!({ "aoi_id": ["A", "A"], "tree_cover_loss_year": [2021, 2020], "area_ha": [10.0, 20.0],
            "tree_cover_loss_from_fires_area_ha": [1.0, 5.0], "tree_cover_loss_non_fires_area_ha": [9.0, 15.0] }),
        ),
        (
            11,
            json!({ "aoi_id": ["A", "A", "A"], "alert_date": ["2024-02-03", "2024-01-03", "2024-01-30"], "alert_confidence": ["high", "highest", "high"],
            "area_ha": [2.0, 1.0, 4.0] }),
        ),
        (
            12,
            json!({ "aoi_id": ["A", "A"], "category": ["vegetation", "soil"], "class": ["x", "organic"], "year": [2020, 2021],
            "gross_emissions_MgCO2e": [5.0, 6.0], "gross_removals_MgCO2": [1.0, null], "net_flux_MgCO2e": [4.0, null], "area_ha": [9.0, 9.0] }),
        ),
    ]
}
