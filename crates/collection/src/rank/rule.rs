//! `metadata_rule_v1`: a weighted sum of comparisons between what is recorded of two objects.
//!
//! A comparison counts only when both records have the data; a record with none that counts is unscored, not
//! scored zero. Explanations state recorded coincidence and nothing more: no influence, style or school.

use serde_json::{Value, json};

use super::{
    Axis, Component, Explanation, FieldTerms, Ranker, Scored,
    compare::{ClassificationPath, Comparison, DateProximity, GeographyLevel, SharedArtist, TermOverlap},
};
use crate::{Budget, Columns, Error, Row, StringField};

/// Candidates between two looks at the budget.
const BUDGET_STEP: usize = 1_024;

const TECHNIQUE_MATERIAL: [(&str, f64); 3] = [
    ("medium_terms", 0.50),
    ("classification_path", 0.30),
    ("object_name_terms", 0.20),
];
const CONTEXT: [(&str, f64); 5] = [
    ("date_proximity", 0.30),
    ("culture_terms", 0.25),
    ("geography_level", 0.20),
    ("shared_artist", 0.15),
    ("period_terms", 0.10),
];

/// The comparisons of one axis with one anchor.
pub(super) struct Rule<'a> {
    parts: Vec<Part<'a>>,
}

struct Part<'a> {
    name: &'static str,
    weight: f64,
    comparison: Box<dyn Comparison + 'a>,
}

/// The weights of both axes.
pub(super) fn rules() -> Value {
    let weights = |table: &[(&str, f64)]| {
        table
            .iter()
            .map(|&(name, weight)| (name.to_owned(), Value::from(weight)))
            .collect::<Value>()
    };
    json!({
        Axis::TechniqueMaterial.name(): weights(&TECHNIQUE_MATERIAL),
        Axis::Context.name(): weights(&CONTEXT),
    })
}

impl<'a> Rule<'a> {
    /// The comparisons for which the anchor has data; nothing if there are none.
    pub(super) fn new(columns: &'a Columns, terms: &'a FieldTerms, axis: Axis, anchor: Row) -> Option<Self> {
        let table: &[(&str, f64)] = match axis {
            Axis::TechniqueMaterial => &TECHNIQUE_MATERIAL,
            Axis::Context => &CONTEXT,
            Axis::Topic | Axis::Visual | Axis::Style => return None,
        };
        let part = |&(name, weight): &(&'static str, f64)| {
            Some(Part {
                name,
                weight,
                comparison: comparison(name, columns, terms, anchor)?,
            })
        };
        let parts: Vec<_> = table.iter().filter_map(part).collect();
        (!parts.is_empty()).then_some(Self { parts })
    }
}

/// The comparison of that name, if the anchor has data for it.
fn comparison<'a>(
    name: &str,
    columns: &'a Columns,
    terms: &'a FieldTerms,
    anchor: Row,
) -> Option<Box<dyn Comparison + 'a>> {
    let overlap = |field, what| TermOverlap::new(columns, terms, field, what, anchor).map(boxed);
    match name {
        "medium_terms" => overlap(StringField::Medium, "medium"),
        "object_name_terms" => overlap(StringField::ObjectName, "object name"),
        "culture_terms" => overlap(StringField::Culture, "culture"),
        "period_terms" => overlap(StringField::Period, "period"),
        "classification_path" => ClassificationPath::new(columns, anchor).map(boxed),
        "date_proximity" => DateProximity::new(columns, anchor).map(boxed),
        "geography_level" => GeographyLevel::new(columns, anchor).map(boxed),
        "shared_artist" => SharedArtist::new(columns, anchor).map(boxed),
        _ => None,
    }
}

fn boxed<'a>(comparison: impl Comparison + 'a) -> Box<dyn Comparison + 'a> {
    Box::new(comparison)
}

impl Ranker for Rule<'_> {
    fn score(&self, candidates: &[Row], budget: &Budget<'_>) -> Result<Vec<Scored>, Error> {
        let mut scored = Vec::new();
        for (step, &row) in candidates.iter().enumerate() {
            if step.is_multiple_of(BUDGET_STEP) {
                budget.check()?;
            }
            let score: f64 = self
                .parts
                .iter()
                .map(|part| part.weight * part.comparison.value(row))
                .sum();
            if score > 0.0 {
                scored.push(Scored { row, score });
            }
        }
        Ok(scored)
    }

    fn explain(&self, candidate: Row) -> Explanation {
        let mut explanation = Explanation::default();
        for Part {
            name,
            weight,
            comparison,
        } in &self.parts
        {
            let value = comparison.value(candidate);
            if value > 0.0 {
                explanation.components.push(Component {
                    component: (*name).to_owned(),
                    value,
                    weight: *weight,
                    contribution: weight * value,
                });
                explanation.why_related.push(comparison.why(candidate));
            }
        }
        explanation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_of_an_axis_sum_to_one() {
        for table in [&TECHNIQUE_MATERIAL[..], &CONTEXT[..]] {
            let sum: f64 = table.iter().map(|(_, weight)| weight).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        }
    }
}
