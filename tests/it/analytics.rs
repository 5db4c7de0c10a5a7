//! The analysis toolset and the stand-in, from the outside.

use e2e::Periplus;
use serde_json::{Value, json};

const AREA: &str = r#"aoi_selection={"name":"Brazil","aois":[{"source":"gadm","src_id":"BRA","name":"Brazil","subtype":"country"}]}"#;

fn pull(periplus: &Periplus) -> Value {
    periplus
        .run(&[
            "call",
            "--local",
            "zeno-analysis/pull_data",
            "query=tree cover loss",
            "start_date=2016",
            "end_date=2016",
            r#"dataset={"dataset_id":4}"#,
            AREA,
            "--json",
        ])
        .expect(0)
        .json()
}

#[test]
fn statistics_come_from_the_built_in_figures_when_nothing_is_configured() {
    let pulled = pull(&Periplus::new());
    assert_eq!(pulled["statistics"]["row_count"], 1);
    let message = pulled["message"].as_str().expect("there is a message");
    assert!(
        message.contains("No analytics service is configured"),
        "{message}"
    );
}

#[test]
fn a_configured_service_is_asked_instead_and_gets_the_token() {
    let server = Periplus::new().analytics();
    let periplus = Periplus::new()
        .env("ANALYTICS_API_BASE_URL", server.url())
        .env("WRI_BEARER_TOKEN", "tell-nobody-77");
    let pulled = pull(&periplus);
    let source = pulled["statistics"]["source_url"]
        .as_str()
        .expect("there is a source");
    assert!(source.starts_with(server.url()), "{source}");
    let message = pulled["message"].as_str().expect("there is a message");
    assert!(
        !message.contains("No analytics service is configured"),
        "{message}"
    );
    let shown = periplus.run(&["config", "show", "--origin"]).expect(0).stdout;
    assert!(
        shown.contains("WRI_BEARER_TOKEN=(secret)") && !shown.contains("tell-nobody"),
        "{shown}"
    );
}

#[test]
fn an_empty_list_of_hidden_datasets_hides_none() {
    let picked = |periplus: Periplus| {
        let finished = periplus.run(&[
            "call",
            "--local",
            "pick_dataset",
            "query=greenhouse gas emissions of soils and livestock",
            "--json",
        ]);
        finished.expect(0).json()["dataset"]["dataset_id"].clone()
    };
    assert_ne!(picked(Periplus::new()), json!(12));
    assert_eq!(
        picked(Periplus::new().env("ZENO_EXCLUDED_DATASETS", "")),
        json!(12)
    );
}

#[test]
fn the_stand_in_ends_when_it_is_told_to() {
    for signal in ["INT", "TERM"] {
        let mut server = Periplus::new().analytics();
        server.wait_for_log("use it with ANALYTICS_API_BASE_URL=");
        server.signal(signal);
        assert_eq!(server.wait().0, Some(0), "{signal}");
    }
}
