//! Figures read back from a record.

use periplus_toolset::{JsonObject, json};

use super::*;
use crate::{catalogue::Endpoint, statistics::Statistics};

fn stand_in() -> Analytics {
    Analytics::new(Service::StandIn, Patience::default())
}

fn request() -> Request {
    let body =
        json!({ "aoi": { "type": "admin", "ids": ["BRA"] }, "canopy_cover": 30, "forest_filter": null });
    Request {
        endpoint: Endpoint::TreeCover,
        body: body.as_object().cloned().unwrap(),
    }
}

fn record(url: &str, requests: Vec<JsonObject>) -> Statistics {
    let record = json!({
        "dataset_name": "Tree cover", "dataset_id": 7, "start_date": "2000-01-01", "end_date": "2000-12-31",
        "source_url": url, "endpoint": "tree_cover", "requests": requests,
    });
    serde_json::from_value(record).unwrap()
}

#[tokio::test]
async fn figures_are_read_again_here_and_after_a_restart() {
    let first = stand_in();
    let (table, urls, _) = first.pull(&[request()]).await.unwrap();
    assert_eq!(table.row_count(), 1);
    let record = record(&urls[0], vec![request().body]);
    assert_eq!(first.read(&record).await.unwrap(), table);
    // Another process has another port and has never heard of the analysis.
    assert_eq!(stand_in().read(&record).await.unwrap(), table);
}

#[tokio::test]
async fn a_record_of_another_program_says_by_its_url_what_it_is() {
    let service = stand_in();
    let (table, urls, _) = service.pull(&[request()]).await.unwrap();
    let mut record = record(&urls[0], Vec::new());
    record.endpoint.clear();
    assert_eq!(service.read(&record).await.unwrap(), table);
    record.source_url = "https://elsewhere.test/x".to_owned();
    let error = service.read(&record).await.unwrap_err();
    assert!(matches!(error, AnalyticsError::Malformed(reason) if reason.contains("no known analysis")));
}

#[tokio::test]
async fn a_record_that_names_another_host_leads_nobody_there() {
    let forged = record("http://169.254.169.254/latest/meta-data", Vec::new());
    let error = stand_in().read(&forged).await.unwrap_err();
    assert!(matches!(error, AnalyticsError::Failed(reason) if reason.contains("pull the data again")));
}

#[tokio::test]
async fn rows_that_a_record_has_with_it_are_used_as_they_are() {
    for data in [
        json!({ "area_ha": [1.5] }),
        json!({ "data": { "area_ha": [1.5] } }),
    ] {
        let mut record = record("http://127.0.0.1:1/x", Vec::new());
        record.data = data.as_object().cloned().unwrap();
        assert_eq!(
            stand_in().read(&record).await.unwrap().column("area_ha").unwrap(),
            [json!(1.5)]
        );
    }
}

#[test]
fn a_stage_is_production_or_staging() {
    assert_eq!(Stage::parse(" Production "), Stage::Production);
    for text in ["staging", "", "prod"] {
        assert_eq!(Stage::parse(text), Stage::Staging);
    }
}

#[test]
fn what_is_no_root_of_a_service_is_refused_without_showing_it() {
    for (url, error) in [
        ("ftp://h/", ServiceError::Scheme("ftp".to_owned())),
        ("https://me:secret@h/", ServiceError::Extra),
        ("https://h/?token=1", ServiceError::Extra),
        ("https://h/#x", ServiceError::Extra),
    ] {
        let refused = Service::remote(url.parse().unwrap(), None, Stage::Production).unwrap_err();
        assert_eq!(refused, error);
        assert!(!refused.to_string().contains("secret"));
    }
    assert!(Service::remote("https://h/v1".parse().unwrap(), None, Stage::Staging).is_ok());
}
