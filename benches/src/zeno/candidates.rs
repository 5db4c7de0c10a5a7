//! How long it takes to find the candidates for a place: in the embedded catalogue, in the same areas in PostGIS as
//! `zeno-aoi` asks it, and by `pg_trgm` alone.
//!
//! `pg_trgm` gets the same names in a table of their own, each with the position of its area, a trigram index over their
//! folded forms and the query that the extension is made for. What it does not do is left out of it: parents, kinds of
//! names, accents of what is asked. Its answer counts as the same if it has the area that the embedded catalogue puts
//! first among those it puts first itself.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use periplus_zeno_aoi::{
    Place,
    catalogue::{AreaCatalogue, Page, embedded::Embedded, postgis::PostGis},
    fold,
};
use tokio_postgres::{Client, NoTls, Statement};

use super::times::{Times, milliseconds};
use crate::{Options, table};

/// One area in so many lends its name to a search.
const EVERY: usize = 40;

/// Rounds over all names; the first one warms up and is not counted.
const ROUNDS: usize = 4;

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

/// The embedded search must not take longer at the 99th percentile, in milliseconds.
const BUDGET_MS: f64 = 5.0;

pub(super) fn run(options: &Options) -> Result<()> {
    let runtime = tokio::runtime::Runtime::new().context("starting the async runtime")?;
    runtime.block_on(measure(options))
}

async fn measure(options: &Options) -> Result<()> {
    let start = Instant::now();
    let embedded = Embedded::shipped();
    let opened = start.elapsed();
    let places = places(&embedded);
    let own = searches(&*embedded, &places).await?;
    let mut rows = vec![row("embedded", &own, &own, Some(BUDGET_MS))];
    match &options.postgres {
        Some(address) => {
            table::note("loading the areas into PostgreSQL");
            let database = PostGis::new(address)?;
            database
                .load(&embedded, true)
                .await
                .context("loading the areas")?;
            let stored = searches(&database, &places).await?;
            rows.push(row("PostGIS, as zeno-aoi asks it", &stored, &own, None));
            let trigrams = Trigrams::load(address, &embedded).await?;
            let found = trigrams.searches(&embedded, &places).await?;
            rows.push(row("pg_trgm alone, the same names", &found, &own, None));
        }
        None => table::note("no database was named: PostGIS and pg_trgm are left out"),
    }
    let title = format!(
        "Candidates of {} places among {} names of {} areas; the embedded catalogue opens in {} ms",
        places.len(),
        embedded.names().count(),
        embedded.areas().count(),
        milliseconds(opened)
    );
    table::print(
        &title,
        &[
            "catalogue",
            "p50 ms",
            "p99 ms",
            "max ms",
            "budget p99 ms",
            "p50, times embedded",
            "p99, times embedded",
            "same first answer",
        ],
        &rows,
    );
    Ok(())
}

fn places(embedded: &Embedded) -> Vec<Place> {
    let named = embedded.areas().step_by(EVERY).map(|area| area.name);
    let written = WRITTEN.iter().map(|name| (*name).to_owned());
    named.chain(written).map(|name| Place::parse(&name)).collect()
}

/// What the searches took, and what each of them answered first.
struct Searches {
    times: Times,
    /// Ids of the areas that share the first rank, for each place.
    first: Vec<Vec<String>>,
}

async fn searches(catalogue: &dyn AreaCatalogue, places: &[Place]) -> Result<Searches> {
    let mut measured = Measured::default();
    for round in 0..ROUNDS {
        for place in places {
            let start = Instant::now();
            let found = catalogue.search(place, &[], Page::CANDIDATES).await?;
            let first = found.into_iter().take(1).map(|candidate| candidate.area.id);
            measured.add(round, start.elapsed(), first.collect());
        }
    }
    Ok(measured.done())
}

/// Searches while they are measured.
#[derive(Default)]
struct Measured {
    times: Vec<Duration>,
    first: Vec<Vec<String>>,
}

impl Measured {
    fn add(&mut self, round: usize, time: Duration, first: Vec<String>) {
        match round {
            0 => self.first.push(first),
            _ => self.times.push(time),
        }
    }

    fn done(self) -> Searches {
        Searches {
            times: Times::new(self.times),
            first: self.first,
        }
    }
}

impl Searches {
    /// For how many places the first answer of the other is among the first of these; two empty answers are the same.
    fn same_as(&self, other: &Self) -> usize {
        let pairs = self.first.iter().zip(&other.first);
        pairs
            .filter(|(own, other)| match other.first() {
                Some(id) => own.contains(id),
                None => own.is_empty(),
            })
            .count()
    }
}

/// The names in a table, and the query over them.
struct Trigrams {
    client: Client,
    query: Statement,
}

impl Trigrams {
    async fn load(address: &str, embedded: &Embedded) -> Result<Self> {
        let (client, connection) = tokio_postgres::connect(address, NoTls)
            .await
            .context("connecting to PostgreSQL")?;
        tokio::spawn(connection);
        client
            .batch_execute(
                "create extension if not exists pg_trgm;
                 drop table if exists names;
                 create table names (area int not null, name text not null)",
            )
            .await
            .context("making the table of names")?;
        let (areas, names): (Vec<i32>, Vec<String>) = embedded
            .names()
            .map(|(area, name)| {
                Ok((
                    i32::try_from(area).context("an area has a small number")?,
                    fold(name),
                ))
            })
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .unzip();
        client
            .execute(
                "insert into names select * from unnest($1::int[], $2::text[])",
                &[&areas, &names],
            )
            .await
            .context("filling the table of names")?;
        client
            .batch_execute(
                "create index on names using gin (name gin_trgm_ops);
                 analyze names;
                 set pg_trgm.similarity_threshold = 0.2",
            )
            .await
            .context("indexing the table of names")?;
        let query = client
            .prepare(
                "select area, max(similarity(name, $1)) as likeness from names where name % $1
                 group by area order by likeness desc, area limit 10",
            )
            .await
            .context("preparing the search")?;
        Ok(Self { client, query })
    }

    async fn searches(&self, embedded: &Embedded, places: &[Place]) -> Result<Searches> {
        let ids: Vec<String> = embedded.areas().map(|area| area.id).collect();
        let mut measured = Measured::default();
        for round in 0..ROUNDS {
            for place in places {
                let asked = fold(&place.name);
                let start = Instant::now();
                let rows = self.client.query(&self.query, &[&asked]).await?;
                let time = start.elapsed();
                let best: Option<f32> = rows.first().map(|row| row.get(1));
                // Namesakes share the first rank: which of them is meant is not for trigrams to know.
                let first = rows.iter().take_while(|row| Some(row.get(1)) == best);
                let first = first.filter_map(|row| ids.get(usize::try_from(row.get::<_, i32>(0)).ok()?));
                measured.add(round, time, first.cloned().collect());
            }
        }
        Ok(measured.done())
    }
}

fn row(name: &str, searches: &Searches, embedded: &Searches, budget: Option<f64>) -> Vec<String> {
    let times = &searches.times;
    vec![
        name.to_owned(),
        times.percentile(50),
        times.percentile(99),
        times.percentile(100),
        budget.map_or_else(|| "–".to_owned(), |budget| format!("{budget}")),
        times.ratio(50, &embedded.times),
        times.ratio(99, &embedded.times),
        format!("{} of {}", searches.same_as(embedded), embedded.first.len()),
    ]
}
