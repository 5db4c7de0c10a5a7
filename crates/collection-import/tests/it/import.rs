use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use periplus_collection::{Merged, Snapshot, canonical_json};
use periplus_collection_import::met::{
    DatasetMode, ImportOptions, ImportReport, SAMPLE_CSV, bench_data, bundled, import, verify,
};
use periplus_collection_import::{ExitClass, ImportError, Phase, Progress, Silent};
use rusqlite::{Connection, types::ValueRef};
use tempfile::TempDir;

use crate::oracle::{counts, number, oracle};

const LEGACY_CSV: &[u8] = include_bytes!("../../../../data/met/MetObjects.legacy43.sample.csv");

/// A folder with input files and room for outputs.
pub(crate) struct Desk {
    dir: TempDir,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self {
            dir: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).expect("writing");
        path
    }

    /// Options for all records of a CSV of any version.
    pub(crate) fn options(&self, csv: &[u8]) -> ImportOptions {
        let mut options = ImportOptions::new(self.write("MetObjects.csv", csv), self.path("snapshot"));
        options.mode = DatasetMode::CsvBaseline;
        options.allow_unpinned_csv = true;
        options
    }
}

pub(crate) fn run(options: &ImportOptions) -> Result<ImportReport, ImportError> {
    import(options, &Silent)
}

/// Nothing but what was there before: neither a snapshot nor the remains of one.
pub(crate) fn refused(options: &ImportOptions, code: &str) -> ImportError {
    let parent = options.output.parent().expect("a folder in a folder");
    let before = listing(parent);
    let error = run(options).expect_err("the import is refused");
    assert_eq!(error.code(), code, "{error}");
    assert_eq!(listing(parent), before, "{code} leaves nothing behind");
    error
}

fn listing(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    names.sort();
    names
}

/// Every table and row of a catalogue as text.
fn dump(snapshot: &Path) -> Vec<String> {
    let connection = Connection::open(snapshot.join("catalogue.sqlite")).expect("a catalogue");
    let mut lines = Vec::new();
    for table in [
        "meta",
        "objects",
        "source_csv",
        "source_api",
        "vector_evidence",
        "columns",
    ] {
        let mut statement = connection
            .prepare(&format!("SELECT * FROM {table} ORDER BY 1"))
            .expect("a known table");
        let width = statement.column_count();
        let mut rows = statement.query([]).expect("rows");
        while let Some(row) = rows.next().expect("a row") {
            let cells = (0..width).map(|index| match row.get_ref(index).expect("a cell") {
                ValueRef::Blob(bytes) => hex::encode(bytes),
                other => format!("{other:?}"),
            });
            lines.push(format!("{table} {}", cells.collect::<Vec<_>>().join(" ")));
        }
    }
    lines
}

#[test]
fn the_sample_gives_the_counts_of_the_oracle() {
    let desk = Desk::new();
    let report = run(&desk.options(SAMPLE_CSV)).expect("an import");
    let (oracle, manifest) = (oracle(), report.manifest);
    assert_eq!(manifest.counts.records as usize, number(&oracle["records"]));
    assert_eq!(
        manifest.counts.artist_mentions as usize,
        number(&oracle["artistMentions"])
    );
    assert_eq!(
        manifest.counts.with_artists as usize,
        number(&oracle["recordsWithArtists"])
    );
    assert_eq!(
        manifest.counts.public_domain.r#true as usize,
        number(&oracle["publicDomain"]["True"])
    );
    assert_eq!(
        manifest.counts.date_states.valid as usize,
        number(&oracle["dateStates"]["valid"])
    );
    let quality: BTreeMap<String, u64> = counts(&oracle["dataQuality"])
        .into_iter()
        .map(|(flag, count)| (flag, count as u64))
        .collect();
    assert_eq!(manifest.data_quality, quality);
    assert_eq!(
        manifest.inputs.csv.sha256,
        oracle["sha256"].as_str().expect("a digest")
    );
    assert!(
        manifest.inputs.csv.pinned,
        "the shipped sample is a known version"
    );
    assert!(manifest.snapshot.starts_with("csv-baseline-"));
    for (field, coverage) in &manifest.coverage {
        let sum = coverage.present + coverage.missing + coverage.invalid + coverage.conflict;
        assert_eq!(sum, manifest.counts.records, "{field}");
    }
}

#[test]
fn a_snapshot_answers_from_its_sources() {
    let desk = Desk::new();
    let report = run(&desk.options(SAMPLE_CSV)).expect("an import");
    let snapshot = Snapshot::open(&report.output).expect("a sound snapshot");
    assert_eq!(snapshot.manifest().snapshot, report.manifest.snapshot);
    let object = snapshot
        .object(503_046)
        .expect("readable")
        .expect("an id of the sample");
    assert_eq!(object.record.title, Merged::Value("Grand Pianoforte".to_owned()));
    assert_eq!(
        object.record.artist_mentions()[0].attribution,
        "Érard, made in London"
    );
    let csv = object.csv.expect("a row");
    assert_eq!(csv.cells.len(), 54);
    let cell = |name: &str| {
        csv.cells
            .iter()
            .find(|(column, _)| column == name)
            .map(|(_, cell)| cell.as_str())
    };
    assert_eq!(cell("Object ID"), Some("503046"));
    let line = &SAMPLE_CSV[usize::try_from(csv.byte_offset).expect("a small file")..];
    assert!(line.starts_with(cell("Object Number").expect("a cell").as_bytes()));
}

#[test]
fn every_import_verifies() {
    let desk = Desk::new();
    for (csv, is_legacy) in [(SAMPLE_CSV, false), (LEGACY_CSV, true)] {
        let mut options = desk.options(csv);
        options.allow_header_legacy43 = is_legacy;
        options.replace = true;
        let report = run(&options).expect("an import");
        let verified = verify(&report.output).expect("a readable snapshot");
        assert_eq!(verified.problems, Vec::<String>::new());
        assert!(verified.is_sound());
        assert_eq!(verified.objects, report.manifest.counts.records);
    }
}

#[test]
fn the_same_inputs_give_the_same_snapshot() {
    let desk = Desk::new();
    let mut options = desk.options(SAMPLE_CSV);
    let first = run(&options).expect("an import");
    options.output = desk.path("again");
    let second = run(&options).expect("an import");
    assert_eq!(first.manifest, second.manifest);
    for name in [
        "manifest.json",
        "vector_ids.npy",
        "vectors.npy",
        "catalogue.sqlite",
    ] {
        let read = |folder: &Path| fs::read(folder.join(name)).expect("a file");
        assert!(read(&first.output) == read(&second.output), "{name} differs");
    }
    assert_eq!(dump(&first.output), dump(&second.output));
}

#[test]
fn byte_order_mark_and_line_ends_change_the_snapshot_but_no_record() {
    let desk = Desk::new();
    let text = std::str::from_utf8(SAMPLE_CSV).expect("UTF-8");
    let plain = Snapshot::open(&run(&desk.options(SAMPLE_CSV)).expect("an import").output).expect("sound");
    for (name, bytes) in [
        ("mark", format!("\u{feff}{text}")),
        ("crlf", text.replace('\n', "\r\n")),
        ("mark_crlf", format!("\u{feff}{}", text.replace('\n', "\r\n"))),
    ] {
        let mut options = desk.options(bytes.as_bytes());
        options.output = desk.path(name);
        let report = run(&options).expect("an import");
        let other = Snapshot::open(&report.output).expect("sound");
        assert_ne!(other.manifest().snapshot, plain.manifest().snapshot);
        assert!(!report.manifest.inputs.csv.pinned);
        assert_eq!(other.columns(), plain.columns(), "{name}");
    }
}

#[test]
fn a_version_is_accepted_only_if_asked_for() {
    let desk = Desk::new();
    let mut options = desk.options(SAMPLE_CSV);
    options.allow_unpinned_csv = false;
    let error = refused(&options, "CSV_PIN_MISMATCH");
    assert!(error.to_string().contains("--csv-pin sample"), "{error}");
    assert_eq!(error.exit_class(), ExitClass::Input);
    options.csv_pin = Some("sample".to_owned());
    run(&options).expect("an import");
    options.csv_pin = Some("de617b".to_owned());
    options.output = desk.path("other");
    assert_eq!(refused(&options, "USAGE").exit_class(), ExitClass::Usage);
}

#[test]
fn converted_line_ends_are_recognised() {
    let desk = Desk::new();
    let crlf = std::str::from_utf8(SAMPLE_CSV)
        .expect("UTF-8")
        .replace('\n', "\r\n");
    let digest = |bytes: &[u8]| {
        use sha2::Digest as _;
        hex::encode(sha2::Sha256::digest(bytes))
    };
    let mut options = desk.options(format!("{}\n", crlf.replace("\r\n", "\n")).as_bytes());
    options.csv_pin = Some(digest(format!("{crlf}\r\n").as_bytes()));
    let error = refused(&options, "CSV_PIN_MISMATCH");
    assert!(
        error.to_string().contains("line endings were converted"),
        "{error}"
    );
}

#[test]
fn what_is_not_the_csv_is_refused_at_its_first_bytes() {
    let desk = Desk::new();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:de617b9c\nsize 317650992\n";
    let error = refused(&desk.options(pointer.as_bytes()), "LFS_POINTER_NOT_DATA");
    let text = error.to_string();
    assert!(
        text.contains("de617b9c") && text.contains("317650992") && text.contains("git lfs pull"),
        "{text}"
    );
    for page in ["<!DOCTYPE html><html>", " \n<html>", "PK\u{3}\u{4}\0\0", ""] {
        refused(&desk.options(page.as_bytes()), "NOT_CSV");
    }
    refused(&desk.options(b"a,b,c\n1,2,3\n"), "CSV_HEADER_MISMATCH");
    let error = refused(&desk.options(LEGACY_CSV), "CSV_HEADER_MISMATCH");
    assert!(error.to_string().contains("--allow-header=legacy43"), "{error}");
    let mut options = desk.options(SAMPLE_CSV);
    options.csv = desk.path("absent.csv");
    refused(&options, "INPUT_UNREADABLE");
}

/// The sample with one more line.
fn with_line(line: &str) -> Vec<u8> {
    let mut csv = SAMPLE_CSV.to_vec();
    if !csv.ends_with(b"\n") {
        csv.push(b'\n');
    }
    csv.extend(line.as_bytes());
    csv
}

#[test]
fn a_bad_record_is_named_by_number_and_place() {
    let desk = Desk::new();
    let offset = with_line("").len();
    let error = refused(&desk.options(&with_line("a,b")), "CSV_RECORD_SHAPE");
    assert!(
        error
            .to_string()
            .contains(&format!("record 2191 at byte {offset}")),
        "{error}"
    );
    for id in ["", "0", "-4", "4.5", "12345678901", "x"] {
        let line = format!("n,,,,{id}{}", ",".repeat(49));
        refused(&desk.options(&with_line(&line)), "BAD_OBJECT_ID");
    }
    let line = format!("n,,,,503046{}", ",".repeat(49));
    let error = refused(&desk.options(&with_line(&line)), "DUPLICATE_OBJECT_ID");
    assert!(error.to_string().contains("record 2191"), "{error}");
    let mut csv = with_line("");
    csv.extend([b'"', 0xff, b'"']);
    refused(&desk.options(&csv), "CSV_ENCODING");
    let mut csv = with_line("\"");
    csv.resize(csv.len() + (2 << 20), b'x');
    refused(&desk.options(&csv), "CSV_RECORD_SHAPE");
}

#[test]
fn only_a_snapshot_is_replaced_and_only_if_asked() {
    let desk = Desk::new();
    let mut options = desk.options(SAMPLE_CSV);
    run(&options).expect("an import");
    assert_eq!(refused(&options, "OUTPUT_EXISTS").exit_class(), ExitClass::Output);
    options.replace = true;
    run(&options).expect("a replacement");
    assert!(Snapshot::open(&options.output).is_ok());
    options.output = desk.path("precious");
    fs::create_dir(&options.output).expect("a new folder");
    fs::write(options.output.join("letter.txt"), "dear").expect("writing");
    refused(&options, "OUTPUT_EXISTS");
    assert!(options.output.join("letter.txt").exists());
}

#[test]
fn a_replaced_snapshot_that_is_open_goes_on_answering() {
    let desk = Desk::new();
    let mut options = desk.options(SAMPLE_CSV);
    run(&options).expect("an import");
    let open = Snapshot::open(&options.output).expect("sound");
    options.replace = true;
    options.csv = desk.write("other.csv", LEGACY_CSV);
    options.allow_header_legacy43 = true;
    run(&options).expect("a replacement");
    assert_eq!(open.columns().len(), 2190);
    assert!(open.object(503_046).is_ok());
}

#[test]
fn an_abandoned_import_is_cleared_away_and_a_running_one_is_not() {
    let desk = Desk::new();
    let options = desk.options(SAMPLE_CSV);
    let sibling = |name: &str| {
        let folder = desk.path(&format!(".snapshot.importing-{name}"));
        fs::create_dir(&folder).expect("a new folder");
        let lock =
            fs::File::create(desk.path(&format!(".snapshot.importing-{name}.lock"))).expect("a lock file");
        (folder, lock)
    };
    let (abandoned, _) = sibling("dead");
    let (running, lock) = sibling("alive");
    lock.try_lock().expect("nobody holds it");
    run(&options).expect("an import");
    assert!(!abandoned.exists());
    assert!(running.exists());
}

/// Notes the phases it is told of.
#[derive(Default)]
struct Phases(Mutex<Vec<Phase>>);

impl Progress for Phases {
    fn report(&self, phase: Phase, done: u64, total: u64) {
        assert!(done <= total);
        let mut phases = self.0.lock().expect("no panic elsewhere");
        if phases.last() != Some(&phase) {
            phases.push(phase);
        }
    }
}

#[test]
fn progress_is_told_phase_by_phase() {
    let desk = Desk::new();
    let phases = Phases::default();
    import(&desk.options(SAMPLE_CSV), &phases).expect("an import");
    let phases = phases.0.into_inner().expect("no panic elsewhere");
    assert_eq!(
        phases,
        [Phase::Checking, Phase::Records, Phase::Indexing, Phase::Writing]
    );
}

#[test]
fn the_bundled_rows_are_built_once_by_whoever_comes_first() {
    let desk = Desk::new();
    let cache = desk.path("cache");
    let folders: Vec<PathBuf> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| bundled(&cache, &Silent).expect("built")))
            .collect();
        starts
            .into_iter()
            .map(|start| start.join().expect("no panic"))
            .collect()
    });
    assert!(folders.iter().all(|folder| *folder == folders[0]));
    assert_eq!(Snapshot::open(&folders[0]).expect("sound").columns().len(), 2190);
    assert_eq!(listing(&cache), [folders[0].clone()]);

    let manifest = folders[0].join("manifest.json");
    let built = fs::metadata(&manifest)
        .and_then(|m| m.modified())
        .expect("a file");
    bundled(&cache, &Silent).expect("reused");
    assert_eq!(
        fs::metadata(&manifest)
            .and_then(|m| m.modified())
            .expect("a file"),
        built
    );

    fs::write(folders[0].join("vectors.npy"), "damaged").expect("writing");
    bundled(&cache, &Silent).expect("built again");
    assert!(Snapshot::open(&folders[0]).is_ok());
}

#[test]
fn bench_data_is_the_same_every_time_and_imports() {
    let desk = Desk::new();
    let (first, second) = (desk.path("a.csv"), desk.path("b.csv"));
    bench_data(500, 42, &first).expect("writing");
    bench_data(500, 42, &second).expect("writing");
    let bytes = fs::read(&first).expect("a file");
    assert!(bytes == fs::read(&second).expect("a file"));
    bench_data(500, 43, &second).expect("writing");
    assert!(bytes != fs::read(&second).expect("a file"));
    let report = run(&desk.options(&bytes)).expect("an import");
    assert_eq!(report.manifest.counts.records, 500);
}

#[test]
fn the_snapshot_id_depends_on_inputs_alone() {
    let desk = Desk::new();
    let mut options = desk.options(SAMPLE_CSV);
    let first = run(&options).expect("an import").manifest;
    options.csv = desk.write("renamed.csv", SAMPLE_CSV);
    options.output = desk.path("elsewhere");
    let second = run(&options).expect("an import").manifest;
    assert_eq!(first.snapshot, second.snapshot);
    assert_ne!(canonical_json(&first.rules), "null");
}
