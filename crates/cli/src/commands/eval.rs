//! `eval`: questions with known answers, asked of the shipped toolsets.

use std::{
    io::{IsTerminal as _, Read as _},
    path::Path,
};

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use periplus_eval::{CaseReport, Catalogue, Report, Set, SetReport, Verdict, Zeno};

use super::{App, list::plain};
use crate::{
    Purpose,
    args::eval::{Eval, EvalZeno},
    config::{keys, nearest},
    exit::{CliError, Exit, Outcome},
    printer,
};

/// The toolsets from a place to an insight.
const TOOLSETS: [&str; 2] = ["zeno-aoi", "zeno-analysis"];

/// Longest file of questions that is read, in bytes.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

pub(crate) fn run(app: &App, command: &Eval) -> Outcome {
    match command {
        Eval::Zeno(args) => zeno(app, args),
    }
}

fn zeno(app: &App, args: &EvalZeno) -> Outcome {
    let sets = sets(&args.sets)?;
    let toolsets = TOOLSETS
        .into_iter()
        .map(|name| app.build(app.entry(name)?, Purpose::Calls))
        .collect::<Result<Vec<_>, CliError>>()?;
    let catalogue = if app.settings.text(&keys::DATABASE_URL).is_some() {
        Catalogue::Database
    } else {
        Catalogue::Embedded
    };
    let threshold = args.threshold / 100.0;
    super::block_on(async {
        for toolset in &toolsets {
            super::readiness(toolset).await;
        }
        let zeno = Zeno::new(toolsets, catalogue).map_err(|error| CliError::usage(error.to_string()))?;
        let bar = bar(sets.iter().map(Set::len).sum());
        let report = periplus_eval::run(&zeno, &sets, &|| bar.inc(1)).await;
        bar.finish_and_clear();
        if let Some(path) = &args.junit {
            write(path, &report.junit())?;
        }
        printer::data(&if args.json {
            report.json(threshold).to_string()
        } else {
            told(&report)
        })?;
        verdict(&report, threshold)
    })
}

/// The named sets and files; every shipped set if nothing is named.
fn sets(names: &[String]) -> Result<Vec<Set>, CliError> {
    let all: Vec<String> = Set::names().map(str::to_owned).collect();
    let names = if names.is_empty() { &all } else { names };
    names.iter().map(|name| set(name)).collect()
}

fn set(name: &str) -> Result<Set, CliError> {
    let usage = |error: periplus_eval::EvalError| CliError::usage(crate::exit::chain(&error));
    if let Some(set) = Set::shipped(name).map_err(usage)? {
        return Ok(set);
    }
    let path = Path::new(name);
    if !path.exists() {
        let error = CliError::usage(format!("there is no set and no file {name:?}"));
        let known: Vec<&str> = Set::names().collect();
        return Err(error.hint(match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!("the shipped sets are {}", known.join(", ")),
        }));
    }
    Set::read(name, &read(path)?).map_err(usage)
}

fn read(path: &Path) -> Result<String, CliError> {
    let cannot = |reason: &dyn std::fmt::Display| {
        CliError::usage(format!(
            "cannot read the questions in {}: {reason}",
            path.display()
        ))
    };
    let file = std::fs::File::open(path).map_err(|error| cannot(&error))?;
    let mut text = String::new();
    file.take(MAX_FILE_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|error| cannot(&error))?;
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err(cannot(&format_args!(
            "more than {MAX_FILE_BYTES} bytes are not read"
        )));
    }
    Ok(text)
}

fn write(path: &Path, xml: &str) -> Result<(), CliError> {
    std::fs::write(path, xml).map_err(|error| CliError {
        exit: Exit::Output,
        message: format!("cannot write {}: {error}", path.display()),
        hint: None,
    })
}

/// A bar on a terminal, nothing elsewhere.
fn bar(questions: usize) -> ProgressBar {
    let target = if std::io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(Some(questions as u64), target);
    match ProgressStyle::with_template("{bar:40} {pos}/{len} questions, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// The sets as a table, then every failure.
fn told(report: &Report) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(["SET", "ROWS", "PASSED", "REFUSED", "ACCURACY"])
        .add_rows(report.sets.iter().map(|set| {
            [
                set.name.clone(),
                set.cases.len().to_string(),
                set.passed().to_string(),
                set.refused().to_string(),
                accuracy(set),
            ]
        }));
    table
        .column_iter_mut()
        .skip(1)
        .for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    let failures = report
        .sets
        .iter()
        .flat_map(|set| set.failures().map(move |case| failure(set, case)));
    std::iter::once(plain(&mut table))
        .chain(failures)
        .collect::<Vec<_>>()
        .join("\n\n")
}

fn failure(set: &SetReport, case: &CaseReport) -> String {
    let (expected, got) = match &case.verdict {
        Verdict::Failed { expected, got } => (expected.as_str(), got.as_str()),
        Verdict::Passed | Verdict::Refused { .. } => ("", ""),
    };
    format!(
        "{}, {}: {}\n  expected {expected}\n  got      {}",
        set.name,
        case.id,
        case.question,
        got.replace('\n', "\n           ")
    )
}

fn accuracy(set: &SetReport) -> String {
    set.accuracy()
        .map_or_else(|| "–".to_owned(), |accuracy| format!("{:.1} %", accuracy * 100.0))
}

fn verdict(report: &Report, threshold: f64) -> Outcome {
    let under: Vec<String> = report
        .sets
        .iter()
        .filter(|set| !set.reaches(threshold))
        .map(|set| format!("{} ({})", set.name, accuracy(set)))
        .collect();
    if under.is_empty() {
        return Ok(Exit::Success);
    }
    Err(CliError::answer(format!(
        "the accuracy is under {} %: {}",
        threshold * 100.0,
        under.join(", ")
    )))
}
