//! From a question to an insight, through the binary as people use it.

use e2e::Periplus;
use serde_json::{Value, json};

const QUESTION: &str = "tree cover loss in Pará, Brazil since 2015";

/// Loss of Pará by year, as it was published.
const PUBLISHED: [(u32, u32); 8] = [
    (2015, 463_583),
    (2016, 1_573_272),
    (2017, 1_319_478),
    (2018, 820_257),
    (2019, 693_043),
    (2020, 805_652),
    (2021, 693_516),
    (2022, 807_272),
];

#[test]
fn a_question_about_a_place_ends_in_published_figures_without_a_key_or_a_network() {
    let periplus = Periplus::new();
    let server = periplus.serve(&["zeno-aoi", "zeno-analysis"]);
    let periplus = periplus.env("MCP_URL", server.url());
    let dataset = "dataset=@state:zeno-analysis/pick_dataset/dataset";
    let selection = "aoi_selection=@state:zeno-aoi/pick_aoi/aoi_selection";
    let statistics = "statistics=@state:zeno-analysis/pull_data/statistics";
    let lines = [
        format!("pick_aoi question='{QUESTION}'"),
        format!("pick_dataset query='{QUESTION}' start_date=2015 {selection}"),
        format!("pull_data query='{QUESTION}' start_date=2015 {dataset} {selection}"),
        format!("generate_insight query='{QUESTION}' {statistics} {dataset}"),
        "save charts".to_owned(),
    ];
    let finished = periplus.run_with_input(&["repl"], &lines.join("\n")).expect(0);
    assert!(
        finished
            .stderr
            .contains("saved charts/chart_0.svg (image/svg+xml"),
        "{}",
        finished.stderr
    );
    let told = finished.stdout;
    for (year, area) in PUBLISHED {
        assert!(
            told.contains(&format!("\n{year},{area}\n")),
            "{year} is missing in\n{told}"
        );
    }
    for part in [
        "Canopy threshold: 30 %",
        "7,176,073 ha in total",
        "Global Forest Watch",
        "stand-in",
    ] {
        assert!(told.contains(part), "{part:?} is missing in\n{told}");
    }
}

#[test]
fn the_binary_is_its_own_worker_and_counts_its_memory() {
    let limits = json!({
        "time": { "secs": 5, "nanos": 0 }, "memory_bytes": 64 << 20, "output_bytes": 1000, "result_bytes": 1000,
    });
    let table = json!({ "name": "rows", "columns": ["area_ha"], "rows": [[1.5], [2.5]] });
    let program = json!({ "engine": "python", "code": "sum(r['area_ha'] for r in rows)", "tables": [table], "limits": limits });
    let finished = Periplus::new()
        .run_with_input(&["interpreter-worker"], &program.to_string())
        .expect(0);
    let reply: Value = finished.json();
    assert_eq!(reply["ending"]["result"], 4.0);
    assert_eq!(reply["confinement"]["memory"], "enforced");
}

#[test]
fn charts_of_a_call_are_saved_as_drawings_and_their_rows_as_tables() {
    let periplus = Periplus::new();
    let server = periplus.serve(&["zeno-aoi", "zeno-analysis"]);
    let periplus = periplus.env("MCP_URL", server.url());
    let call = |tool: &str, arguments: Value, more: &[&str]| {
        periplus.write("arguments.json", &arguments.to_string());
        let call = ["call", tool, "--arg-file", "arguments.json", "--json"];
        periplus.run(&[&call[..], more].concat()).expect(0)
    };
    let area = call("zeno-aoi/pick_aoi", json!({ "question": QUESTION }), &[]).json();
    let selection = &area["aoi_selection"];
    let arguments = json!({ "query": QUESTION, "aoi_selection": selection });
    let picked = call("zeno-analysis/pick_dataset", arguments, &[]).json();
    let dataset = &picked["dataset"];
    let arguments = json!({ "query": QUESTION, "dataset": dataset, "aoi_selection": selection });
    let pulled = call("zeno-analysis/pull_data", arguments, &[]).json();
    let arguments = json!({ "query": QUESTION, "dataset": dataset, "statistics": pulled["statistics"] });
    let told = call("zeno-analysis/generate_insight", arguments, &["--save", "out"]).stderr;
    for (name, kind) in [
        ("chart_0.svg", "image/svg+xml"),
        ("chart_0.csv", "text/csv"),
        ("chart_1.svg", "image/svg+xml"),
        ("chart_1.csv", "text/csv"),
    ] {
        assert!(told.contains(&format!("saved out/{name} ({kind}")), "{told}");
    }
    let read = |name: &str| std::fs::read_to_string(periplus.folder().join("out").join(name)).unwrap();
    let rows = read("chart_0.csv");
    for (year, area) in PUBLISHED {
        assert!(
            rows.contains(&format!("\r\n{year},{area}.0\r\n")),
            "{year} is missing in\n{rows}"
        );
    }
    let drawing = read("chart_0.svg");
    assert!(drawing.starts_with("<svg ") && drawing.contains("Tree cover loss in Pará, 2015–2022"));
    assert!(drawing.contains("2016, Area (ha): 1,573,272"), "{drawing}");
}
