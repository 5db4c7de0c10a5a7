//! The shipped sets, asked of the real toolsets: by rules alone, with a model that knows the answers, and with one that
//! does not.

mod models;

use std::sync::Arc;

use periplus_eval::{Catalogue, Report, Set, Verdict, Zeno, run};
use periplus_llm::ChatModel;
use periplus_zeno_analysis as analysis;
use periplus_zeno_aoi as aoi;

/// What every set has to reach.
const THRESHOLD: f64 = 0.9;

/// The toolsets as they are shipped, with the built-in data and this model, on a day of its own.
fn zeno(model: Option<&Arc<dyn ChatModel>>) -> Zeno {
    let aoi = aoi::toolset(aoi::Config {
        model: model.cloned(),
        ..aoi::Config::default()
    });
    let analysis = analysis::toolset(analysis::Config {
        chat: model.cloned(),
        today: "2026-11-30".parse().ok(),
        ..analysis::Config::default()
    });
    let toolsets = vec![aoi, analysis.expect("the datasets can be used")];
    Zeno::new(toolsets, Catalogue::Embedded).expect("the tools are there")
}

fn shipped(names: &[&str]) -> Vec<Set> {
    let set = |name: &&str| {
        Set::shipped(name)
            .expect("it is well formed")
            .expect("it is shipped")
    };
    names.iter().map(set).collect()
}

async fn asked(zeno: &Zeno, sets: &[Set]) -> Report {
    run(zeno, sets, &|| {}).await
}

/// Every failure, for the output of a test that fails.
fn failures(report: &Report) -> String {
    let lines = report.sets.iter().map(|set| {
        let failures: Vec<String> = set
            .failures()
            .map(|case| format!("  {}: {}\n    {:?}", case.id, case.question, case.verdict))
            .collect();
        format!("{}: {:?}\n{}", set.name, set.accuracy(), failures.join("\n"))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn rules_answer_nine_in_ten_of_every_shipped_set() {
    let names: Vec<&str> = Set::names().collect();
    let report = asked(&zeno(None), &shipped(&names)).await;
    assert!(report.reaches(THRESHOLD), "{}", failures(&report));
}

#[tokio::test]
async fn every_figure_that_the_built_in_statistics_hold_is_the_published_one_and_no_other_is_made_up() {
    let report = asked(&zeno(None), &shipped(&["verified-answers"])).await;
    let set = &report.sets[0];
    assert_eq!(set.accuracy(), Some(1.0), "{}", failures(&report));
    // The rows that the shipped data hold, by the column that says so.
    assert_eq!(set.passed(), models::held());
    assert_eq!(set.passed() + set.refused(), set.cases.len());
}

#[tokio::test]
async fn a_model_that_knows_the_answers_is_asked_and_scores_as_well() {
    let model = models::knowing();
    let names: Vec<&str> = Set::names().collect();
    let chat: Arc<dyn ChatModel> = Arc::new(model.clone());
    let report = asked(&zeno(Some(&chat)), &shipped(&names)).await;
    assert!(report.reaches(THRESHOLD), "{}", failures(&report));
    let requests = model.requests();
    let asked_for = |system: &str| {
        let is_such = |prompt: &String| prompt.contains(system);
        requests
            .iter()
            .filter(|request| request.system.as_ref().is_some_and(is_such))
            .count()
    };
    assert!(asked_for(models::CHOOSING) >= models::choices());
    let places: usize = ["areas", "area-search", "units", "end-to-end"]
        .map(|name| shipped(&[name])[0].len())
        .iter()
        .sum();
    assert!(asked_for(models::READING) >= places);
}

#[tokio::test]
async fn a_model_that_always_chooses_the_same_dataset_is_found_out() {
    let chat: Arc<dyn ChatModel> = Arc::new(models::stubborn());
    let report = asked(&zeno(Some(&chat)), &shipped(&["datasets"])).await;
    assert!(!report.reaches(THRESHOLD));
    let set = &report.sets[0];
    assert_eq!(
        set.passed(),
        models::expecting_land_cover(),
        "{}",
        failures(&report)
    );
}

#[tokio::test]
async fn rows_that_expect_something_else_fail_with_what_was_expected_and_got() {
    let text =
        "question,expected_dataset_id,start_date,end_date\nHow much tree cover was lost in Brazil?,3,,\n";
    let set = Set::read("mine.csv", text).expect("the row is well formed");
    let report = asked(&zeno(None), &[set]).await;
    let case = &report.sets[0].cases[0];
    let Verdict::Failed { expected, got } = &case.verdict else {
        panic!("{case:?}");
    };
    assert_eq!((case.id.as_str(), expected.as_str()), ("row 2", "dataset 3"));
    assert!(got.contains("dataset 4 (Tree cover loss"), "{got}");
}

#[tokio::test]
async fn a_place_that_the_catalogue_holds_may_not_be_refused() {
    let text = "question,places,subregion,expected_src_id,expected_count\n\
                Zoom to Brasilistan,Brasilistan,,BRA,1\n\
                Zoom to Sheffield,Sheffield,,GBR.1.83_1,1\n";
    let set = Set::read("mine.csv", text).expect("the rows are well formed");
    let report = asked(&zeno(None), &[set]).await;
    let verdicts: Vec<&Verdict> = report.sets[0].cases.iter().map(|case| &case.verdict).collect();
    assert!(
        matches!(
            verdicts.as_slice(),
            [Verdict::Failed { .. }, Verdict::Refused { .. }]
        ),
        "{verdicts:?}"
    );
}
