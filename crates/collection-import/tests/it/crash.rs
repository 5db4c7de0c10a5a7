//! A process that dies at any moment leaves the previous snapshot as it was.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use periplus_collection::Snapshot;
use periplus_collection_import::met::{SAMPLE_CSV, import};
use periplus_collection_import::{Phase, Progress, Silent};

use crate::import::{Desk, run};

/// Tells the child at which report to die.
const JOB: &str = "job";

/// Ends the process, without unwinding or cleaning up, at a report.
struct DieAt {
    report: u64,
    seen: AtomicU64,
}

impl Progress for DieAt {
    fn report(&self, _phase: Phase, _done: u64, _total: u64) {
        if self.seen.fetch_add(1, Ordering::SeqCst) == self.report {
            std::process::abort();
        }
    }
}

#[derive(Default)]
struct Count(AtomicU64);

impl Progress for Count {
    fn report(&self, _phase: Phase, _done: u64, _total: u64) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Imports in the current folder until it dies; run by the test below in a process of its own.
#[test]
#[ignore = "it ends its process: only the test below runs it"]
fn child_import() {
    let here = Path::new(".");
    let report = fs::read_to_string(JOB).expect("a job").parse().expect("a number");
    let mut options = periplus_collection_import::met::ImportOptions::new(
        here.join("MetObjects.csv"),
        here.join("snapshot"),
    );
    options.mode = periplus_collection_import::met::DatasetMode::CsvBaseline;
    options.csv_pin = Some("sample".to_owned());
    options.replace = true;
    let _ = import(
        &options,
        &DieAt {
            report,
            seen: AtomicU64::new(0),
        },
    );
}

#[test]
fn a_process_that_dies_at_any_report_leaves_the_old_snapshot() {
    let desk = Desk::new();
    let mut options = desk.options(SAMPLE_CSV);
    let count = Count::default();
    import(&options, &count).expect("an import");
    let reports = count.0.into_inner();
    assert!(reports >= 4, "there are moments to die at");

    // The old snapshot is another one, so that the two can be told apart.
    options.replace = true;
    options.csv = desk.write("old.csv", &[SAMPLE_CSV, b"\n\n"].concat());
    let old = run(&options).expect("an import").manifest.snapshot;
    for report in 0..reports {
        desk.write(JOB, report.to_string().as_bytes());
        let status = Command::new(std::env::current_exe().expect("a path"))
            .args(["--exact", "crash::child_import", "--ignored"])
            .current_dir(desk.path(""))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .expect("a child");
        assert!(!status.success(), "the child dies at report {report}");
        let snapshot = Snapshot::open(&options.output).expect("the old snapshot is sound");
        assert_eq!(
            snapshot.manifest().snapshot,
            old,
            "after dying at report {report}"
        );
    }

    options.csv = desk.path("MetObjects.csv");
    let new = import(&options, &Silent).expect("an import after all the deaths");
    assert_ne!(new.manifest.snapshot, old);
    assert!(Snapshot::open(&options.output).is_ok());
    let remains = fs::read_dir(desk.path("")).expect("a folder").flatten();
    let remains = remains
        .filter(|entry| entry.file_name().to_string_lossy().starts_with('.'))
        .count();
    assert_eq!(remains, 0, "what the dead left is cleared away");
}
