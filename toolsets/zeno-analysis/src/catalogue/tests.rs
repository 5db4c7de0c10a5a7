use super::*;
use crate::dates::Asked;

fn catalogue(excluded: &[&str]) -> Catalogue {
    let excluded: Vec<String> = excluded.iter().map(|name| (*name).to_owned()).collect();
    Catalogue::load(&excluded).unwrap()
}

#[test]
fn there_are_thirteen_datasets_with_the_ids_that_records_carry() {
    let ids: Vec<u32> = catalogue(&[])
        .visible()
        .map(|dataset| dataset.dataset_id)
        .collect();
    assert_eq!(ids, (0..13).collect::<Vec<_>>());
}

#[test]
fn a_broken_file_stops_the_start_and_is_named() {
    let (name, text) = FILES[4];
    for (wanted, replacement) in [
        ("description = \"Area by", "describtion = \"Area by"),
        ("dataset_id = 4", "dataset_id = \"four\""),
        ("#DC6C9A", "pink"),
        ("end_date = \"2025-12-31\"", "end_date = \"1999-12-31\""),
        ("value = \"intact_forest\"", "value = \"primary_forest\""),
        ("values = [10, 15, 20, 25, 30, 50, 75]", "values = []"),
    ] {
        let broken = text.replacen(wanted, replacement, 1);
        assert_ne!(broken, text, "{wanted}");
        let error = Catalogue::from_files(&[(name, &broken)], &[])
            .unwrap_err()
            .to_string();
        assert!(error.contains(name), "{error}");
    }
    let twice = [(name, text), ("another", text)];
    let error = Catalogue::from_files(&twice, &[]).unwrap_err().to_string();
    assert!(error.contains("another") && error.contains("taken"), "{error}");
}

#[test]
fn a_hidden_dataset_is_not_there_to_be_chosen() {
    let all = catalogue(&[]);
    assert!(all.find(12).is_some() && all.hidden_name(12).is_none());
    let hidden = catalogue(&["land ghg monitoring system (lgms)", "no such dataset"]);
    assert!(hidden.find(12).is_none());
    assert_eq!(hidden.hidden_name(12), Some("Land GHG Monitoring System (LGMS)"));
    assert_eq!(hidden.visible().count(), 12);
}

#[test]
fn no_text_recommends_a_dataset_that_is_hidden_by_default() {
    for dataset in catalogue(&["Land GHG Monitoring System (LGMS)"]).visible() {
        let texts = [
            &dataset.description,
            &dataset.selection_hints,
            &dataset.cautions,
            &dataset.prompt_instructions,
        ];
        assert!(
            texts.iter().all(|text| !text.contains("LGMS")),
            "{}",
            dataset.dataset_name
        );
    }
}

#[test]
fn alternatives_exist() {
    let catalogue = catalogue(&[]);
    for dataset in catalogue.visible() {
        assert!(
            !dataset.alternatives.is_empty()
                && dataset
                    .alternatives
                    .iter()
                    .all(|id| catalogue.find(*id).is_some())
        );
    }
}

#[test]
fn dates_are_fitted_into_what_a_dataset_and_its_layer_have() {
    let (catalogue, today) = (catalogue(&[]), "2026-11-30".parse().unwrap());
    for (id, layer, asked, expected, changed) in [
        (
            7,
            None,
            Some(("1999-01-01", "2001-12-31")),
            "2000-01-01 to 2000-12-31",
            true,
        ),
        (
            7,
            None,
            Some(("2000-01-01", "2000-12-31")),
            "2000-01-01 to 2000-12-31",
            false,
        ),
        (
            1,
            None,
            Some(("2020-01-01", "2020-12-31")),
            "2020-01-01 to 2020-12-31",
            false,
        ),
        (
            1,
            None,
            Some(("2010-01-01", "2020-12-31")),
            "2015-01-01 to 2020-12-31",
            true,
        ),
        (
            1,
            None,
            Some(("2010-01-01", "2030-12-31")),
            "2015-01-01 to 2024-12-31",
            true,
        ),
        (
            0,
            None,
            Some(("2024-01-01", "2030-12-31")),
            "2024-01-01 to 2026-11-30",
            true,
        ),
        (4, None, None, "2001-01-01 to 2025-12-31", false),
        (
            4,
            Some("primary_forest"),
            Some(("2001-01-01", "2025-12-31")),
            "2002-01-01 to 2025-12-31",
            true,
        ),
        (4, Some("intact_forest"), None, "2001-01-01 to 2025-12-31", false),
        (
            4,
            None,
            Some(("2020-01-01", "2026-12-31")),
            "2020-01-01 to 2025-12-31",
            true,
        ),
        (12, None, Some(("2000", "2026")), "2016-01-01 to 2024-12-31", true),
    ] {
        let dataset = catalogue.find(id).unwrap();
        let asked = Asked::parse(asked.map(|dates| dates.0), asked.map(|dates| dates.1)).unwrap();
        let available = dataset.available(layer.and_then(|layer| dataset.layer(layer)), today);
        let clamped = asked.clamp(available, dataset.content_date_fixed).unwrap();
        assert_eq!(clamped.period.to_string(), expected, "{id}");
        assert_eq!(clamped.is_changed(), changed, "{id}");
    }
}
