//! Recorded exchanges of the real service: what is sent is what was sent, and what came back is understood.

use std::path::Path;

use periplus_toolset::{Value, json, testing};

use crate::service::{Host, answer, created};

/// Dataset and layer of a recording, by the start of its name.
pub(crate) const RECORDINGS: [(&str, u32, Option<&str>); 22] = [
    ("carbon_flux__CRI", 6, None),
    ("carbon_flux__admin", 6, None),
    ("carbon_flux__feature", 6, None),
    ("dist_alerts__CRI", 0, None),
    ("dist_alerts__admin", 0, None),
    ("dist_alerts__kba", 0, None),
    ("dist_alerts_grasslands", 0, Some("grasslands")),
    ("dist_alerts_land_cover", 0, Some("land_cover")),
    ("grasslands", 2, None),
    ("integrated_alerts", 11, None),
    ("land_cover_change", 1, None),
    ("land_cover_composition__CRI", 1, None),
    ("land_cover_composition__admin", 1, None),
    ("natural_lands__CRI", 3, None),
    ("natural_lands__admin", 3, None),
    ("natural_lands__kba", 3, None),
    ("sluc_emission_factors", 9, None),
    ("tcl_drivers", 8, None),
    ("tcl_fires", 10, None),
    ("tree_cover__CRI", 7, None),
    ("tree_cover_gain", 5, None),
    ("tree_cover_loss", 4, None),
];

pub(crate) fn recordings() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exchanges");
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (
                name,
                serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap(),
            )
        })
        .collect()
}

/// The selection that the payload was made from.
fn selection(aoi: &Value) -> Value {
    let kind = aoi["type"].as_str().unwrap();
    if kind == "feature_collection" {
        let features = aoi["feature_collection"]["features"].as_array().unwrap().iter();
        let aois: Vec<Value> = features
            .map(|feature| json!({ "source": "custom", "src_id": feature["id"], "name": "Drawn", "subtype": "custom-area", "geometry": feature["geometry"] }))
            .collect();
        return json!({ "name": "Drawn", "aois": aois });
    }
    let aois: Vec<Value> = aoi["ids"]
        .as_array()
        .unwrap()
        .iter()
        .map(|id| {
            let id = id.as_str().unwrap();
            match (kind, id.contains('.')) {
                ("admin", true) => json!({ "source": "gadm", "src_id": format!("{id}_1"), "name": format!("Unit {id}, Land"), "subtype": "district-county" }),
                ("admin", false) => json!({ "source": "gadm", "src_id": id, "name": format!("Land {id}"), "subtype": "country" }),
                _ => json!({ "source": "kba", "src_id": id, "name": "Reserve", "subtype": "key-biodiversity-area" }),
            }
        })
        .collect();
    json!({ "name": "Areas", "aois": aois })
}

pub(crate) fn arguments(name: &str, payload: &Value) -> Value {
    let (_, id, layer) = RECORDINGS
        .iter()
        .find(|(start, ..)| name.starts_with(start))
        .unwrap();
    let first = |day: &str, year: &str| {
        payload
            .get(day)
            .or(payload.get(year))
            .cloned()
            .unwrap_or_default()
    };
    let canopy = payload
        .get("canopy_cover")
        .map(|value| json!([{ "name": "canopy_cover", "values": [value] }]));
    json!({
        "query": "the figures",
        "change_over_time_query": name.starts_with("land_cover_change"),
        "start_date": first("start_date", "start_year"),
        "end_date": first("end_date", "end_year"),
        "dataset": { "dataset_id": id, "context_layer": layer, "parameters": canopy },
        "aoi_selection": selection(&payload["aoi"]),
    })
}

/// The recorded payload without what the service does not need; the crops were written out by hand.
fn comparable(payload: &Value) -> Value {
    let mut payload = payload.clone();
    if let Some(aoi) = payload["aoi"].as_object_mut() {
        aoi.shift_remove("provider");
        aoi.shift_remove("version");
        if let Some(features) = aoi
            .get_mut("feature_collection")
            .and_then(|c| c["features"].as_array_mut())
        {
            for feature in features {
                feature.as_object_mut().unwrap().shift_remove("properties");
            }
        }
    }
    payload.as_object_mut().unwrap().shift_remove("crop_types");
    if payload["intersections"] == json!(["driver"]) {
        // Drivers are one total, which has grown by a year since.
        payload["end_year"] = "2025".into();
    }
    payload
}

#[tokio::test]
async fn every_recorded_exchange_is_sent_and_understood() {
    let recordings = recordings();
    assert_eq!(recordings.len(), RECORDINGS.len());
    for (name, recording) in recordings {
        let (create, fetch) = (&recording["create"], &recording["fetch"]["response"]);
        let host = Host::playing([created("pending"), answer(200, fetch["body"].clone())]).await;
        let output = testing::call(&host.toolset(), "pull_data", arguments(&name, &create["payload"]))
            .await
            .unwrap();
        let seen = host.seen();
        assert_eq!(seen[0].path, create["path"].as_str().unwrap(), "{name}");
        assert_eq!(
            comparable(&seen[0].body),
            comparable(&create["payload"]),
            "{name}"
        );
        let statistics = &output.structured["statistics"];
        assert_eq!(
            statistics["row_count"], recording["row_count"],
            "{name}: {}",
            output.structured
        );
        let result = fetch["body"]["data"]["result"].as_object().unwrap();
        let columns: Vec<Value> = result.keys().map(|key| json!(key)).collect();
        assert_eq!(statistics["columns"], json!(columns), "{name}");
        assert_eq!(statistics["data"], json!({}), "{name}");
        assert_no_figures(&name, result, &output.structured.to_string());
    }
}

/// No measured value of the rows is in what the tool answers.
fn assert_no_figures(name: &str, result: &periplus_toolset::JsonObject, answer: &str) {
    let measures = result
        .iter()
        .filter(|(column, _)| column.contains("_ha") || column.contains("CO2e"));
    for value in measures.flat_map(|(_, values)| values.as_array().into_iter().flatten()) {
        // Short numbers such as 0.0 occur by chance.
        let text = value.to_string();
        assert!(text.len() < 7 || !answer.contains(&text), "{name}: {text}");
    }
}

#[tokio::test]
async fn areas_without_rows_are_named_and_unknown_ids_do_no_harm() {
    let result = json!({ "aoi_id": ["BRA", "XXX"], "aoi_type": ["admin", "admin"], "tree_cover_loss_year": [2024, 2024], "area_ha": [1, 2] });
    let host = Host::playing([created("saved"), crate::service::saved(result)]).await;
    let selection = crate::service::selection(&["BRA", "BRA.14_1"]);
    let output = crate::service::pull(&host.toolset(), json!({ "dataset_id": 4 }), selection)
        .await
        .unwrap();
    let message = output.structured["message"].as_str().unwrap();
    assert!(message.contains("No rows for: Area BRA.14_1, Land"), "{message}");
    let names = &output.structured["statistics"]["aoi_id_to_name"];
    assert_eq!(names, &json!({ "BRA": "Area BRA", "BRA.14": "Area BRA.14_1" }));
}
