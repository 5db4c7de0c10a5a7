//! What a model's program costs: from handing it over with its rows to having its result, behind all guards.
//!
//! Cold, a worker is started for it; ready, one was started before and waits.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use periplus_interpreter::{Config, Interpreter, Program, Table};
use periplus_toolset::json;

use super::times::Times;
use crate::table;

/// Rows that the program looks at.
const ROWS: usize = 5_000;
/// Runs of each kind; one before them is not counted.
const RUNS: usize = 30;
/// From spawning a worker to its result must not take longer, in milliseconds.
const BUDGET_MS: f64 = 60.0;

/// How long a worker that is kept ready is given to get ready.
const BREATH: Duration = Duration::from_millis(100);

/// What a model writes: totals by year, their mean and the largest places.
const CODE: &str = "
years = group_sum(rows, ['tree_cover_loss_year'], 'area_ha')
places = top_n(group_sum(rows, ['name'], 'area_ha'), 'area_ha', 5)
{
    'charts': [{'title': 'Loss', 'chart_type': 'bar', 'x_axis': 'tree_cover_loss_year', 'y_axis': 'area_ha', 'rows': years}],
    'findings': [
        {'label': 'Mean', 'value': mean([r['area_ha'] for r in years]), 'unit': 'ha'},
        {'label': 'Largest', 'value': places[0]['area_ha'], 'unit': 'ha'},
    ],
}";

pub(super) async fn measure(periplus: &Path) -> Result<()> {
    let mut rows = Vec::new();
    for (name, prewarmed) in [("a worker started for it", 0), ("a worker kept ready", 1)] {
        let times = times(periplus, prewarmed).await?;
        rows.push(vec![
            name.to_owned(),
            times.percentile(50),
            times.percentile(99),
            BUDGET_MS.to_string(),
        ]);
    }
    table::print(
        &format!("A program over {ROWS} rows, from handing it over to its result, {RUNS} runs"),
        &["in", "p50 ms", "p99 ms", "budget ms"],
        &rows,
    );
    Ok(())
}

async fn times(periplus: &Path, prewarmed: usize) -> Result<Times> {
    let interpreter = Interpreter::new(Config {
        prewarmed,
        ..Config::new(periplus)
    });
    interpreter.warm();
    let mut times = Vec::with_capacity(RUNS);
    for run in 0..=RUNS {
        tokio::time::sleep(BREATH).await;
        let program = Program::python(CODE, vec![losses()]);
        let started = Instant::now();
        let outcome = interpreter
            .run(program)
            .await
            .with_context(|| format!("running a program in {}", periplus.display()))?;
        let took = started.elapsed();
        let years = outcome.result["charts"][0]["rows"].as_array().map(Vec::len);
        ensure!(years == Some(25), "the program came to {}", outcome.result);
        if run > 0 {
            times.push(took);
        }
    }
    Ok(Times::new(times))
}

/// Losses of two hundred places in 25 years.
fn losses() -> Table {
    let columns = [
        "name",
        "tree_cover_loss_year",
        "area_ha",
        "carbon_emissions_MgCO2e",
    ];
    Table {
        name: "rows".to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: (0..ROWS)
            .map(|row| {
                let area = (row * 7919 % 100_003) as f64 / 7.0;
                vec![
                    json!(format!("Place {}", row / 25)),
                    json!(2001 + row % 25),
                    json!(area),
                    json!(area * 412.5),
                ]
            })
            .collect(),
    }
}
