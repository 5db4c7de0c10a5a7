//! One suite for both catalogues: whatever is asked, PostGIS answers what the embedded catalogue answers.

use periplus_toolset::{Toolset, Value, json, testing::call};
use periplus_zeno_aoi::{Config, toolset};

use crate::database;

/// Coordinates and scores are compared to so many units of their last place, which each catalogue rounds by itself.
const TOLERANCE: f64 = 2e-4;

pub(crate) fn aoi() -> Toolset {
    toolset(Config::default())
}

/// What the embedded catalogue answers, and PostGIS as well where there is a server.
pub(crate) async fn ask(arguments: Value) -> Value {
    let answer = answer_of(&aoi(), arguments.clone()).await;
    if let Some(catalogue) = database::catalogue().await {
        let stored = toolset(Config {
            catalogue: Some(catalogue),
            ..Config::default()
        });
        let stored = answer_of(&stored, arguments.clone()).await;
        assert_same(&stored, &answer, &format!("PostGIS, {arguments}"));
    }
    answer
}

pub(crate) async fn answer_of(toolset: &Toolset, arguments: Value) -> Value {
    call(toolset, "pick_aoi", arguments)
        .await
        .expect("an expected failure is an answer")
        .structured
}

pub(crate) async fn pick(question: &str) -> Value {
    ask(json!({ "question": question })).await
}

pub(crate) fn ids(answer: &Value) -> Vec<&str> {
    let aois = answer["aoi_selection"]["aois"].as_array();
    aois.into_iter()
        .flatten()
        .map(|aoi| aoi["src_id"].as_str().expect("an area has an id"))
        .collect()
}

pub(crate) fn message(answer: &Value) -> &str {
    answer["message"].as_str().expect("an answer has a message")
}

/// Everything must be the same but the name of the catalogue and what it says of itself.
fn assert_same(stored: &Value, embedded: &Value, at: &str) {
    match (stored, embedded) {
        (Value::Object(one), Value::Object(other)) => {
            let keys = |object: &periplus_toolset::JsonObject| object.keys().cloned().collect::<Vec<_>>();
            assert_eq!(keys(one), keys(other), "{at}: {stored}");
            // The database simplifies shapes for the map.
            for (key, value) in one
                .iter()
                .filter(|(key, _)| !matches!(key.as_str(), "catalog" | "geometry"))
            {
                assert_same(value, &other[key], &format!("{at}, {key}"));
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            assert_eq!(one.len(), other.len(), "{at}: {stored}");
            for (position, (one, other)) in one.iter().zip(other).enumerate() {
                assert_same(one, other, &format!("{at}, {position}"));
            }
        }
        (Value::Number(one), Value::Number(other)) => {
            let difference = one.as_f64().zip(other.as_f64()).map(|(one, other)| one - other);
            let is_same = difference.is_some_and(|difference| difference.abs() <= TOLERANCE);
            assert!(is_same, "{at}: {one} and {other}");
        }
        (Value::String(one), Value::String(other)) => {
            assert_eq!(of_both(one), of_both(other), "{at}");
        }
        _ => assert_eq!(stored, embedded, "{at}"),
    }
}

/// A text without what each catalogue says of itself: what it does not hold, and what comes near where nothing has the
/// name, which depends on the languages that it knows names in.
fn of_both(text: &str) -> &str {
    let of_its_own = [
        "; the nearest are ",
        " Try a broader name",
        " The embedded catalogue holds",
    ];
    let ends = of_its_own.iter().filter_map(|begin| text.find(begin));
    text.get(..ends.min().unwrap_or(text.len()))
        .unwrap_or(text)
        .trim_end_matches('.')
}
