//! `met import`, `met verify` and `met bench-data`.

use e2e::{Periplus, repository};

fn sample() -> String {
    repository()
        .join("data/met/MetObjects.sample.csv")
        .display()
        .to_string()
}

fn import<'a>(csv: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut command = vec![
        "met",
        "import",
        "--csv",
        csv,
        "--dataset-mode",
        "csv_baseline",
        "--output",
        "snapshot",
    ];
    command.extend(more);
    command
}

#[test]
fn a_snapshot_is_built_checked_and_served() {
    let periplus = Periplus::new().env("MET_MCP_DATA_DIR", "snapshot");
    let csv = sample();
    let built = periplus.run(&import(&csv, &["--csv-pin", "sample"])).expect(0);
    let id = built.stdout.trim().to_owned();
    assert!(built.stderr.contains("2190 records"), "{}", built.stderr);
    let report = periplus
        .run(&["met", "verify", "snapshot", "--json"])
        .expect(0)
        .json();
    assert_eq!(
        (report["snapshot"].as_str(), report["problemCount"].as_u64()),
        (Some(id.as_str()), Some(0))
    );
    let capabilities = periplus
        .run(&["call", "--local", "collection_capabilities", "--json"])
        .expect(0)
        .json();
    assert_eq!(capabilities["snapshot"], id);
    let again = periplus.run(&import(&csv, &["--csv-pin", "sample"])).expect(4);
    assert!(again.stderr.contains("OUTPUT_EXISTS"), "{}", again.stderr);
    let replaced = periplus
        .run(&import(&csv, &["--csv-pin", "sample", "--replace", "--json"]))
        .expect(0);
    assert_eq!(
        replaced.json()["snapshot"],
        id,
        "equal inputs give equal snapshots"
    );
}

#[test]
fn a_refused_file_names_its_code_and_what_to_do() {
    let periplus = Periplus::new();
    periplus.write("other.csv", "Object Number,Is Highlight\n1,False\n");
    periplus.write(
        "pointer.csv",
        "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
    );
    for (csv, code) in [
        ("other.csv", "CSV_PIN_MISMATCH"),
        ("pointer.csv", "LFS_POINTER_NOT_DATA"),
    ] {
        let finished = periplus.run(&import(csv, &[])).expect(3);
        assert!(finished.stderr.contains(code), "{}", finished.stderr);
        assert!(!periplus.folder().join("snapshot").exists());
    }
}

#[test]
fn a_changed_snapshot_is_found_out() {
    let periplus = Periplus::new();
    let _ = periplus
        .run(&import(&sample(), &["--csv-pin", "sample"]))
        .expect(0);
    let path = periplus.folder().join("snapshot/catalogue.sqlite");
    let mut bytes = std::fs::read(&path).expect("the catalogue is a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).expect("the catalogue can be written");
    let finished = periplus.run(&["met", "verify", "snapshot"]).expect(1);
    assert!(
        finished.stderr.contains("catalogue.sqlite"),
        "{}",
        finished.stderr
    );
}

#[test]
fn benchmark_rows_are_the_same_for_the_same_seed() {
    let periplus = Periplus::new();
    for (output, seed) in [("a.csv", "7"), ("b.csv", "7"), ("c.csv", "8")] {
        let _ = periplus
            .run(&["met", "bench-data", "50", "--output", output, "--seed", seed])
            .expect(0);
    }
    let read = |name: &str| std::fs::read(periplus.folder().join(name)).expect("it was written");
    assert_eq!(read("a.csv"), read("b.csv"));
    assert_ne!(read("a.csv"), read("c.csv"));
}
