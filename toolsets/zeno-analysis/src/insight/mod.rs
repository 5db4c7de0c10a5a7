//! From pulled rows to charts and words that can be checked.
//!
//! Rows become a [`frame::Frame`]; rules or a model's program make [`sketch::Sketch`]es of it, whose numbers know their
//! rows; facts, charts, the text and the message follow from the sketches. No number takes another way.

pub(crate) mod facts;
pub(crate) mod frame;
pub(crate) mod generate;
mod message;
mod narrative;
mod program;
mod quoted;
pub(crate) mod record;
mod refusal;
pub(crate) mod sketch;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use periplus_chart::{Chart, unit};
use periplus_interpreter::Interpreter;
use periplus_llm::ChatModel;
use tokio_util::sync::CancellationToken;

use self::{
    facts::Fact,
    frame::Frame,
    generate::{Draft, Study},
    narrative::Narrative,
    quoted::Quotable,
    record::{ApiCall, Insight, StatedFigure},
    sketch::{Cell, Sketch},
};
use crate::{catalogue::Dataset, chart, choice::Words, statistics::Statistics};

/// What is asked, of which rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) text: &'a str,
    pub(crate) language: &'a str,
    pub(crate) dataset: &'a Dataset,
    pub(crate) records: &'a [Statistics],
    pub(crate) frame: &'a Frame,
}

/// Who may help.
#[derive(Debug)]
pub(crate) struct Helpers<'a> {
    /// Writes the text; a template does if there is none.
    pub(crate) writer: Option<&'a Arc<dyn ChatModel>>,
    /// Write programs, in the order in which they are tried; rules make the charts if there are none.
    pub(crate) coders: &'a [Arc<dyn ChatModel>],
    pub(crate) interpreter: Option<&'a Interpreter>,
    pub(crate) cancel: CancellationToken,
}

/// What became of a question.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The dataset cannot answer it, in words for the user.
    Refused(String),
    /// Charts and what they say.
    Found(Box<Found>),
}

/// Charts, their text, and the message that carries both.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) message: String,
    pub(crate) insight: Insight,
    pub(crate) charts: Vec<Chart>,
}

/// Sketches with how they were made.
#[derive(Debug)]
struct Made {
    draft: Draft,
    program: Option<String>,
}

/// Answers a question from rows.
///
/// # Errors
/// Why there are no charts, in words for the caller.
pub(crate) async fn answer(question: Question<'_>, helpers: Helpers<'_>) -> Result<Answer, String> {
    let words = Words::of(question.text);
    let Some(record) = question.records.first() else {
        return Err("there are no statistics".to_owned());
    };
    let study = Study {
        dataset: question.dataset,
        frame: question.frame,
        record,
        question: &words,
    };
    if let Some(refusal) = refusal::of(study) {
        return Ok(Answer::Refused(refusal.to_owned()));
    }
    let made = make(&question, study, &helpers).await;
    if made.draft.sketches.is_empty() {
        return Err(
            "the rows hold nothing but zeros or missing values, so there is nothing to draw".to_owned(),
        );
    }
    let (charts, derivations) = chart::publish(&made.draft.sketches, question.dataset)?;
    let quotable = quotable(&question, study, &made.draft);
    let narrative = narrative::write(&question, study, &made.draft, &quotable, &helpers).await;
    let insight = insight(&question, study, &made, &narrative, derivations);
    let charts: Vec<Chart> = charts
        .into_iter()
        .map(|chart| Chart {
            insight: narrative.text.clone(),
            ..chart
        })
        .collect();
    let message = message::write(&question, study, &made.draft, &narrative, &insight, &charts);
    Ok(Answer::Found(Box::new(Found {
        message,
        insight,
        charts,
    })))
}

/// A program's charts where one can be had, else those of the rules.
async fn make(question: &Question<'_>, study: Study<'_>, helpers: &Helpers<'_>) -> Made {
    let by_rules = || Made {
        draft: generate::draft(study),
        program: None,
    };
    let Some(interpreter) = helpers.interpreter.filter(|_| !helpers.coders.is_empty()) else {
        return by_rules();
    };
    match program::make(question, study, helpers.coders, interpreter, &helpers.cancel).await {
        Ok(made) => made,
        Err(error) => {
            tracing::warn!(%error, "no program made charts, rules do");
            let mut made = by_rules();
            made.draft.notes.push(format!(
                "Made by built-in rules, because no model's program could be used: {error}."
            ));
            made
        }
    }
}

/// Every number that a text about these sketches may state.
fn quotable(question: &Question<'_>, study: Study<'_>, draft: &Draft) -> Quotable {
    let mut quotable = Quotable::default();
    for cell in draft
        .sketches
        .iter()
        .flat_map(|sketch| &sketch.rows)
        .flatten()
        .map(|(_, cell)| cell)
    {
        match cell {
            Cell::Figure(Some(figure)) => quotable.figure(figure.value),
            Cell::Figure(None) => {}
            Cell::Label(label) => quotable.text(&frame::text_of(label)),
        }
    }
    for stated in draft.facts.iter().flat_map(|fact| &fact.figures) {
        quotable.figure(stated.figure.value);
    }
    for fact in &draft.facts {
        for stated in &fact.figures {
            quotable.text(&stated.label);
        }
    }
    for sketch in &draft.sketches {
        quotable.text(&sketch.title);
        quotable.count(sketch.rows.len());
    }
    quotable.count(draft.sketches.len());
    for record in question.records {
        for date in [&record.start_date, &record.end_date] {
            quotable.text(date);
            quotable.text(date.get(..4).unwrap_or(date));
        }
        if let Some(canopy) = record.provenance.canopy_cover {
            quotable.count(canopy as usize);
        }
        quotable.count(record.aoi_names.len());
    }
    quotable.text(&question.dataset.cautions);
    quotable.text(&question.dataset.resolution);
    quotable.text(&study.area());
    quotable
}

fn insight(
    question: &Question<'_>,
    study: Study<'_>,
    made: &Made,
    narrative: &Narrative,
    derivations: Vec<record::Derivation>,
) -> Insight {
    let Question { dataset, records, .. } = question;
    Insight {
        text: narrative.text.clone(),
        follow_ups: narrative.follow_ups.clone(),
        language: narrative.language.clone(),
        dataset_name: dataset.dataset_name.clone(),
        dataset_id: dataset.dataset_id,
        dataset_short_name: dataset.short_name.clone(),
        area: study.area(),
        start_date: records
            .iter()
            .map(|record| record.start_date.clone())
            .min()
            .unwrap_or_default(),
        end_date: records
            .iter()
            .map(|record| record.end_date.clone())
            .max()
            .unwrap_or_default(),
        context_layer: study.record.context_layer.clone(),
        canopy_cover: study.record.provenance.canopy_cover,
        units: units(&made.draft.sketches),
        source_urls: records
            .iter()
            .flat_map(Statistics::urls)
            .map(str::to_owned)
            .collect(),
        requests: records.iter().flat_map(ApiCall::of).collect(),
        row_count: question.frame.row_count(),
        cautions: dataset.cautions.clone(),
        attribution: attribution(records),
        method: if made.program.is_some() {
            "program"
        } else {
            "rules"
        }
        .to_owned(),
        program: made.program.clone(),
        figures: made
            .draft
            .facts
            .iter()
            .flat_map(|fact: &Fact| &fact.figures)
            .map(StatedFigure::new)
            .collect(),
        derivations,
    }
}

/// The units of all figures, each once.
fn units(sketches: &[Sketch]) -> Vec<String> {
    let mut units: Vec<String> = Vec::new();
    for (column, cell) in sketches.iter().flat_map(|sketch| &sketch.rows).flatten() {
        if let (Cell::Figure(_), Some(unit)) = (cell, unit(column))
            && !units.iter().any(|known| known == unit)
        {
            units.push(unit.to_owned());
        }
    }
    units
}

/// The lines of all publications, each once.
fn attribution(records: &[Statistics]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for source in records.iter().flat_map(|record| &record.provenance.sources) {
        let line = format!(
            "{} ({}). Licence: {}. {}",
            source.publisher, source.vintage, source.licence, source.attribution
        );
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}
