//! `eval` of the built binary.

use e2e::Periplus;
use serde_json::{Value, json};

const BROKEN: &str = "question,expected_dataset_id,start_date,end_date\n\
                      How much tree cover was lost in Brazil?,4,,\n\
                      What is the land cover of Costa Rica?,7,,\n";

#[test]
fn the_shipped_sets_are_answered_without_a_checkout_a_key_or_a_network() {
    let periplus = Periplus::new();
    let finished = periplus.run(&["eval", "zeno", "--json", "--junit", "eval.xml"]);
    let report = finished.json();
    let sets = report["sets"].as_array().expect("there are sets");
    assert_eq!(sets.len(), 9);
    for set in sets {
        let cases = set["cases"].as_array().expect("there are cases");
        let failed: Vec<&Value> = cases.iter().filter(|case| case["verdict"] == "failed").collect();
        assert!(
            set["accuracy"].as_f64() >= Some(0.9),
            "{}: {failed:#?}",
            set["name"]
        );
    }
    assert_eq!((&report["reaches_threshold"], finished.code), (&json!(true), 0));
    let xml = std::fs::read_to_string(periplus.folder().join("eval.xml")).expect("it was written");
    for set in sets {
        let suite = format!(
            "<testsuite name={} tests=\"{}\" failures=\"{}\" skipped=\"{}\">",
            set["name"], set["rows"], set["failed"], set["refused"]
        );
        assert!(xml.contains(&suite), "{suite}");
    }
}

#[test]
fn a_row_with_another_answer_is_told_and_ends_with_1() {
    let periplus = Periplus::new();
    periplus.write("mine.csv", BROKEN);
    let finished = periplus.run(&["eval", "zeno", "--set", "mine.csv"]).expect(1);
    let rows: Vec<&str> = finished.stdout.lines().take(2).collect();
    let cells: Vec<&str> = rows
        .last()
        .map(|row| row.split_whitespace().collect())
        .unwrap_or_default();
    assert_eq!(
        cells,
        ["mine.csv", "2", "1", "0", "50.0", "%"],
        "{}",
        finished.stdout
    );
    for part in [
        "mine.csv, row 3: What is the land cover",
        "expected dataset 7",
        "got      dataset 1 (",
    ] {
        assert!(finished.stdout.contains(part), "{part}: {}", finished.stdout);
    }
    assert!(
        finished.stderr.contains("under 90 %: mine.csv (50.0 %)"),
        "{}",
        finished.stderr
    );
    drop(
        periplus
            .run(&["eval", "zeno", "--set", "mine.csv", "--threshold", "50"])
            .expect(0),
    );
}

#[test]
fn a_mistake_in_a_file_is_named_by_file_row_and_column() {
    let periplus = Periplus::new();
    periplus.write("typo.csv", &BROKEN.replace(",7,", ",seven,"));
    periplus.write("other.csv", "question,answer\na,b\n");
    for (set, parts) in [
        (
            "typo.csv",
            &["typo.csv, row 3, column expected_dataset_id: \"seven\" is no dataset id"][..],
        ),
        (
            "other.csv",
            &["other.csv", "those of no set", "no-single-dataset ("],
        ),
        ("dataset", &["no set and no file", "did you mean \"datasets\"?"]),
    ] {
        let finished = periplus.run(&["eval", "zeno", "--set", set]).expect(2);
        for part in parts {
            assert!(finished.stderr.contains(part), "{part}: {}", finished.stderr);
        }
        assert!(finished.stdout.is_empty());
    }
}

#[test]
fn with_a_model_its_choices_are_scored() {
    let periplus = Periplus::new();
    periplus.write("mine.csv", BROKEN);
    let choice = |id: u32| {
        let option = json!({ "dataset_id": id, "context_layer": null, "parameters": null, "reason": "so" });
        json!({ "selected_dataset": option, "suggested_datasets": null, "reason": "" }).to_string()
    };
    let turn = |question: &str, id: u32| -> Value {
        json!({ "expect": { "system": ["You choose the dataset"], "user": [question] }, "text": choice(id) })
    };
    let turns = [
        turn("tree cover was lost", 4),
        turn("land cover of Costa Rica", 7),
    ];
    periplus.write(
        "script.json",
        &json!({ "any_order": true, "turns": turns }).to_string(),
    );
    // The rules answer the second row otherwise, so that only the model can have answered it.
    let finished = periplus.run(&[
        "eval",
        "zeno",
        "--set",
        "mine.csv",
        "--model",
        "scripted:script.json",
    ]);
    drop(finished.expect(0));
}
