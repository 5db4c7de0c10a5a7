//! From rows to what is drawn: positions along x, and one series of values for each colour.

use serde_json::Value;

use crate::{Chart, Kind, label, label::is_time};

/// Colours of series, in their order; told apart by people who see few colours.
pub(crate) const PALETTE: [&str; 10] = [
    "#3b82f6", "#FF9916", "#00A651", "#F26798", "#01B9F3", "#FF452C", "#BA4AFF", "#FFD80B", "#00DCA7",
    "#895277",
];

/// Dashes of lines, in their order; the first is solid.
pub(crate) const DASHES: [&str; 9] = [
    "",
    "6 3",
    "2 2",
    "10 4",
    "10 4 2 4",
    "6 3 2 3 2 3",
    "14 4",
    "4 4",
    "8 3 2 3",
];

/// Slices of a pie; smaller ones become one.
const MAX_SLICES: usize = 8;

/// What a chart draws.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plot {
    pub(crate) positions: Vec<String>,
    pub(crate) series: Vec<Series>,
}

/// Values of one colour, one for each position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) color: String,
    pub(crate) values: Vec<Option<f64>>,
}

/// One part of a whole.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Slice {
    pub(crate) name: String,
    pub(crate) color: String,
    pub(crate) value: f64,
}

impl Plot {
    pub(crate) fn of(chart: &Chart) -> Self {
        let split = [&chart.stack_field, &chart.group_field, &chart.color_field]
            .into_iter()
            .find(|column| !column.is_empty() && **column != chart.x_axis);
        match split {
            Some(split) if chart.series_fields.len() < 2 => pivoted(chart, split),
            _ => columns(chart),
        }
    }

    pub(crate) fn bounds(&self, stacked: bool) -> (f64, f64) {
        let (mut low, mut high) = (0.0f64, 0.0f64);
        for position in 0..self.positions.len() {
            let values = self
                .series
                .iter()
                .filter_map(|series| series.values.get(position).copied().flatten());
            if stacked {
                let (negative, positive): (Vec<f64>, Vec<f64>) = values.partition(|value| *value < 0.0);
                low = low.min(negative.iter().sum());
                high = high.max(positive.iter().sum());
            } else {
                for value in values {
                    low = low.min(value);
                    high = high.max(value);
                }
            }
        }
        (low, if low == high { low + 1.0 } else { high })
    }
}

/// Every value column is a series.
fn columns(chart: &Chart) -> Plot {
    let names: Vec<&str> = if !chart.series_fields.is_empty() {
        chart.series_fields.iter().map(String::as_str).collect()
    } else if !chart.y_axis.is_empty() {
        vec![&chart.y_axis]
    } else {
        chart.columns().filter(|column| *column != chart.x_axis).collect()
    };
    let rows = in_order(chart);
    let alone = names.len() == 1;
    let series = names.iter().enumerate().map(|(index, column)| {
        let own = chart.color_map.get(*column).and_then(Value::as_str);
        let single = chart.series_color.as_deref().filter(|_| alone);
        let positive = chart.divergent_colors.as_ref().filter(|_| alone);
        Series {
            name: label(column),
            color: own
                .or(positive.map(|colors| colors.positive.as_str()))
                .or(single)
                .unwrap_or(PALETTE[index % PALETTE.len()])
                .to_owned(),
            values: rows
                .iter()
                .map(|row| row.get(*column).and_then(Value::as_f64))
                .collect(),
        }
    });
    Plot {
        series: series.collect(),
        positions: rows.iter().map(|row| text(row.get(&chart.x_axis))).collect(),
    }
}

/// Every value of a column is a series: long rows side by side.
fn pivoted(chart: &Chart, split: &str) -> Plot {
    let value_column = if chart.y_axis.is_empty() {
        chart.series_fields.first().map_or("", String::as_str)
    } else {
        &chart.y_axis
    };
    let mut positions: Vec<String> = Vec::new();
    let mut series: Vec<Series> = Vec::new();
    for row in in_order(chart) {
        let at = text(row.get(&chart.x_axis));
        let position = positions
            .iter()
            .position(|known| *known == at)
            .unwrap_or_else(|| {
                positions.push(at);
                positions.len() - 1
            });
        let name = text(row.get(split));
        let index = series
            .iter()
            .position(|known| known.name == name)
            .unwrap_or_else(|| {
                series.push(Series {
                    color: color_of(chart, split, row)
                        .unwrap_or_else(|| PALETTE[series.len() % PALETTE.len()].to_owned()),
                    values: Vec::new(),
                    name,
                });
                series.len() - 1
            });
        let values = &mut series[index].values;
        values.resize(values.len().max(position + 1), None);
        values[position] = row.get(value_column).and_then(Value::as_f64);
    }
    for one in &mut series {
        one.values.resize(positions.len(), None);
    }
    Plot { positions, series }
}

/// Rows in the order of time where x is a time, else as they are.
fn in_order(chart: &Chart) -> Vec<&crate::Row> {
    let mut rows: Vec<_> = chart.data.iter().collect();
    if is_time(&chart.x_axis) {
        rows.sort_by(|a, b| {
            let (a, b) = (a.get(&chart.x_axis), b.get(&chart.x_axis));
            match (a.and_then(Value::as_f64), b.and_then(Value::as_f64)) {
                (Some(a), Some(b)) => a.total_cmp(&b),
                _ => text(a).cmp(&text(b)),
            }
        });
    }
    rows
}

/// The colour of a row by a column: by its slug where it has one.
fn color_of(chart: &Chart, column: &str, row: &crate::Row) -> Option<String> {
    let slug = row.get(&format!("{column}__slug")).or_else(|| row.get(column));
    chart
        .color_map
        .get(&text(slug))
        .and_then(Value::as_str)
        .map(str::to_owned)
}

/// The slices of a pie, largest first, the smallest joined. None if a value is negative: a pie cannot show it.
pub(crate) fn slices(chart: &Chart) -> Option<Vec<Slice>> {
    let value_column = if chart.y_axis.is_empty() {
        chart.columns().find(|column| *column != chart.x_axis)?
    } else {
        &chart.y_axis
    };
    let mut slices = Vec::new();
    for (index, row) in chart.data.iter().enumerate() {
        let value = row.get(value_column).and_then(Value::as_f64).unwrap_or(0.0);
        if value < 0.0 {
            return None;
        }
        if value > 0.0 {
            slices.push(Slice {
                name: text(row.get(&chart.x_axis)),
                color: color_of(chart, &chart.x_axis, row)
                    .unwrap_or_else(|| PALETTE[index % PALETTE.len()].to_owned()),
                value,
            });
        }
    }
    slices.sort_by(|a, b| b.value.total_cmp(&a.value));
    if slices.len() > MAX_SLICES {
        let rest = slices.split_off(MAX_SLICES - 1);
        slices.push(Slice {
            name: "Other".to_owned(),
            color: "#D3D3D3".to_owned(),
            value: rest.iter().map(|slice| slice.value).sum(),
        });
    }
    (!slices.is_empty()).then_some(slices)
}

/// A cell as a name.
pub(crate) fn text(cell: Option<&Value>) -> String {
    match cell {
        None | Some(Value::Null) => "no value".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

impl Chart {
    /// Whether values of one position are drawn on top of each other.
    pub(crate) fn is_stacked(&self) -> bool {
        matches!(self.kind, Kind::StackedBar | Kind::Area)
    }
}
