use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;

use super::{
    ApiSource, CATALOGUE, Entry, MANIFEST, OpenError, Snapshot, SnapshotWriter, VECTORS, VectorSource,
};
use crate::manifest::{Counts, CsvInput, Inputs};
use crate::vectors::{write_ids, write_vectors};
use crate::{
    ArtistMention, Catalogue as _, ColumnsBuilder, Interval, Manifest, Merged, ObjectDate, Record, Sources,
    Vectors as _,
};

fn record(object_id: u64) -> Record {
    let artist = ArtistMention {
        name: "A".to_owned(),
        role: None,
        attribution: "After A".to_owned(),
    };
    Record {
        object_id,
        title: Merged::Value(format!("Title {object_id}")),
        department: Some("Prints".to_owned()),
        classification: vec!["b".to_owned(), "a".to_owned()],
        artists: if object_id == 2 {
            Merged::Conflict
        } else {
            Merged::Value(vec![artist])
        },
        object_date: ObjectDate::Valid(Interval { begin: -20, end: 30 }),
        object_date_text: Some("ca. 1".to_owned()),
        is_public_domain: Merged::Value(true),
        data_quality: vec!["culture_missing".to_owned()],
        ..Record::default()
    }
}

fn api() -> ApiSource {
    ApiSource {
        retrieved_at: "2023-02-28T05:00:00Z".to_owned(),
        http_status: 200,
        url: "https://example.org/2".to_owned(),
        sha256: "00".to_owned(),
        body: json!({"title": "T"}),
    }
}

fn vector() -> VectorSource {
    VectorSource {
        shard_sha256: "11".to_owned(),
        row_index: 7,
        model: None,
        original_norm: 0.5,
    }
}

fn manifest(records: u64) -> Manifest {
    let csv = CsvInput {
        file: "a.csv".to_owned(),
        sha256: String::new(),
        bytes: 0,
        pinned: false,
        upstream_commit: None,
        upstream_date: None,
    };
    Manifest {
        format: "test-snapshot/1".to_owned(),
        snapshot: "test-1".to_owned(),
        dataset_mode: "all".to_owned(),
        header_variant: "two".to_owned(),
        fixture: None,
        inputs: Inputs {
            csv,
            vectors: Vec::new(),
            api_seeds: None,
        },
        counts: Counts {
            records,
            vectors: 1,
            ..Counts::default()
        },
        coverage: [].into(),
        data_quality: [].into(),
        data_quality_flags: [].into(),
        rules: json!({}),
        files: Vec::new(),
        licences: Vec::new(),
    }
}

/// A snapshot of the objects 1, 2 and 3; the second has every source, the third none.
fn snapshot() -> TempDir {
    let dir = tempfile::Builder::new()
        .prefix("a snap?shot %")
        .tempdir()
        .expect("a temporary folder");
    let mut writer = SnapshotWriter::create(dir.path(), 1).expect("a new catalogue");
    let mut columns = ColumnsBuilder::new();
    let (api, vector) = (api(), vector());
    for id in 1..=3 {
        let record = record(id);
        columns.push(&record).expect("room");
        let entry = Entry {
            record: &record,
            csv: (id < 3).then_some((id, id * 100, r#"["1"," x\r\n"]"#)),
            api: (id == 2).then_some((&api, br#"{"title":"T"}"#)),
            vector: (id == 2).then_some(&vector),
        };
        writer.push(&entry).expect("an id of its own");
    }
    let file = |name| fs::File::create(dir.path().join(name)).expect("a new file");
    write_ids(file(super::VECTOR_IDS), &[2]).expect("writing");
    write_vectors(file(VECTORS), 1, 2, std::iter::once(Ok([0_u8; 8]))).expect("writing");
    writer
        .finish(
            &["Id", "Name"],
            &columns.finish().expect("distinct ids"),
            manifest(3),
        )
        .expect("writing");
    dir
}

/// A copy of one snapshot: writing one syncs to disk, which takes its time.
fn copy() -> TempDir {
    const NAMES: [&str; 4] = [CATALOGUE, VECTORS, super::VECTOR_IDS, MANIFEST];
    static FILES: LazyLock<[Vec<u8>; 4]> = LazyLock::new(|| {
        let original = snapshot();
        NAMES.map(|name| fs::read(original.path().join(name)).expect("a file"))
    });
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (name, bytes) in NAMES.iter().zip(FILES.iter()) {
        fs::write(dir.path().join(name), bytes).expect("writing");
    }
    dir
}

#[test]
fn what_was_written_is_read() {
    let dir = snapshot();
    let snapshot = Snapshot::open(dir.path()).expect("a valid snapshot");
    assert_eq!(snapshot.columns().ids, [1, 2, 3]);
    assert_eq!(snapshot.vectors().vector(0), [0.0, 0.0]);
    for id in 1..=3 {
        let object = snapshot
            .object(id)
            .expect("a readable catalogue")
            .expect("a known id");
        assert_eq!(object.record, record(id));
        assert_eq!(object.csv.is_some(), id < 3);
        assert_eq!(object.api, (id == 2).then(api));
        assert_eq!(object.vector, (id == 2).then(vector));
        let sources = snapshot.sources(id).expect("a readable catalogue");
        assert_eq!(
            sources,
            Sources {
                csv: id < 3,
                api: id == 2
            }
        );
    }
    let csv = snapshot
        .object(2)
        .expect("readable")
        .expect("known")
        .csv
        .expect("a row");
    assert_eq!((csv.record_number, csv.byte_offset), (2, 200));
    assert_eq!(
        csv.cells,
        [
            ("Id".to_owned(), "1".to_owned()),
            ("Name".to_owned(), " x\r\n".to_owned())
        ]
    );
    assert_eq!(snapshot.object(4).expect("readable"), None);
}

#[test]
fn many_threads_read_at_once() {
    let dir = snapshot();
    let snapshot = Snapshot::open(dir.path()).expect("a valid snapshot");
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| assert!(snapshot.object(1).expect("readable").is_some()));
        }
    });
}

#[test]
fn a_missing_cut_or_changed_file_is_named() {
    for name in [CATALOGUE, VECTORS, super::VECTOR_IDS] {
        let dir = copy();
        let path = dir.path().join(name);
        let mut bytes = fs::read(&path).expect("a file");
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        fs::write(&path, &bytes).expect("writing");
        let error = Snapshot::open(dir.path()).expect_err("damaged");
        assert!(
            matches!(&error, OpenError::Digest { name: found, .. } if found == name),
            "{error}"
        );
        fs::write(&path, &bytes[..last]).expect("writing");
        let error = Snapshot::open(dir.path()).expect_err("cut");
        assert!(
            matches!(&error, OpenError::Size { name: found, .. } if found == name),
            "{error}"
        );
        fs::remove_file(&path).expect("removing");
        let error = Snapshot::open(dir.path()).expect_err("missing");
        assert!(
            matches!(&error, OpenError::Io { path: found, .. } if *found == path),
            "{error}"
        );
    }
}

fn change_manifest(dir: &Path, from: &str, to: &str) {
    let path = dir.join(MANIFEST);
    let text = fs::read_to_string(&path).expect("a manifest");
    assert!(text.contains(from), "{from} is in the manifest");
    fs::write(path, text.replace(from, to)).expect("writing");
}

#[test]
fn another_format_and_wrong_counts_are_refused() {
    let dir = copy();
    change_manifest(dir.path(), "test-snapshot/1", "test-snapshot/2");
    assert!(matches!(Snapshot::open(dir.path()), Err(OpenError::Format(_))));
    let dir = copy();
    change_manifest(dir.path(), "\"records\": 3", "\"records\": 4");
    assert!(matches!(
        Snapshot::open(dir.path()),
        Err(OpenError::Count {
            what: "records",
            expected: 4,
            found: 3
        })
    ));
    let dir = copy();
    change_manifest(dir.path(), VECTORS, "../vectors.npy");
    assert!(matches!(Snapshot::open(dir.path()), Err(OpenError::Files)));
}

/// Writes a file and corrects its entry in the manifest, as a forger would.
fn forge(dir: &Path, name: &str, bytes: &[u8]) {
    let path = dir.join(name);
    let (old_size, old) = super::digest_of_file(&path).expect("a file");
    fs::write(&path, bytes).expect("writing");
    let (new_size, new) = super::digest_of_file(&path).expect("a file");
    change_manifest(dir, &old, &new);
    if old_size != new_size {
        change_manifest(
            dir,
            &format!("\"bytes\": {old_size}"),
            &format!("\"bytes\": {new_size}"),
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn a_forged_catalogue_is_an_error_or_answers(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let dir = copy();
        let mut bytes = fs::read(dir.path().join(CATALOGUE)).expect("a file");
        for (position, value) in changes {
            let position = position.index(bytes.len());
            bytes[position] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        forge(dir.path(), CATALOGUE, &bytes);
        if let Ok(snapshot) = Snapshot::open(dir.path()) {
            for id in 0..5 {
                let _ = snapshot.object(id);
            }
        }
    }

    #[test]
    fn a_damaged_manifest_is_an_error_or_opens(position in any::<prop::sample::Index>(), value in any::<u8>()) {
        let dir = copy();
        let path = dir.path().join(MANIFEST);
        let mut bytes = fs::read(&path).expect("a manifest");
        let position = position.index(bytes.len());
        bytes[position] = value;
        fs::write(path, bytes).expect("writing");
        let _ = Snapshot::open(dir.path());
    }
}
