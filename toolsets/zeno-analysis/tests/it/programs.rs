//! Insights with models: their programs run in real workers, and their texts are checked number by number.

use std::{path::PathBuf, sync::Arc};

use periplus_interpreter::{Config as Workers, Interpreter};
use periplus_llm::{
    ChatModel,
    scripted::{Expect, Script, Scripted, Turn},
};
use periplus_toolset::{Toolset, Value, json};
use periplus_zeno_analysis::{Config, toolset};

use crate::insight::{insight, selection};

fn interpreter() -> Interpreter {
    let mut folder: PathBuf = std::env::current_exe().unwrap();
    folder.pop();
    folder.pop();
    Interpreter::new(Workers::new(folder.join("examples/analysis-worker")))
}

fn scripted(turns: Vec<Turn>) -> Arc<Scripted> {
    let script = turns.into_iter().fold(Script::new("models"), Script::turn);
    Arc::new(Scripted::new(script))
}

fn with_models(coders: Vec<Arc<dyn ChatModel>>, writer: Option<Arc<dyn ChatModel>>) -> Toolset {
    toolset(Config {
        chat: writer,
        interpreter: Some(interpreter()),
        coders,
        ..Config::default()
    })
    .unwrap()
}

async fn para(toolset: &Toolset, query: &str) -> Value {
    let dataset = json!({ "dataset_id": 4, "start_date": "2015", "end_date": "2018" });
    insight(toolset, query, dataset, selection(&["BRA.14"]))
        .await
        .unwrap()
}

const GOOD: &str = "```python
years = group_sum(rows, ['tree_cover_loss_year'], 'area_ha')
total = sum(r['area_ha'] for r in years)
{
    'charts': [{
        'title': 'Tree cover loss in Pará', 'chart_type': 'line', 'x_axis': 'tree_cover_loss_year', 'y_axis': 'area_ha',
        'rows': [{**r, 'share_pct': round_half_even(pct(r['area_ha'], total), 1)} for r in years],
    }],
    'findings': [{'label': 'Average loss a year', 'value': mean([r['area_ha'] for r in years]), 'unit': 'ha'}],
}
```";

#[tokio::test]
async fn a_models_program_makes_charts_whose_numbers_know_their_rows() {
    let coder = scripted(vec![Turn::say(GOOD)]);
    let found = para(&with_models(vec![coder], None), "average loss").await;
    let insight = &found["insight"];
    assert_eq!(insight["method"], "program");
    assert!(insight["program"].as_str().unwrap().contains("group_sum"));
    assert_eq!(found["charts"][0]["type"], "line");
    assert_eq!(found["charts"][0]["data"][1]["area_ha"], 1_573_272.0);
    let expression = |at: &str| {
        let derivations = insight["derivations"].as_array().unwrap();
        derivations.iter().find(|one| one["at"] == at).unwrap()["expression"].clone()
    };
    assert_eq!(expression("/0/data/1/area_ha"), "area_ha");
    assert_eq!(
        expression("/0/data/1/share_pct"),
        "100 * sum(area_ha) / sum(area_ha of all rows)"
    );
    assert!(
        found["message"]
            .as_str()
            .unwrap()
            .contains("Average loss a year: 1,044,148 ha"),
        "{found:#}"
    );
}

#[tokio::test]
async fn a_program_is_repaired_with_what_was_wrong_with_it() {
    let coder = scripted(vec![
        Turn::say("import pandas as pd\nclass A(dict): pass\npd.DataFrame(rows)"),
        Turn::say("rows[99]").expecting(Expect::user("line 1: no module `pandas`")),
        Turn::say("{'charts': [{'title': 'T', 'chart_type': 'bar', 'x_axis': 'name', 'y_axis': 'area_ha', 'rows': [{'name': 'BRA.14', 'area_ha': 170000000}]}]}")
            .expecting(Expect::user("IndexError")),
        Turn::say(GOOD).expecting(Expect::user("`area_ha` is 170000000 whatever the rows are")),
    ]);
    let found = para(&with_models(vec![coder.clone()], None), "loss").await;
    assert_eq!(found["insight"]["method"], "program");
    assert_eq!(coder.remaining(), 0);
}

#[tokio::test]
async fn the_next_model_is_tried_and_rules_remain() {
    let broken = || scripted((0..4).map(|_| Turn::say("1 +")).collect());
    let second = scripted(vec![Turn::say(GOOD)]);
    let found = para(&with_models(vec![broken(), second], None), "loss").await;
    assert_eq!(found["insight"]["method"], "program");
    let found = para(&with_models(vec![broken(), broken()], None), "loss").await;
    assert_eq!(found["insight"]["method"], "rules");
    let message = found["message"].as_str().unwrap();
    assert!(message.contains("no model's program could be used"), "{message}");
    assert_eq!(found["charts"][0]["data"][1]["area_ha"], 1_573_272.0);
}

#[tokio::test]
async fn a_hostile_program_costs_a_repair_and_nothing_else() {
    let coder = scripted(vec![
        Turn::say("import socket\nopen('/etc/passwd').read()"),
        Turn::say("x = [0] * 10 ** 12"),
        Turn::say(GOOD).expecting(Expect::user("memory limit")),
    ]);
    let found = para(&with_models(vec![coder], None), "loss").await;
    assert_eq!(found["insight"]["method"], "program");
}

fn written(text: &str) -> Turn {
    Turn::say(json!({ "primary_insight": text, "follow_up_suggestions": ["What drove it?"] }).to_string())
}

#[tokio::test]
async fn a_text_whose_numbers_follow_from_the_rows_is_taken() {
    let writer = scripted(vec![written(
        "Loss peaked in 2016 with 1.57 million ha and fell to 820,257 ha in 2018.",
    )]);
    let found = para(&with_models(Vec::new(), Some(writer)), "loss").await;
    assert_eq!(
        found["insight"]["text"],
        "Loss peaked in 2016 with 1.57 million ha and fell to 820,257 ha in 2018."
    );
    assert_eq!(found["charts"][0]["insight"], found["insight"]["text"]);
    assert_eq!(found["insight"]["follow_ups"], json!(["What drove it?"]));
}

#[tokio::test]
async fn a_text_with_an_invented_number_is_rejected() {
    let writer = scripted(vec![
        written("Loss was 170 million ha."),
        written("Loss was alarming.").expecting(Expect::user("do not follow from the rows: 170 million")),
    ]);
    let found = para(&with_models(Vec::new(), Some(writer.clone())), "loss").await;
    assert_eq!(writer.remaining(), 0);
    let text = found["insight"]["text"].as_str().unwrap();
    assert!(
        text.starts_with("Tree cover loss in BRA.14 from 2015 to 2018: 4,176,590 ha in total."),
        "{text}"
    );
    let message = found["message"].as_str().unwrap();
    assert!(
        message.contains("The text is a template") && !message.contains("170 million"),
        "{message}"
    );
}

#[tokio::test]
async fn a_text_that_calls_loss_deforestation_without_a_forest_layer_is_rejected() {
    let writer = scripted(vec![
        written("Deforestation peaked in 2016."),
        written("Loss peaked in 2016.")
            .expecting(Expect::user("it says \"deforestation\"; say tree cover loss")),
    ]);
    let found = para(&with_models(Vec::new(), Some(writer)), "loss").await;
    assert_eq!(found["insight"]["text"], "Loss peaked in 2016.");
}

#[tokio::test]
async fn a_text_that_calls_a_sink_a_source_is_rejected() {
    let writer = scripted(vec![
        written("The forests are a net source of greenhouse gases."),
        written("The forests are a net sink of greenhouse gases.")
            .expecting(Expect::user("a negative net flux is a net sink")),
    ]);
    let toolset = with_models(Vec::new(), Some(writer));
    let found = insight(
        &toolset,
        "net flux",
        json!({ "dataset_id": 6 }),
        selection(&["CHN"]),
    )
    .await
    .unwrap();
    assert!(found["insight"]["figures"][0]["value"].as_f64().unwrap() < 0.0);
    assert_eq!(
        found["insight"]["text"],
        "The forests are a net sink of greenhouse gases."
    );
}
