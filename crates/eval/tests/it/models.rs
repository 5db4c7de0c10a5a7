//! Models that play scripts made of the expected answers.

use std::collections::BTreeMap;

use periplus_llm::scripted::{Expect, Script, Scripted, Turn};
use serde_json::{Value, json};

/// What the prompt of the choice of a dataset says.
pub(crate) const CHOOSING: &str = "You choose the dataset";
/// What the prompt of the reading of places says.
pub(crate) const READING: &str = "You find the places";

type Row = BTreeMap<String, String>;

fn rows(table: &str) -> Vec<Row> {
    csv::Reader::from_reader(table.as_bytes())
        .deserialize()
        .map(|row| row.expect("the table is well formed"))
        .collect()
}

macro_rules! rows {
    ($path:literal) => {
        rows(include_str!(concat!("../../../../data/", $path)))
    };
}

/// How many verified figures the shipped data hold.
pub(crate) fn held() -> usize {
    let rows = rows!("analytics/verified_answers.csv");
    rows.iter()
        .filter(|row| !row["value_in_these_files"].is_empty())
        .count()
}

/// How many questions are about a choice; one about a dataset itself needs no model.
pub(crate) fn choices() -> usize {
    let open = |turn: &Turn| turn.text.contains("\"dataset_id\"");
    chosen()
        .iter()
        .chain(&suggested())
        .filter(|turn| open(turn))
        .count()
}

/// How many questions about datasets are answered by land cover.
pub(crate) fn expecting_land_cover() -> usize {
    let rows = rows!("zeno/dataset_expected.csv");
    rows.iter()
        .filter(|row| row["expected_dataset_id"] == "1")
        .count()
}

/// A model that gives the expected answer to every question of the sets.
pub(crate) fn knowing() -> Scripted {
    let turns = chosen().into_iter().chain(suggested()).chain(read());
    play(turns.collect())
}

/// A model that always chooses land cover.
pub(crate) fn stubborn() -> Scripted {
    let answer =
        json!({ "selected_dataset": option(1, "", ""), "suggested_datasets": null, "reason": "always" });
    play(vec![Turn::say(answer.to_string())])
}

fn play(mut turns: Vec<Turn>) -> Scripted {
    // A question may be a part of another one: the longer comes first.
    turns.sort_by_key(|turn| std::cmp::Reverse(turn.expect.user.concat().len()));
    let script = Script {
        name: "answers".to_owned(),
        any_order: true,
        turns,
    };
    Scripted::new(script)
}

fn says(system: &str, user: String, answer: &Value) -> Turn {
    Turn::say(answer.to_string()).expecting(Expect {
        system: vec![system.to_owned()],
        user: vec![user],
        ..Expect::default()
    })
}

fn choice(question: &str, answer: &Value) -> Turn {
    says(CHOOSING, json!({ "question": question }).to_string(), answer)
}

fn option(id: u32, layer: &str, canopy: &str) -> Value {
    let layer = Some(layer).filter(|layer| !layer.is_empty());
    let canopy: Option<u32> = canopy.parse().ok();
    json!({
        "dataset_id": id,
        "context_layer": layer,
        "parameters": canopy.map(|canopy| json!([{ "name": "canopy_cover", "values": [canopy] }])),
        "reason": "it is the expected one",
    })
}

/// One turn for every question that has one dataset.
fn chosen() -> Vec<Turn> {
    let layers = rows!("zeno/context_layer_expected.csv");
    let others = rows!("zeno/dataset_expected.csv")
        .into_iter()
        .chain(rows!("zeno/parameter_expected.csv"))
        .chain(rows!("zeno/end_to_end.csv"));
    let cell = |row: &Row, column: &str| row.get(column).cloned().unwrap_or_default();
    layers
        .into_iter()
        .chain(others)
        .filter_map(|row| {
            let id = row["expected_dataset_id"].split(';').next()?.parse().ok()?;
            let option = option(
                id,
                &cell(&row, "expected_context_layer"),
                &cell(&row, "expected_value"),
            );
            let answer = json!({ "selected_dataset": option, "suggested_datasets": null, "reason": "" });
            Some(choice(&row["question"], &answer))
        })
        .collect()
}

/// One turn for every question that has none, or several to choose from.
fn suggested() -> Vec<Turn> {
    let answer = |ids: Vec<u32>| {
        let options: Vec<Value> = ids.into_iter().map(|id| option(id, "", "")).collect();
        let options = (!options.is_empty()).then_some(options);
        json!({ "selected_dataset": null, "suggested_datasets": options, "reason": "several come close" })
    };
    let open = rows!("zeno/no_single_dataset.csv");
    let open = open
        .iter()
        .map(|row| choice(&row["question"], &answer(vec![3, 1])));
    let end_to_end = rows!("zeno/end_to_end.csv");
    let end_to_end = end_to_end
        .iter()
        .filter(|row| row["expected_dataset_id"].parse::<u32>().is_err())
        .map(|row| {
            let ids = row["expected_suggested_datasets"]
                .split(';')
                .filter_map(|id| id.parse().ok());
            choice(&row["question"], &answer(ids.collect()))
        });
    open.chain(end_to_end).collect()
}

/// One turn for every request that says which places are meant.
fn read() -> Vec<Turn> {
    let places = |question: &str, place: &str, unit: &str| {
        let unit = Some(unit).filter(|unit| !unit.is_empty());
        let answer = json!({ "places": [place], "subregion": unit });
        says(READING, question.to_owned(), &answer)
    };
    let areas = rows!("zeno/aoi_expected.csv");
    let areas = areas.iter().map(|row| {
        let (place, unit) = (&row["places"], row["subregion"].as_str());
        let asked = match unit {
            "" => row["question"].clone(),
            "country" => format!("countries in {place}"),
            unit => format!("{unit}s in {place}"),
        };
        places(&asked, place, unit)
    });
    let searches = rows!("zeno/aoi_search_candidates.csv");
    let searches = searches
        .iter()
        .map(|row| places(&row["query"], &row["query"], ""));
    let units = rows!("zeno/gadm_subregions.csv");
    let units = units.iter().filter_map(|row| {
        let (_, parent) = row["name"].split_once(", ")?;
        Some(places(
            &format!("{}s in {parent}", row["subregion"]),
            parent,
            &row["subregion"],
        ))
    });
    // These rows have ids and no names, so the model has no answer, and the rules read the question.
    let end_to_end = rows!("zeno/end_to_end.csv");
    let end_to_end = end_to_end
        .iter()
        .map(|row| says(READING, row["question"].clone(), &json!("I cannot tell.")));
    areas.chain(searches).chain(units).chain(end_to_end).collect()
}
