//! The collection engine at the museum's size, beside SQLite, DuckDB and NumPy on the same rows.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};
use periplus_collection::{
    Budget, Catalogue, Collection, Columns, Error, FacetRequest, Manifest, Options as CollectionOptions,
    Policies, SelectRequest, Snapshot, Sources, Vectors,
    rank::{Anchor, Axis, Method, RankRequest},
    snapshot::StoredObject,
};
use periplus_collection_import::met;
use serde_json::{Value, json};

use crate::{Options, process::status_megabytes, table};

/// Components of a vector, as the museum publishes them.
const DIMENSION: usize = 1_152;
/// Runs of one question; the median counts. Peers use the same number.
const RUNS: usize = 9;
/// The generated rows are the same on every machine.
const SEED: u64 = 42;

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    fs::create_dir_all(&options.cache)?;
    let csv = big_csv(options)?;
    let folder = options.cache.join(format!("met-{}", options.rows));
    let (import, import_mb) = import(options, &csv, &folder)?;
    let before = status_megabytes("self", "RssAnon:")?;
    let ready = median(|| Snapshot::open(&folder).map(drop).map_err(Into::into))?;
    let snapshot = Snapshot::open(&folder)?;
    let resident = status_megabytes("self", "RssAnon:")? - before;
    let rows = snapshot.manifest().counts.records;
    table::note("generating vectors");
    let catalogue = WithVectors::new(snapshot);
    let collection = Collection::new(
        catalogue,
        CollectionOptions {
            max_candidates: rows as usize,
            ..CollectionOptions::new("met")
        },
    );
    collection.warm_up();
    let peers = peers(options, &csv)?;
    let ours = questions(&collection, &peers)?;
    report(rows, &ours, &peers);
    table::print(
        "The store",
        &["figure", "measured", "budget"],
        &[
            vec![
                "import of the CSV, s".into(),
                format!("{:.1}", import.as_secs_f64()),
                "30".into(),
            ],
            vec!["import, peak MB".into(), format!("{import_mb:.0}"), "1024".into()],
            vec![
                "open and verify, s".into(),
                format!("{:.2}", ready / 1e3),
                "1".into(),
            ],
            vec![
                "memory beside the vectors, MB".into(),
                format!("{resident:.0}"),
                "700".into(),
            ],
        ],
    );
    Ok(())
}

/// The shipped rows resampled with new ids, made once.
fn big_csv(options: &Options) -> anyhow::Result<PathBuf> {
    let csv = options.cache.join(format!("met-{}.csv", options.rows));
    if !csv.exists() {
        table::note("generating rows");
        let unfinished = csv.with_extension("part");
        met::bench_data(options.rows, SEED, &unfinished)?;
        fs::rename(unfinished, &csv)?;
    }
    Ok(csv)
}

/// Runs the importer as users do, and watches its memory.
fn import(options: &Options, csv: &Path, folder: &Path) -> anyhow::Result<(Duration, f64)> {
    table::note("importing");
    let started = Instant::now();
    let mut child = Command::new(&options.periplus)
        .args([
            "met",
            "import",
            "--dataset-mode",
            "csv_baseline",
            "--allow-unpinned-csv",
            "--replace",
            "--csv",
        ])
        .arg(csv)
        .arg("--output")
        .arg(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("starting the importer")?;
    let pid = child.id().to_string();
    let mut peak: f64 = 0.0;
    let status = loop {
        // The high-water mark stays readable until the process has ended.
        peak = status_megabytes(&pid, "VmHWM:").map_or(peak, |now| peak.max(now));
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    ensure!(status.success(), "the importer ended with {status}");
    Ok((started.elapsed(), peak))
}

/// What the peers' program reports: question → peer → milliseconds, and the answers' sizes.
fn peers(options: &Options, csv: &Path) -> anyhow::Result<Value> {
    let Some(python) = &options.python else {
        return Ok(json!({}));
    };
    table::note("asking the peers");
    let output = Command::new(python)
        .arg(options.peers.join("collection.py"))
        .arg(csv)
        .arg(options.cache.join(format!("peers-{}", options.rows)))
        .stderr(Stdio::inherit())
        .output()
        .context("starting the peers")?;
    ensure!(output.status.success(), "the peers ended with {}", output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// A question, our median in milliseconds, and the budget.
struct Figure {
    question: &'static str,
    key: &'static str,
    milliseconds: f64,
    budget: f64,
}

fn questions(collection: &Collection, peers: &Value) -> anyhow::Result<Vec<Figure>> {
    table::note("asking our engine");
    let budget = &Budget::UNLIMITED;
    let department = |name: &str| json!({ "field": "department", "op": "eq", "value": name });
    let conditions = json!({ "all": [
        { "field": "department", "op": "one_of", "value": ["Asian Art", "Islamic Art"] },
        { "not": { "field": "medium", "op": "contains_normalized", "value": "silver" } },
        { "field": "object_date", "op": "overlaps", "value": { "begin": 1500, "end": 1700 } },
        { "field": "is_public_domain", "op": "eq", "value": true },
    ] });
    let substring = json!({ "field": "metadata_text", "op": "contains_normalized", "value": "garden" });
    let everything = json!({ "not": { "field": "object_name", "op": "eq", "value": "no such name" } });
    let decoy = department("Photographs");
    let select = |predicate: &Value| {
        let request = SelectRequest {
            predicate,
            policies: Policies::default(),
            page_size: 100,
            cursor: None,
        };
        collection.select(&request, budget)
    };
    // Two other selections push a selection out of the two-entry cache, so that every run evaluates anew.
    let evict = || -> anyhow::Result<()> {
        select(&decoy)?;
        select(&department("Medieval Art"))?;
        Ok(())
    };
    let evaluated = |predicate: &Value| {
        median_after(evict, || {
            select(predicate)?;
            Ok(())
        })
    };
    check(peers, "select", select(&conditions)?.counts.eligible)?;
    check(peers, "substring", select(&substring)?.counts.eligible)?;

    let facet = |field, selection: Option<&str>| {
        let request = FacetRequest {
            field,
            selection,
            prefix: None,
            page_size: 25,
            cursor: None,
        };
        collection
            .facets(&request, budget)
            .map(drop)
            .map_err(anyhow::Error::from)
    };
    let asian = select(&department("Asian Art"))?.receipt;
    let some = some_candidates(collection, 5_000)?;
    let all = select(&everything)?.receipt;
    let topic = Anchor::Topic("garden landscape".to_owned());
    let first = Anchor::Object(1);
    let rank = |selection: &str, anchor: &Anchor, axis, method| {
        let request = RankRequest {
            selection,
            anchor,
            axis,
            method,
            page_size: 25,
            cursor: None,
            max_candidates: collection.capabilities().limits.max_candidates,
            include_anchor: true,
            include_unscored: false,
        };
        collection
            .rank(&request, budget)
            .map(drop)
            .map_err(anyhow::Error::from)
    };
    let figure = |question, key, milliseconds, budget| Figure {
        question,
        key,
        milliseconds,
        budget,
    };
    Ok(vec![
        figure(
            "three conditions and a date overlap",
            "select",
            evaluated(&conditions)?,
            2.0,
        ),
        figure(
            "substring over all metadata",
            "substring",
            evaluated(&substring)?,
            20.0,
        ),
        figure(
            "facet of medium, whole",
            "facet",
            median(|| facet("medium", None))?,
            1.5,
        ),
        figure(
            "facet of culture within a department",
            "facet_within",
            median(|| facet("culture", Some(&asian)))?,
            1.5,
        ),
        figure(
            "BM25 of two words within 5,000",
            "bm25",
            median(|| rank(&some, &topic, Axis::Topic, Method::LexicalBm25V1))?,
            3.0,
        ),
        figure(
            "cosine of 5,000 × 1,152",
            "cosine_5000",
            median(|| rank(&some, &first, Axis::Visual, Method::Siglip2CosineV1))?,
            1.5,
        ),
        figure(
            "cosine of the whole collection",
            "cosine_all",
            median(|| rank(&all, &first, Axis::Visual, Method::Siglip2CosineV1))?,
            250.0,
        ),
    ])
}

/// The receipt of a selection of about this many records: those of the first ids, by a date interval that fits.
fn some_candidates(collection: &Collection, wanted: usize) -> anyhow::Result<String> {
    let mut best: Option<(usize, String)> = None;
    for begin in (1400..1990).step_by(5) {
        let predicate = json!({ "all": [
            { "field": "department", "op": "eq", "value": "Asian Art" },
            { "field": "object_date", "op": "overlaps", "value": { "begin": begin, "end": 2100 } },
        ] });
        let request = SelectRequest {
            predicate: &predicate,
            policies: Policies::default(),
            page_size: 1,
            cursor: None,
        };
        let page = collection.select(&request, &Budget::UNLIMITED)?;
        let distance = page.counts.eligible.abs_diff(wanted);
        if best.as_ref().is_none_or(|(known, _)| distance < *known) {
            best = Some((distance, page.receipt));
        }
    }
    let (distance, receipt) = best.context("no selection was made")?;
    table::note(&format!("candidates: within {distance} of {wanted}"));
    Ok(receipt)
}

/// Our answer must have the size of the peers' answer.
fn check(peers: &Value, question: &str, ours: usize) -> anyhow::Result<()> {
    match peers
        .pointer(&format!("/answers/{question}"))
        .and_then(Value::as_u64)
    {
        Some(theirs) => {
            ensure!(
                theirs as usize == ours,
                "{question}: the peers found {theirs}, we found {ours}"
            );
            Ok(())
        }
        None => Ok(()),
    }
}

fn report(rows: u64, ours: &[Figure], peers: &Value) {
    let cells = |figure: &Figure| {
        let peer = |name: &str| {
            peers
                .pointer(&format!("/{}/{name}", figure.key))
                .and_then(Value::as_f64)
        };
        let text = |value: Option<f64>| value.map_or("–".to_owned(), |ms| format!("{ms:.2}"));
        let names = ["sqlite", "duckdb", "numpy"];
        let best = names.iter().filter_map(|name| peer(name)).min_by(f64::total_cmp);
        let mut cells = vec![
            figure.question.to_owned(),
            format!("{:.2}", figure.milliseconds),
            format!("{}", figure.budget),
        ];
        cells.extend(names.iter().map(|name| text(peer(name))));
        cells.push(best.map_or("–".to_owned(), |best| {
            format!("{:.2}", best / figure.milliseconds)
        }));
        cells
    };
    let rows_of_table: Vec<Vec<String>> = ours.iter().map(cells).collect();
    let header = [
        "question",
        "periplus ms",
        "budget ms",
        "sqlite ms",
        "duckdb ms",
        "numpy ms",
        "best peer/periplus",
    ];
    table::print(
        &format!("Questions at {rows} records: medians of {RUNS} runs"),
        &header,
        &rows_of_table,
    );
}

/// Median milliseconds of a question that is asked once beforehand.
fn median(question: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<f64> {
    median_after(|| Ok(()), question)
}

/// As [`median`], with something done before every run that is not measured.
fn median_after(
    mut before: impl FnMut() -> anyhow::Result<()>,
    mut question: impl FnMut() -> anyhow::Result<()>,
) -> anyhow::Result<f64> {
    before()?;
    question()?;
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        before()?;
        let started = Instant::now();
        question()?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// A snapshot with a generated vector for every record, because none may be shipped.
struct WithVectors {
    snapshot: Snapshot,
    data: Vec<f32>,
}

impl WithVectors {
    fn new(snapshot: Snapshot) -> Self {
        let mut state = SEED;
        let mut data: Vec<f32> = Vec::with_capacity(snapshot.columns().ids.len() * DIMENSION);
        for _ in 0..snapshot.columns().ids.len() {
            let start = data.len();
            let mut squares = 0.0;
            for _ in 0..DIMENSION {
                // A linear congruential generator: the values matter less than that they differ.
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let value = (state >> 40) as f64 / f64::from(1 << 24) - 0.5;
                squares += value * value;
                data.push(value as f32);
            }
            let norm = squares.sqrt() as f32;
            data[start..].iter_mut().for_each(|value| *value /= norm);
        }
        Self { snapshot, data }
    }
}

impl Catalogue for WithVectors {
    fn manifest(&self) -> &Manifest {
        self.snapshot.manifest()
    }

    fn columns(&self) -> &Columns {
        self.snapshot.columns()
    }

    fn vectors(&self) -> &dyn Vectors {
        self
    }

    fn sources(&self, object_id: u64) -> Result<Sources, Error> {
        self.snapshot.sources(object_id)
    }

    fn object(&self, object_id: u64) -> Result<Option<StoredObject>, Error> {
        Catalogue::object(&self.snapshot, object_id)
    }
}

impl Vectors for WithVectors {
    fn ids(&self) -> &[u64] {
        &self.snapshot.columns().ids
    }

    fn vector(&self, position: usize) -> &[f32] {
        self.data
            .get(position * DIMENSION..(position + 1) * DIMENSION)
            .unwrap_or_default()
    }
}
