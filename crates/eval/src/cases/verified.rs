//! Figures that the live service is known to give, compared with those that an insight holds.
//!
//! A row says what is asked of which areas by their ids, so its chain begins with the pull. Where the data at hand have the
//! figure (the row says so), it has to be within half a percent; where they have not, the tools have to say that.

use futures::{FutureExt as _, future::BoxFuture};
use serde_json::{Value, json};

use super::{Case, Kind, each};
use crate::{
    EvalError, Verdict, Zeno,
    chain::{Refusal, text},
    datasets::Period,
    table::Row,
};

pub(crate) const KIND: Kind = Kind {
    name: "verified-answers",
    columns: &[
        "case_id",
        "dataset_id",
        "aoi_ids",
        "context_layer",
        "canopy_cover",
        "start",
        "end",
        "class",
        "measure",
        "published_value",
        "unit",
        "value_in_these_files",
        "ratio",
    ],
    read: |rows| each(rows, Verified::read),
};

/// How far a figure may be from the published one.
const TOLERANCE: f64 = 0.005;

/// What stands in place of ids where all countries are meant.
const WORLD: &str = "(all countries)";

/// The row of a chart of emissions, removals and what is left of them.
const NET_FLUX: &str = "Net flux";

#[derive(Debug)]
struct Verified {
    id: String,
    dataset_id: u32,
    areas: Vec<String>,
    layer: Option<String>,
    canopy: Option<u32>,
    period: Period,
    /// Classes of which any counts, each as the labels that its row has.
    classes: Vec<Vec<String>>,
    measure: String,
    published: f64,
    unit: String,
    /// Whether the data that are shipped have the figure.
    is_held: bool,
}

impl Verified {
    fn read(row: &Row) -> Result<Self, EvalError> {
        // A question mark says that the source does not name the threshold.
        let canopy = row.text("canopy_cover").trim_end_matches('?');
        let canopy = match canopy {
            "" => None,
            percent => {
                let percent = percent.parse().ok();
                Some(percent.ok_or_else(|| row.wrong("canopy_cover", "percentage"))?)
            }
        };
        // Remarks stand in brackets behind the measure.
        let measure = row.required("measure", "measure")?;
        let measure = measure.split(' ').next().unwrap_or(measure).to_owned();
        let classes = match row.text("class") {
            "" if measure.contains("net_flux") => vec![vec![NET_FLUX.to_owned()]],
            "" => Vec::new(),
            class => class.split(" + ").map(labels).collect(),
        };
        Ok(Self {
            id: row.required("case_id", "id of the question")?.to_owned(),
            dataset_id: row.parse("dataset_id", "dataset id")?,
            areas: row.list("aoi_ids"),
            layer: row.some("context_layer").map(str::to_owned),
            canopy,
            period: Period::asked(row.some("start"), row.some("end")),
            classes,
            measure,
            published: row.parse("published_value", "number")?,
            unit: row.text("unit").to_owned(),
            is_held: row.some("value_in_these_files").is_some(),
        })
    }

    /// A change of land cover has two classes.
    fn is_change(&self) -> bool {
        self.classes.iter().any(|labels| labels.len() > 1)
    }

    async fn selection(&self, zeno: &Zeno) -> Result<Value, Refusal> {
        if self.areas.iter().any(|id| id == WORLD) {
            let picked = zeno.pick_aoi("all countries of the world").await?;
            return Ok(picked["aoi_selection"].clone());
        }
        let aois: Vec<Value> = self
            .areas
            .iter()
            .map(|id| {
                let subtype = match id.matches('.').count() {
                    0 => "country",
                    1 => "state-province",
                    _ => "district-county",
                };
                json!({ "source": "gadm", "src_id": id, "name": id, "subtype": subtype })
            })
            .collect();
        Ok(json!({ "name": self.areas.join(" & "), "aois": aois }))
    }

    async fn run(&self, zeno: &Zeno) -> Result<Verdict, Refusal> {
        let selection = self.selection(zeno).await?;
        let parameters = self
            .canopy
            .map(|canopy| json!([{ "name": "canopy_cover", "values": [canopy] }]));
        let mut dataset = json!({
            "dataset_id": self.dataset_id, "context_layer": self.layer, "parameters": parameters,
            "start_date": self.period.start, "end_date": self.period.end,
        });
        let question = self.question();
        let pulled = zeno
            .pull_data(&question, self.is_change(), &dataset, &selection)
            .await?;
        let statistics = &pulled["statistics"];
        dataset["dataset_name"] = statistics["dataset_name"].clone();
        let covered = Period::of(statistics);
        if let Some(reason) = self.missing(statistics, &covered).filter(|_| !self.is_held) {
            return Ok(Verdict::Refused { reason });
        }
        let insight = zeno.generate_insight(&question, statistics, &dataset).await?;
        Ok(match self.figure(&insight) {
            Some(figure) if is_near(figure, self.published) => Verdict::Passed,
            Some(figure) => Verdict::failed(&self.expected(), &figure),
            None => Verdict::failed(
                &self.expected(),
                &format!("no figure: {}", text(&insight, "message")),
            ),
        })
    }

    /// What the record says to be missing from its figures.
    fn missing(&self, statistics: &Value, covered: &Period) -> Option<String> {
        if *covered != self.period {
            return Some(format!(
                "{} is asked for, and the record says {covered}",
                self.period
            ));
        }
        let without = statistics.pointer("/provenance/areas_not_held")?.as_array()?;
        (!without.is_empty()).then(|| format!("the record names {} areas without figures", without.len()))
    }

    /// The figure in the rows of the first chart of the measure, added up over times and places.
    fn figure(&self, insight: &Value) -> Option<f64> {
        let charts = insight["charts"].as_array()?;
        let rows = charts
            .iter()
            .filter_map(|chart| chart["data"].as_array())
            .find(|rows| rows.iter().any(|row| row.get(&self.measure).is_some()))?;
        rows.iter()
            .filter(|row| self.counts(row))
            .filter_map(|row| row[&self.measure].as_f64())
            .reduce(|sum, value| sum + value)
    }

    fn counts(&self, row: &Value) -> bool {
        let has = |label: &String| {
            let cells = row.as_object().into_iter().flat_map(|cells| cells.values());
            cells
                .filter_map(Value::as_str)
                .any(|cell| cell.eq_ignore_ascii_case(label))
        };
        self.classes.is_empty() || self.classes.iter().any(|labels| labels.iter().all(has))
    }

    fn expected(&self) -> String {
        format!("{} {} within {} %", self.published, self.unit, TOLERANCE * 100.0)
    }
}

/// The labels of a class: one, or those of a change from one to another.
fn labels(class: &str) -> Vec<String> {
    class.split(" > ").map(|label| label.trim().to_owned()).collect()
}

fn is_near(figure: f64, published: f64) -> bool {
    (figure - published).abs() <= published.abs() * TOLERANCE
}

impl Case for Verified {
    fn id(&self) -> &str {
        &self.id
    }

    fn question(&self) -> String {
        let classes: Vec<String> = self.classes.iter().map(|labels| labels.join(" to ")).collect();
        let classes = match classes.as_slice() {
            [] => String::new(),
            classes => format!(" of {}", classes.join(" and ")),
        };
        let areas = self.areas.join(" and ");
        format!("Total {}{classes} in {areas}, {}", self.measure, self.period)
    }

    fn ask<'a>(&'a self, zeno: &'a Zeno) -> BoxFuture<'a, Verdict> {
        async move {
            match self.run(zeno).await {
                Ok(verdict) => verdict,
                Err(refusal) if !self.is_held && refusal.is_an_answer() => Verdict::Refused {
                    reason: refusal.to_string(),
                },
                Err(refusal) => Verdict::failed(&self.expected(), &refusal),
            }
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Table;

    fn read(row: &str) -> Verified {
        let header = KIND.columns.join(",");
        let table = Table::read("mine.csv", &format!("{header}\n{row}\n")).unwrap();
        Verified::read(&table.rows[0]).unwrap()
    }

    #[test]
    fn a_figure_is_the_sum_over_the_rows_of_its_classes() {
        let case = read("1,11,BRA.25,,,2024-07-01,2024-12-31,high + highest,area_ha,30,ha,,");
        let charts = json!({ "charts": [{ "data": [
            { "alert_confidence": "high", "area_ha": 10.0 },
            { "alert_confidence": "highest", "area_ha": 20.1 },
            { "alert_confidence": "low", "area_ha": 500.0 },
        ] }] });
        let figure = case.figure(&charts).unwrap();
        assert!(
            is_near(figure, case.published) && !is_near(figure, 30.5),
            "{figure}"
        );
        assert_eq!(
            case.figure(&json!({ "charts": [{ "data": [{ "x": 1 }] }] })),
            None
        );
    }

    #[test]
    fn a_change_has_both_of_its_classes() {
        let case = read("1,1,IDN.10.24,,,2015,2024,Tree cover > Built-up,area_ha,8,ha,,");
        let row =
            |start: &str, end: &str| json!({ "land_cover_class_start": start, "land_cover_class_end": end });
        assert!(case.is_change() && case.counts(&row("Tree cover", "Built-up")));
        assert!(!case.counts(&row("Tree cover", "Cropland")));
        assert_eq!(case.period.to_string(), "2015-01-01 to 2024-12-31");
    }

    #[test]
    fn what_is_left_of_emissions_and_removals_is_the_net_flux() {
        let case = read("1,6,GBR,,30?,2001,2025,,carbon_net_flux_Mg_CO2e (total),-323451481,Mg CO2e,,");
        assert_eq!((case.canopy, case.is_held), (Some(30), false));
        let chart = json!({ "charts": [{ "data": [
            { "flux": "Gross emissions", "carbon_net_flux_Mg_CO2e": 7.0 },
            { "flux": "Net flux", "carbon_net_flux_Mg_CO2e": -2.0 },
        ] }] });
        assert_eq!(case.figure(&chart), Some(-2.0));
    }
}
