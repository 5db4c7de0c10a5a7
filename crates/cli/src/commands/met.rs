//! `met import`, `met verify`, `met bench-data`: snapshots of the museum collection.

use std::path::Path;

use periplus_collection_import::{
    ExitClass, ImportError,
    met::{self, DatasetMode, ImportOptions},
};
use serde_json::json;

use crate::{
    args::met::{Met, MetImport},
    exit::{CliError, Exit, Outcome, chain},
    printer,
    progress::Bar,
};

pub(crate) fn run(command: Met) -> Outcome {
    match command {
        Met::Import(args) => import(*args),
        Met::Verify { snapshot, json } => verify(&snapshot, json),
        Met::BenchData { rows, output, seed } => bench_data(rows, seed, &output),
    }
}

fn import(args: MetImport) -> Outcome {
    let as_json = args.json;
    let report = met::import(&options(args)?, &Bar::new())?;
    if as_json {
        printer::data(&json!(report.manifest).to_string())?;
    } else {
        let counts = &report.manifest.counts;
        printer::note(&format!(
            "built {} with {} records and {} vectors",
            report.output.display(),
            counts.records,
            counts.vectors
        ));
        printer::data(&report.manifest.snapshot)?;
    }
    Ok(Exit::Success)
}

fn options(args: MetImport) -> Result<ImportOptions, CliError> {
    let mode = DatasetMode::parse(&args.dataset_mode)
        .ok_or_else(|| CliError::usage(format!("there is no dataset mode {:?}", args.dataset_mode)))?;
    Ok(ImportOptions {
        csv: args.csv,
        vectors: args.vectors,
        api_seeds: args.api_seeds,
        mode,
        csv_pin: args.csv_pin,
        allow_unpinned_csv: args.allow_unpinned_csv,
        vector_pins: args.vector_pins,
        allow_unpinned_vectors: args.allow_unpinned_vectors,
        assert_model: args.assert_model,
        allow_header_legacy43: args.allow_header.is_some(),
        allow_small_fixture: args.allow_small_fixture,
        fixture_records: args.fixture_records,
        fixture_vectors: args.fixture_vectors,
        output: args.output,
        replace: args.replace,
    })
}

fn verify(snapshot: &Path, as_json: bool) -> Outcome {
    let report = met::verify(snapshot)
        .map_err(|error| CliError::answer(format!("snapshot {}: {}", snapshot.display(), chain(&error))))?;
    let exit = if report.is_sound() {
        Exit::Success
    } else {
        Exit::Answer
    };
    if as_json {
        let summary = json!({
            "snapshot": report.manifest.snapshot,
            "objects": report.objects,
            "problemCount": report.problem_count,
            "problems": report.problems,
        });
        printer::data(&summary.to_string())?;
        return Ok(exit);
    }
    for problem in &report.problems {
        printer::data(problem)?;
    }
    printer::note(&format!(
        "checked {} objects: {} problems",
        report.objects, report.problem_count
    ));
    Ok(exit)
}

fn bench_data(rows: u64, seed: u64, output: &Path) -> Outcome {
    met::bench_data(rows, seed, output)
        .map_err(|error| CliError::answer(format!("cannot write {}: {error}", output.display())))?;
    printer::note(&format!("wrote {rows} rows to {}", output.display()));
    Ok(Exit::Success)
}

impl From<ImportError> for CliError {
    fn from(error: ImportError) -> Self {
        let exit = match error.exit_class() {
            ExitClass::Usage => Exit::Usage,
            ExitClass::Input => Exit::Input,
            ExitClass::Output => Exit::Output,
        };
        Self {
            exit,
            message: format!("{} ({})", chain(&error), error.code()),
            hint: None,
        }
    }
}
