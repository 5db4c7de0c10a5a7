//! How long it takes to find the candidates for a place, embedded and in PostgreSQL with `pg_trgm`.
//!
//! The database holds the same areas, loaded by our own importer, and answers the search that deployments run.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use periplus_zeno_aoi::{
    Place,
    catalogue::{AreaCatalogue, embedded::Embedded, postgis::PostGis},
};

use crate::{Options, table};

/// One area in so many lends its name to a search.
const EVERY: usize = 40;

/// Names as people write them: without accents, in other languages, short, misspelt, unknown.
const WRITTEN: &[&str] = &[
    "Para, Brazil",
    "Lisbonne",
    "Allemagne",
    "ブラジル",
    "Россия",
    "DRC",
    "Indonessia",
    "Washington",
    "Xyzzyland",
    "Cote d'Ivoire",
];

/// The embedded search must not take longer, in milliseconds.
const BUDGET_MS: f64 = 5.0;

pub(super) fn run(options: &Options) -> Result<()> {
    let runtime = tokio::runtime::Runtime::new().context("starting the async runtime")?;
    runtime.block_on(measure(options))
}

async fn measure(options: &Options) -> Result<()> {
    let start = Instant::now();
    let embedded = Embedded::shipped();
    let opened = start.elapsed();
    let named: Vec<String> = embedded.areas().step_by(EVERY).map(|area| area.name).collect();
    let places: Vec<Place> = named
        .iter()
        .map(String::as_str)
        .chain(WRITTEN.iter().copied())
        .map(Place::parse)
        .collect();
    let mut rows = vec![row(
        "embedded",
        &times(&*embedded, &places).await?,
        Some(BUDGET_MS),
    )];
    match &options.postgres {
        Some(address) => {
            table::note("loading the areas into PostgreSQL");
            let database = PostGis::new(address)?;
            database
                .load(&embedded, true)
                .await
                .context("loading the areas")?;
            rows.push(row(
                "PostgreSQL, pg_trgm",
                &times(&database, &places).await?,
                None,
            ));
        }
        None => table::note("no database was named: pg_trgm is left out"),
    }
    let title = format!(
        "Candidates of {} names among {} areas; the embedded catalogue opens in {} ms",
        places.len(),
        embedded.areas().count(),
        milliseconds(opened)
    );
    table::print(
        &title,
        &["catalogue", "p50 ms", "p99 ms", "max ms", "budget p99 ms"],
        &rows,
    );
    Ok(())
}

/// What each search takes; the first round warms up and is not counted.
async fn times(catalogue: &dyn AreaCatalogue, places: &[Place]) -> Result<Vec<Duration>> {
    let mut times = Vec::with_capacity(places.len() * 3);
    for round in 0..4 {
        for place in places {
            let start = Instant::now();
            catalogue.search(place, &[]).await?;
            if round > 0 {
                times.push(start.elapsed());
            }
        }
    }
    times.sort_unstable();
    Ok(times)
}

fn row(name: &str, times: &[Duration], budget: Option<f64>) -> Vec<String> {
    let at = |percent: usize| times.get((times.len() * percent / 100).min(times.len() - 1));
    let shown = |time: Option<&Duration>| time.map_or_else(|| "–".to_owned(), |time| milliseconds(*time));
    vec![
        name.to_owned(),
        shown(at(50)),
        shown(at(99)),
        shown(times.last()),
        budget.map_or_else(|| "–".to_owned(), |budget| format!("{budget}")),
    ]
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}
