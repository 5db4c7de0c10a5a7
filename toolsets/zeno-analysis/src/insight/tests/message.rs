//! What the text says, and what it never says.

use super::*;

#[tokio::test]
async fn the_message_carries_rows_units_threshold_period_and_cautions() {
    let found = found(4, "loss", losses(), json!({ "BRA.14": "Pará" })).await;
    for part in [
        "Generated 2 charts.",
        "Dataset: Tree cover loss.",
        "Areas: Pará.",
        "Period: 2015-01-01 to 2022-12-31.",
        "Canopy threshold: 30 %.",
        "Units: ha, MgCO₂e.",
        "Key Finding: Tree cover loss in Pará from 2015 to 2017: 70.75 ha in total.",
        "2016,40\n",
        "Dataset cautions: Loss is gross",
        "Follow-up suggestions:\n1. ",
        "Quote only figures that stand in this message",
    ] {
        assert!(
            found.message.contains(part),
            "{part:?} is missing in\n{}",
            found.message
        );
    }
}

#[tokio::test]
async fn long_numbers_and_names_are_never_cut_in_the_message() {
    let columns = json!({
        "aoi_id": ["X"], "tree_cover_loss_year": [2015], "area_ha": [12_345_678_901_234.5], "carbon_emissions_MgCO2e": [null],
    });
    let name = "A very long name of a protected area that nobody should shorten";
    let found = found(4, "loss", columns, json!({ "X": name })).await;
    assert!(
        found.message.contains("2015,12345678901234.5"),
        "{}",
        found.message
    );
    assert!(found.message.contains(name));
}

#[tokio::test]
async fn the_template_states_no_number_that_does_not_follow_from_the_rows() {
    for (dataset_id, columns) in every_dataset() {
        let catalogue = Catalogue::load(&[]).unwrap();
        let records = [record(json!({ "dataset_id": dataset_id }))];
        let frame = Frame::new(&[(&records[0], &table(columns))]);
        let words = Words::of("how much");
        let dataset = catalogue.find(dataset_id).unwrap();
        let question = Question {
            text: "how much",
            language: "en",
            dataset,
            records: &records,
            frame: &frame,
        };
        let study = Study {
            dataset,
            frame: &frame,
            record: &records[0],
            question: &words,
        };
        let draft = generate::draft(study);
        let quotable = quotable(&question, study, &draft);
        for fact in &draft.facts {
            assert_eq!(
                quotable.unsupported(&fact.text),
                [""; 0],
                "dataset {dataset_id}: {}",
                fact.text
            );
        }
    }
}

#[test]
fn the_word_for_a_balance_follows_its_sign() {
    let net =
        |values: Value| generate::flux::wrong_word(&frame(json!({ "carbon_net_flux_Mg_CO2e": values })));
    assert!(net(json!([-5.0, -1.0])).unwrap().starts_with("net source"));
    assert!(net(json!([5.0])).unwrap().starts_with("net sink"));
    assert_eq!((net(json!([5.0, -5.0])), net(json!([null]))), (None, None));
}

#[tokio::test]
async fn what_a_dataset_cannot_answer_is_said_with_the_dataset_that_can() {
    let any = || {
        json!({ "aoi_id": ["A"], "area_ha": [1.0], "tree_cover_loss_year": [2020], "tree_cover_loss_driver": ["Wildfire"],
        "natural_lands_class": ["Bare"] })
    };
    for (dataset_id, query, part) in [
        (4, "seasonal loss by month", "Integrated alerts"),
        (4, "net change of forest", "must not be subtracted"),
        (
            8,
            "drivers per year",
            "Tree cover loss has the loss of every year",
        ),
        (3, "how did natural land change", "Global land cover"),
        (9, "show a map of the factors", "There is no map"),
        (7, "change of tree cover", "Tree cover loss"),
    ] {
        match ask(dataset_id, query, any(), json!({})).await {
            Answer::Refused(text) => assert!(text.contains(part), "{query}: {text}"),
            Answer::Found(_) => panic!("{query} was answered"),
        }
    }
}

#[tokio::test]
async fn more_rows_than_can_be_listed_come_as_totals_and_extremes() {
    let count = 300;
    let columns = json!({
        "aoi_id": vec!["A"; count], "category": vec!["soil"; count], "class": vec!["organic"; count],
        "year": (0..count).map(|n| 1700 + n).collect::<Vec<_>>(),
        "gross_emissions_MgCO2e": (0..count).map(|n| n as f64).collect::<Vec<_>>(),
    });
    let found = found(12, "peat", columns, json!({ "A": "Alpha" })).await;
    assert!(found.message.contains("too many to list"), "{}", found.message);
    assert!(
        found.message.contains("44,850 MgCO₂e in total"),
        "{}",
        found.message
    );
    assert!(
        found.message.contains("max 299; largest rows: "),
        "{}",
        found.message
    );
    assert!(found.message.contains("must not be stated"));
}

#[tokio::test]
async fn the_text_speaks_of_nobody_and_judges_nothing() {
    for (dataset_id, columns) in every_dataset() {
        let found = found(dataset_id, "how much", columns, json!({ "A": "Alpha" })).await;
        let words = Words::of(&found.insight.text);
        let loud = crate::choice::Phrases::of("i|we|our|my|severe*|alarming*|significant*");
        assert_eq!(loud.find(&words), None, "{}", found.insight.text);
    }
}
