use serde_json::json;

use super::*;
use crate::insight::tests::frame;

fn rows() -> Frame {
    frame(json!({
        "aoi_id": ["A", "A", "B"],
        "tree_cover_loss_year": [2015, 2016, 2015],
        "area_ha": [10.0, 20.0, 5.0],
    }))
}

fn output(charts: Value, findings: Value) -> Output {
    Output::read(json!({ "charts": charts, "findings": findings })).unwrap()
}

fn bars(rows: Value) -> Value {
    json!([{ "title": "Loss", "chart_type": "bar", "x_axis": "tree_cover_loss_year", "y_axis": "area_ha", "rows": rows }])
}

#[test]
fn a_number_that_can_be_recomputed_knows_its_rows() {
    let made = output(
        bars(json!([{ "tree_cover_loss_year": 2015, "area_ha": 15.0 }])),
        json!([]),
    );
    let (sketches, _) = verify(made, None, &rows()).unwrap();
    let Cell::Figure(Some(figure)) = &sketches[0].rows[0][1].1 else {
        panic!("no figure")
    };
    assert_eq!(
        (figure.expression.as_str(), figure.rows.as_slice()),
        ("sum(area_ha)", [0, 2].as_slice())
    );
}

#[test]
fn a_number_that_does_not_move_with_the_rows_is_refused() {
    let invented = || {
        output(
            bars(json!([{ "tree_cover_loss_year": 2015, "area_ha": 170_000_000.0 }])),
            json!([]),
        )
    };
    let problem = verify(invented(), Some(&invented()), &rows()).unwrap_err();
    assert!(problem.contains("170000000 whatever the rows are"), "{problem}");
    assert!(verify(invented(), None, &rows()).is_err());
}

#[test]
fn a_number_that_moves_is_the_programs_own() {
    let made = output(
        bars(json!([{ "tree_cover_loss_year": 2015, "area_ha": 7.3 }])),
        json!([]),
    );
    let moved = output(
        bars(json!([{ "tree_cover_loss_year": 2015, "area_ha": 8.1 }])),
        json!([]),
    );
    let (sketches, _) = verify(made, Some(&moved), &rows()).unwrap();
    let Cell::Figure(Some(figure)) = &sketches[0].rows[0][1].1 else {
        panic!("no figure")
    };
    assert_eq!((figure.expression.as_str(), figure.rows.len()), ("program", 3));
}

#[test]
fn a_year_that_is_not_in_the_rows_is_refused() {
    let made = output(
        bars(json!([{ "tree_cover_loss_year": 2030, "area_ha": 15.0 }])),
        json!([]),
    );
    let problem = verify(made, None, &rows()).unwrap_err();
    assert!(problem.contains("2030 is not in the rows"), "{problem}");
}

#[test]
fn findings_are_held_to_the_same() {
    let finding = |value: f64| {
        output(
            bars(json!([])),
            json!([{ "label": "Total", "value": value, "unit": "ha" }]),
        )
    };
    let (_, stated) = verify(finding(35.0), None, &rows()).unwrap();
    assert_eq!(stated[0].figure.expression, "sum(area_ha)");
    assert!(verify(finding(99.5), Some(&finding(99.5)), &rows()).is_err());
}

#[test]
fn a_column_called_value_is_refused() {
    let made = output(
        json!([{ "title": "Loss", "chart_type": "bar", "x_axis": "name", "y_axis": "value", "rows": [{ "name": "A", "value": 30.0 }] }]),
        json!([]),
    );
    assert!(verify(made, None, &rows()).unwrap_err().contains("not `value`"));
}

#[test]
fn roundings_of_a_program_are_roundings_and_nothing_else() {
    for (computed, shown, expected) in [
        (1234.567, 1234.57, true),
        (1234.567, 1235.0, true),
        (1234.567, 1236.0, false),
        (0.4, 0.0, false),
        (10.0, 10.0, true),
    ] {
        assert_eq!(agrees(computed, shown), expected, "{computed} {shown}");
    }
}

#[test]
fn grouping_by_a_measure_is_refused() {
    let made = output(
        json!([{ "title": "Loss", "chart_type": "grouped-bar", "x_axis": "name", "y_axis": "area_ha", "group_field": "area_ha",
            "rows": [{ "name": "A", "area_ha": 30.0 }] }]),
        json!([]),
    );
    assert!(
        verify(made, None, &rows())
            .unwrap_err()
            .contains("not by the measure `area_ha`")
    );
}
