//! From a sketch to a published chart: its colours, its keys, and where each of its numbers comes from.

use periplus_chart::{Chart, DivergentColors, Kind, Row};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::{
    catalogue::Dataset,
    insight::{
        frame::text_of,
        record::Derivation,
        sketch::{Cell, Sketch},
    },
};

/// Colours of classes that a dataset gives none.
const FALLBACK: [&str; 10] = [
    "#4C78A8", "#F58518", "#54A24B", "#B279A2", "#E45756", "#72B7B2", "#EECA3B", "#FF9DA6", "#9D755D",
    "#BAB0AC",
];

/// What is joined into one part.
const OTHER: (&str, &str) = ("other", "#D3D3D3");

/// Sketches as charts, with the derivation of every number in them.
///
/// # Errors
/// A chart that cannot be drawn, in words for whoever made it.
pub(crate) fn publish(
    sketches: &[Sketch],
    dataset: &Dataset,
) -> Result<(Vec<Chart>, Vec<Derivation>), String> {
    let (mut charts, mut derivations) = (Vec::new(), Vec::new());
    for (index, sketch) in sketches.iter().enumerate() {
        let chart = chart(sketch, index, dataset);
        chart.check()?;
        derivations.extend(derive(sketch, index));
        charts.push(chart);
    }
    Ok((charts, derivations))
}

fn chart(sketch: &Sketch, index: usize, dataset: &Dataset) -> Chart {
    let mut data = sketch.data();
    let color_map = coloring_column(sketch)
        .map(|column| color(&mut data, column, dataset))
        .unwrap_or_default();
    Chart {
        id: format!("chart_{index}"),
        title: sketch.title.clone(),
        kind: sketch.kind,
        insight: String::new(),
        data,
        x_axis: sketch.x.clone(),
        y_axis: sketch.y.clone(),
        color_field: sketch.color.clone(),
        stack_field: sketch.stack.clone(),
        group_field: sketch.group.clone(),
        series_fields: sketch.series.clone(),
        color_map,
        series_color: dataset.series_color.clone(),
        divergent_colors: dataset.divergent_colors.as_ref().map(|colors| DivergentColors {
            positive: colors.positive.clone(),
            negative: colors.negative.clone(),
        }),
    }
}

/// The column whose values have colours.
fn coloring_column(sketch: &Sketch) -> Option<&str> {
    let pie = if sketch.kind == Kind::Pie { &sketch.x } else { "" };
    [&sketch.color, &sketch.stack, &sketch.group, pie]
        .into_iter()
        .find(|column| !column.is_empty())
}

/// Puts a slug next to every value of a column that has classes of the dataset, and gives each slug its colour: the
/// same in every language.
fn color(data: &mut [Row], column: &str, dataset: &Dataset) -> Map<String, Value> {
    let mut colors = Map::new();
    let slug_column = format!("{column}__slug");
    let known = |row: &Row| {
        [row.get(&slug_column), row.get(column)]
            .into_iter()
            .flatten()
            .any(|value| category(dataset, &text_of(value)).is_some())
    };
    if !data.iter().any(known) {
        return colors;
    }
    for row in data {
        // A translated label keeps its class in a slug of its own.
        let label = row
            .shift_remove(&slug_column)
            .or_else(|| row.get(column).cloned());
        let label = label.as_ref().map(text_of).unwrap_or_default();
        let (slug, color) = match category(dataset, &label) {
            Some((slug, color)) => (slug.to_owned(), color.to_owned()),
            None => {
                let slug = slug(&label);
                let color = if slug == OTHER.0 { OTHER.1 } else { fallback(&slug) };
                (slug, color.to_owned())
            }
        };
        colors.insert(slug.clone(), Value::from(color));
        // Beside its label, so that a person who reads the rows sees what belongs together.
        let cells: Vec<(String, Value)> = std::mem::take(row).into_iter().collect();
        for (name, value) in cells {
            let is_labelled = name == column;
            row.insert(name, value);
            if is_labelled {
                row.insert(slug_column.clone(), Value::from(slug.as_str()));
            }
        }
    }
    colors
}

/// Slug and colour of a class by its label.
fn category<'a>(dataset: &'a Dataset, label: &str) -> Option<(&'a str, &'a str)> {
    let wanted = slug(label);
    dataset
        .categories
        .iter()
        .find(|category| {
            category.label_en == label || slug(&category.label_en) == wanted || category.slug == wanted
        })
        .map(|category| (category.slug.as_str(), category.color.as_str()))
}

/// A label in lower case, words joined by `_`.
fn slug(label: &str) -> String {
    let mut slug = String::new();
    for character in label.to_lowercase().chars() {
        if character.is_alphanumeric() {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('_') {
            slug.push('_');
        }
    }
    slug.trim_end_matches('_').to_owned()
}

fn fallback(slug: &str) -> &'static str {
    let first = Sha256::digest(slug.as_bytes()).first().copied().unwrap_or(0);
    FALLBACK[usize::from(first) % FALLBACK.len()]
}

fn derive(sketch: &Sketch, index: usize) -> impl Iterator<Item = Derivation> {
    sketch.rows.iter().enumerate().flat_map(move |(row, cells)| {
        cells.iter().filter_map(move |(column, cell)| match cell {
            Cell::Figure(Some(figure)) => {
                Some(Derivation::new(format!("/{index}/data/{row}/{column}"), figure))
            }
            Cell::Figure(None) | Cell::Label(_) => None,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{catalogue::Catalogue, insight::frame::Figure};

    fn catalogue() -> Catalogue {
        Catalogue::load(&[]).unwrap()
    }

    fn pie(labels: &[&str]) -> Sketch {
        let mut sketch = Sketch::new(Kind::Pie, "Parts").x("class").y("area_ha");
        for (row, label) in labels.iter().enumerate() {
            let figure = Figure {
                value: 1.0,
                expression: "area_ha".to_owned(),
                rows: vec![row],
            };
            sketch.row(vec![
                ("class".to_owned(), Cell::Label(Value::from(*label))),
                ("area_ha".to_owned(), Cell::Figure(Some(figure))),
            ]);
        }
        sketch
    }

    #[test]
    fn colours_follow_the_class_and_not_its_spelling() {
        let catalogue = catalogue();
        let drivers = catalogue.find(8).unwrap();
        let sketch = pie(&["Settlements & Infrastructure", "Wildfire", "Other"]);
        let (charts, _) = publish(&[sketch], drivers).unwrap();
        let keys: Vec<&String> = charts[0].data[0].keys().collect();
        assert_eq!(keys, ["class", "class__slug", "area_ha"]);
        assert_eq!(charts[0].color_map["wildfire"], "#885128");
        assert_eq!(charts[0].color_map["other"], "#D3D3D3");
    }

    #[test]
    fn colours_do_not_change_with_the_language() {
        let catalogue = catalogue();
        let mut sketch = pie(&["Agricultura permanente"]);
        sketch.rows[0].push((
            "class__slug".to_owned(),
            Cell::Label(Value::from("permanent_agriculture")),
        ));
        let (charts, _) = publish(&[sketch], catalogue.find(8).unwrap()).unwrap();
        assert_eq!(charts[0].color_map["permanent_agriculture"], "#E39D29");
        assert_eq!(charts[0].data[0]["class__slug"], "permanent_agriculture");
        assert_eq!(charts[0].data[0]["class"], "Agricultura permanente");
    }

    #[test]
    fn a_dataset_without_classes_colours_nothing() {
        let catalogue = catalogue();
        let (charts, _) = publish(&[pie(&["low", "high"])], catalogue.find(11).unwrap()).unwrap();
        assert!(charts[0].color_map.is_empty() && charts[0].series_color.is_none());
        assert!(!charts[0].data[0].contains_key("class__slug"));
    }

    #[test]
    fn not_a_number_becomes_null_in_a_chart() {
        let catalogue = catalogue();
        let mut sketch = pie(&["Wildfire"]);
        if let (_, Cell::Figure(Some(figure))) = &mut sketch.rows[0][1] {
            figure.value = f64::NAN;
        }
        let (charts, _) = publish(&[sketch], catalogue.find(8).unwrap()).unwrap();
        assert_eq!(charts[0].data[0]["area_ha"], Value::Null);
    }

    #[test]
    fn a_chart_without_an_axis_is_not_published() {
        let catalogue = catalogue();
        let mut sketch = pie(&["Wildfire"]);
        sketch.kind = Kind::Bar;
        sketch.y.clear();
        assert!(publish(&[sketch], catalogue.find(8).unwrap()).is_err());
    }
}
