use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, StringArray};
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use periplus_collection::{Merged, Snapshot, StringField, Vectors as _};
use periplus_collection_import::met::{
    Candidate, DatasetMode, HeaderVariant, ImportOptions, SAMPLE_CSV, choose, columns_of_csv, verify,
};
use sha2::{Digest as _, Sha256};

use crate::import::{Desk, refused, run};
use crate::oracle::{number, oracle};
use crate::shard::{Lists, MODEL, ShardRow, components, write, write_bare, write_depictions, write_plain};

/// Ids of the sample, far apart.
const KNOWN: [u64; 3] = [467_642, 503_046, 322_753];

fn with_shard(desk: &Desk, name: &str) -> ImportOptions {
    let mut options = desk.options(SAMPLE_CSV);
    options.vectors = vec![desk.path(name)];
    options.allow_unpinned_vectors = true;
    options.replace = true;
    options
}

fn good_rows() -> Vec<ShardRow> {
    KNOWN.map(ShardRow::good).into()
}

/// The vector as it is to be stored.
fn unit(seed: u64) -> Vec<f32> {
    let vector: Vec<f64> = components(seed).into_iter().map(f64::from).collect();
    let norm = vector
        .iter()
        .fold(0.0, |sum, component| sum + component * component)
        .sqrt();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "vectors are stored in single precision"
    )]
    vector
        .into_iter()
        .map(|component| (component / norm) as f32)
        .collect()
}

#[test]
fn every_list_type_and_compression_gives_the_same_vectors() {
    let desk = Desk::new();
    let zstd = Compression::ZSTD(ZstdLevel::default());
    let gzip = Compression::GZIP(GzipLevel::default());
    let forms = [
        (Lists::List32, Compression::SNAPPY),
        (Lists::List64, zstd),
        (Lists::Large, gzip),
        (Lists::Fixed, Compression::UNCOMPRESSED),
    ];
    for (lists, compression) in forms {
        write_plain(&desk.path("shard"), &good_rows(), lists, compression);
        let report = run(&with_shard(&desk, "shard")).expect("an import");
        let snapshot = Snapshot::open(&report.output).expect("sound");
        let vectors = snapshot.vectors();
        assert_eq!(vectors.ids(), [322_753, 467_642, 503_046], "{lists:?}");
        for (position, &id) in vectors.ids().iter().enumerate() {
            assert_eq!(vectors.vector(position), unit(id), "{lists:?} {id}");
        }
        let object = snapshot.object(467_642).expect("readable").expect("known");
        assert_eq!(object.record.has_known_image, Merged::Value(true));
        let source = object.vector.expect("a source");
        assert_eq!((source.row_index, source.model.as_deref()), (0, Some(MODEL)));
        assert!(verify(&report.output).expect("readable").is_sound());
        let input = &report.manifest.inputs.vectors[0];
        assert_eq!(
            (input.rows, input.accepted, input.profile.as_str()),
            (3, 3, "met-v1")
        );
        assert!(input.norm_min <= Some(source.original_norm) && Some(source.original_norm) <= input.norm_max);
    }
}

#[test]
fn rows_are_rejected_for_their_first_reason() {
    let desk = Desk::new();
    let good = ShardRow::good(KNOWN[0]);
    let rows = [
        ShardRow {
            id: None,
            vector: None,
            ..good.clone()
        },
        ShardRow {
            id: Some(-1),
            vector: None,
            ..good.clone()
        },
        ShardRow {
            id: Some(0),
            ..good.clone()
        },
        ShardRow {
            vector: None,
            dim: Some(3),
            ..good.clone()
        },
        ShardRow {
            vector: Some(vec![1.0; 3]),
            model: None,
            ..good.clone()
        },
        ShardRow {
            dim: Some(768),
            model: None,
            ..good.clone()
        },
        ShardRow {
            dim: None,
            ..good.clone()
        },
        ShardRow {
            model: Some("other"),
            vector: Some(vec![f32::NAN; 1152]),
            ..good.clone()
        },
        ShardRow {
            model: None,
            ..good.clone()
        },
        ShardRow {
            vector: Some(vec![f32::INFINITY; 1152]),
            ..good.clone()
        },
        ShardRow {
            vector: Some(vec![0.0; 1152]),
            ..good.clone()
        },
        good.clone(),
        good.clone(),
        ShardRow::good(999_999_999),
        ShardRow::good(999_999_999),
        ShardRow::good(KNOWN[1]),
    ];
    write_plain(&desk.path("shard"), &rows, Lists::List32, Compression::SNAPPY);
    let report = run(&with_shard(&desk, "shard")).expect("an import");
    let input = &report.manifest.inputs.vectors[0];
    let expected: BTreeMap<String, u64> = [
        ("null_object_id", 1),
        ("bad_object_id", 2),
        ("null_vector", 1),
        ("wrong_dimension", 3),
        ("wrong_model", 2),
        ("non_finite", 1),
        ("zero_norm", 1),
        ("duplicate_object_id", 2),
        ("not_in_catalogue", 1),
    ]
    .map(|(reason, count)| (reason.to_owned(), count))
    .into();
    assert_eq!(input.rejected, expected);
    assert_eq!(input.rejected.values().sum::<u64>() + input.accepted, input.rows);
    assert_eq!(input.rejected_sample["null_object_id"], [None]);
    assert_eq!(input.rejected_sample["bad_object_id"], [Some(-1), Some(0)]);
    assert_eq!(input.rejected_sample["not_in_catalogue"], [Some(999_999_999)]);
    assert_eq!(report.manifest.counts.vectors, 2);
}

#[test]
fn depictions_are_found_by_subject_or_link() {
    let desk = Desk::new();
    let link = "https://www.metmuseum.org/art/collection/search/503046?x=1";
    let rows = [
        (Some("467642"), None, ShardRow::good(1)),
        (Some("met:503046"), Some(link), ShardRow::good(2)),
        (
            None,
            Some("https://www.metmuseum.org/art/collection/search/322753"),
            ShardRow::good(3),
        ),
        (Some("x"), Some("https://example.org/1"), ShardRow::good(4)),
        (None, None, ShardRow::good(5)),
    ];
    write_depictions(&desk.path("shard"), &rows);
    let report = run(&with_shard(&desk, "shard")).expect("an import");
    let snapshot = Snapshot::open(&report.output).expect("sound");
    assert_eq!(snapshot.vectors().ids(), [322_753, 467_642, 503_046]);
    let input = &report.manifest.inputs.vectors[0];
    assert_eq!(input.profile, "oembeddings-v1");
    assert_eq!(
        (input.rejected["bad_object_id"], input.rejected["null_object_id"]),
        (1, 1)
    );
}

#[test]
fn shards_add_up_in_order_and_repeats_are_rejected() {
    let desk = Desk::new();
    write_plain(
        &desk.path("one"),
        &good_rows()[..2],
        Lists::List32,
        Compression::SNAPPY,
    );
    write_plain(
        &desk.path("two"),
        &good_rows()[1..],
        Lists::List32,
        Compression::SNAPPY,
    );
    let mut options = with_shard(&desk, "one");
    options.vectors.push(desk.path("two"));
    let report = run(&options).expect("an import");
    assert_eq!(report.manifest.counts.vectors, 3);
    assert_eq!(
        report.manifest.inputs.vectors[1].rejected["duplicate_object_id"],
        1
    );
}

#[test]
fn a_shard_without_a_model_needs_someone_who_says_which() {
    let desk = Desk::new();
    write_bare(&desk.path("shard"), &[503_046]);
    let mut options = with_shard(&desk, "shard");
    options.replace = false;
    refused(&options, "USAGE");
    options.assert_model = Some("other".to_owned());
    refused(&options, "USAGE");
    options.assert_model = Some(MODEL.to_owned());
    let report = run(&options).expect("an import");
    assert_eq!(report.manifest.inputs.vectors[0].model_asserted, "operator");
}

#[test]
fn a_shard_is_accepted_only_if_asked_for() {
    let desk = Desk::new();
    write_plain(
        &desk.path("shard"),
        &good_rows(),
        Lists::List32,
        Compression::SNAPPY,
    );
    let mut options = with_shard(&desk, "shard");
    options.allow_unpinned_vectors = false;
    options.replace = false;
    refused(&options, "VECTOR_PIN_MISMATCH");
    options.vector_pins = vec!["beef".to_owned()];
    refused(&options, "USAGE");
    options.mode = DatasetMode::FullVectors;
    options.vector_pins = vec![hex::encode(Sha256::digest(
        fs::read(desk.path("shard")).expect("a file"),
    ))];
    assert!(run(&options).expect("an import").manifest.inputs.vectors[0].pinned);
    options.allow_unpinned_vectors = true;
    options.output = desk.path("other");
    refused(&options, "USAGE");
}

#[test]
fn other_columns_and_other_files_are_refused() {
    let desk = Desk::new();
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["1"]));
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let path = desk.path("shard");
    let mut options = with_shard(&desk, "shard");
    options.replace = false;
    for columns in [
        vec![("id", Arc::clone(&numbers)), ("clip", Arc::clone(&numbers))],
        vec![
            ("objectID", Arc::clone(&texts)),
            ("embedding", Arc::clone(&numbers)),
        ],
        vec![
            ("objectID", Arc::clone(&numbers)),
            ("embedding", Arc::clone(&texts)),
        ],
    ] {
        write(&path, &columns, Compression::SNAPPY);
        let error = refused(&options, "VECTOR_SCHEMA_UNSUPPORTED");
        assert!(error.to_string().contains("column"), "{error}");
    }
    fs::write(&path, "PAR1 but no more").expect("writing");
    refused(&options, "VECTOR_SCHEMA_UNSUPPORTED");
    write_plain(
        &path,
        &[ShardRow::good(999_999_999)],
        Lists::List32,
        Compression::SNAPPY,
    );
    let error = refused(&options, "NO_COMPATIBLE_VECTORS");
    assert!(error.to_string().contains("not_in_catalogue 1"), "{error}");
}

fn digest_of(ids: impl Iterator<Item = u64>) -> String {
    let ids: Vec<String> = ids.map(|id| id.to_string()).collect();
    hex::encode(Sha256::digest(ids.join("\n")))
}

#[test]
fn the_fixture_is_that_of_the_oracle() {
    let (oracle, columns) = (
        oracle(),
        columns_of_csv(SAMPLE_CSV, HeaderVariant::Current54).expect("valid"),
    );
    let department = columns.string(StringField::Department);
    let candidates: Vec<Candidate> = (0_u32..)
        .zip(&columns.ids)
        .map(|(row, &object_id)| Candidate {
            object_id,
            department: department
                .values_of
                .get(row)
                .first()
                .map(|&id| department.values.get(id).to_owned())
                .unwrap_or_default(),
            has_vector: object_id % 3 == 0,
        })
        .collect();
    let expected = &oracle["fixture"];
    let fixture = choose(
        &candidates,
        number(&expected["records"]),
        number(&expected["vectors"]),
    );
    assert_eq!(
        digest_of(fixture.records.iter().copied()),
        expected["selectionSha256"].as_str().expect("a digest")
    );
    assert_eq!(
        digest_of(fixture.vectors.iter().copied()),
        expected["vectorSha256"].as_str().expect("a digest")
    );
    let mut reversed = candidates;
    reversed.reverse();
    assert_eq!(
        choose(&reversed, 200, 40),
        fixture,
        "the order of the file does not matter"
    );
}

#[test]
fn a_fixture_holds_exactly_what_was_asked_for() {
    let desk = Desk::new();
    let columns = columns_of_csv(SAMPLE_CSV, HeaderVariant::Current54).expect("valid");
    let rows: Vec<ShardRow> = columns
        .ids
        .iter()
        .step_by(20)
        .map(|&id| ShardRow::good(id))
        .collect();
    write_plain(&desk.path("shard"), &rows, Lists::List32, Compression::SNAPPY);
    let mut options = with_shard(&desk, "shard");
    options.mode = DatasetMode::BoundedFixture;
    options.replace = false;
    (options.fixture_records, options.fixture_vectors) = (300, 200);
    refused(&options, "FIXTURE_TOO_SMALL");
    options.fixture_vectors = 30;
    let report = run(&options).expect("an import");
    assert_eq!(
        (report.manifest.counts.records, report.manifest.counts.vectors),
        (300, 30)
    );
    assert_eq!(report.manifest.counts.with_known_image, 30);
    assert_eq!(report.manifest.inputs.vectors[0].accepted, rows.len() as u64);
    let verified = verify(&report.output).expect("readable");
    assert_eq!(verified.problems, Vec::<String>::new());
    let snapshot = Snapshot::open(&report.output).expect("sound");
    assert_eq!(
        snapshot.columns().string(StringField::Department).values.len(),
        19,
        "all departments appear"
    );

    options.allow_small_fixture = true;
    (options.fixture_records, options.fixture_vectors) = (5000, 200);
    options.replace = true;
    let report = run(&options).expect("a small fixture");
    assert_eq!(report.manifest.counts.vectors, rows.len() as u64);
    assert!(report.manifest.snapshot.starts_with("bounded-fixture-"));
}
