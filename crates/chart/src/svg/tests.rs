use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::Row;

fn chart(kind: Kind, rows: Value, x: &str, y: &str) -> Chart {
    let Value::Array(rows) = rows else {
        panic!("rows are a list")
    };
    let data: Vec<Row> = rows
        .into_iter()
        .map(|row| row.as_object().unwrap().clone())
        .collect();
    Chart {
        id: "chart_0".to_owned(),
        title: "Tree cover loss".to_owned(),
        kind,
        insight: String::new(),
        data,
        x_axis: x.to_owned(),
        y_axis: y.to_owned(),
        color_field: String::new(),
        stack_field: String::new(),
        group_field: String::new(),
        series_fields: Vec::new(),
        color_map: Map::new(),
        series_color: Some("#DC6C9A".to_owned()),
        divergent_colors: None,
    }
}

fn count(svg: &str, part: &str) -> usize {
    svg.matches(part).count()
}

#[test]
fn years_are_bars_in_the_order_of_time() {
    let svg = chart(
        Kind::Bar,
        json!([{ "year": 2016, "area_ha": 20.0 }, { "year": 2015, "area_ha": 10.0 }]),
        "year",
        "area_ha",
    )
    .to_svg()
    .unwrap();
    assert!(
        svg.contains("aria-label=\"bar chart: Tree cover loss. 2 data points.\""),
        "{svg}"
    );
    assert_eq!(count(&svg, "fill=\"#DC6C9A\""), 2);
    assert!(svg.find("2015, Area (ha): 10").unwrap() < svg.find("2016, Area (ha): 20").unwrap());
    assert!(svg.contains(">Area (ha)<"), "{svg}");
}

#[test]
fn long_rows_become_one_line_for_each_colour() {
    let mut long = chart(
        Kind::Line,
        json!([
            { "month": "2024-01", "confidence": "low", "area_ha": 1.0 },
            { "month": "2024-01", "confidence": "high", "area_ha": 2.0 },
            { "month": "2024-02", "confidence": "low", "area_ha": 3.0 },
        ]),
        "month",
        "area_ha",
    );
    long.color_field = "confidence".to_owned();
    let plot = Plot::of(&long);
    assert_eq!(plot.positions, ["2024-01", "2024-02"]);
    assert_eq!(plot.series[0].values, [Some(1.0), Some(3.0)]);
    assert_eq!(plot.series[1].values, [Some(2.0), None]);
    assert_eq!(count(&long.to_svg().unwrap(), "<path"), 2);
}

#[test]
fn a_few_series_are_named_in_full_and_share_the_unit_of_the_axis() {
    let rows =
        json!([{ "year": 2020, "loss_from_fires_area_ha": 1.0, "loss_from_other_causes_area_ha": 2.0 }]);
    let mut stacked = chart(Kind::StackedBar, rows, "year", "");
    stacked.series_fields = vec![
        "loss_from_fires_area_ha".to_owned(),
        "loss_from_other_causes_area_ha".to_owned(),
    ];
    let svg = stacked.to_svg().unwrap();
    for text in [
        ">Loss from fires area (ha)<",
        ">Loss from other causes area (ha)<",
        ">ha<",
    ] {
        assert!(svg.contains(text), "{text} is missing in {svg}");
    }
}

#[test]
fn a_pie_has_at_most_eight_slices_and_the_rest_is_other() {
    let rows: Vec<Value> = (1..=12)
        .map(|n| json!({ "class": format!("c{n}"), "area_ha": n }))
        .collect();
    let pie = chart(Kind::Pie, json!(rows), "class", "area_ha");
    let slices = slices(&pie).unwrap();
    assert_eq!(slices.len(), 8);
    assert_eq!((slices[7].name.as_str(), slices[7].value), ("Other", 15.0));
    assert!(pie.to_svg().unwrap().contains(">78<"));
}

#[test]
fn a_pie_with_a_negative_part_is_drawn_as_bars() {
    let pie = chart(
        Kind::Pie,
        json!([{ "c": "a", "v_ha": 1 }, { "c": "b", "v_ha": -1 }]),
        "c",
        "v_ha",
    );
    assert_eq!(slices(&pie), None);
    assert!(pie.to_svg().unwrap().contains("<rect"));
}

#[test]
fn values_below_zero_have_their_own_colour() {
    let mut flux = chart(
        Kind::Bar,
        json!([{ "name": "A", "f_ha": 2 }, { "name": "B", "f_ha": -2 }]),
        "name",
        "f_ha",
    );
    flux.divergent_colors = Some(crate::DivergentColors {
        positive: "#9a65c0".to_owned(),
        negative: "#137375".to_owned(),
    });
    let svg = flux.to_svg().unwrap();
    assert_eq!((count(&svg, "\"#9a65c0\""), count(&svg, "\"#137375\"")), (1, 1));
}

#[test]
fn a_table_is_no_picture_and_its_rows_are_csv() {
    let mut table = chart(
        Kind::Table,
        json!([{ "name": "A, \"b\"", "driver__slug": "x", "area_ha": 1.5 }, { "name": "=1+1", "area_ha": null }]),
        "",
        "",
    );
    assert_eq!(table.to_svg(), None);
    assert_eq!(
        table.to_csv(),
        "name,area_ha\r\n\"A, \"\"b\"\"\",1.5\r\n'=1+1,\r\n"
    );
    table.data.clear();
    assert!(table.check().is_err());
}

#[test]
fn a_chart_without_an_axis_is_refused() {
    let rows = json!([{ "year": 2015, "area_ha": 1.0 }]);
    assert!(chart(Kind::Bar, rows.clone(), "year", "").check().is_err());
    assert!(chart(Kind::Bar, rows.clone(), "year", "value").check().is_err());
    assert!(chart(Kind::Bar, rows.clone(), "year", "area_ha").check().is_ok());
    assert!(chart(Kind::Pie, rows, "year", "").check().is_ok());
}

#[test]
fn the_wire_has_exactly_fourteen_keys() {
    let value = serde_json::to_value(chart(Kind::StackedBar, json!([{ "a": 1 }]), "a", "a")).unwrap();
    let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "id",
            "title",
            "type",
            "insight",
            "data",
            "xAxis",
            "yAxis",
            "colorField",
            "stackField",
            "groupField",
            "seriesFields",
            "colorMap",
            "seriesColor",
            "divergentColors"
        ]
    );
    assert_eq!(value["type"], "stacked-bar");
}

proptest! {
    #[test]
    fn a_drawing_is_whole_whatever_the_rows_and_titles(
        title in ".{0,40}",
        cells in prop::collection::vec((".{0,12}", prop::option::of(-1e15f64..1e15)), 1..30),
        kind in prop::sample::select(vec![Kind::Bar, Kind::Line, Kind::Area, Kind::Pie, Kind::Scatter, Kind::StackedBar]),
    ) {
        let rows: Vec<Value> = cells.iter().map(|(name, value)| json!({ "name": name, "v_ha": value })).collect();
        let mut any = chart(kind, json!(rows), "name", "v_ha");
        any.title = title;
        let svg = any.to_svg().unwrap();
        prop_assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"));
        prop_assert_eq!(count(&svg, "<svg"), 1);
    }
}
