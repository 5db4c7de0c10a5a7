//! Files nobody made in good faith: errors with a code, never a panic, and nothing left behind.

use std::fs;
use std::path::Path;

use parquet::basic::Compression;
use periplus_collection_import::met::{HeaderVariant, ImportOptions, SAMPLE_CSV, columns_of_csv};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::import::{Desk, run};
use crate::shard::{Lists, ShardRow, write_plain};

/// The header and the first rows of the sample.
fn small_csv() -> Vec<u8> {
    SAMPLE_CSV
        .split_inclusive(|&byte| byte == b'\n')
        .take(12)
        .flatten()
        .copied()
        .collect()
}

fn damage(bytes: &mut Vec<u8>, changes: &[(Index, u8)], cut: Option<Index>) {
    for (position, value) in changes {
        let position = position.index(bytes.len());
        bytes[position] = *value;
    }
    if let Some(cut) = cut {
        bytes.truncate(cut.index(bytes.len()));
    }
}

fn changes() -> impl Strategy<Value = Vec<(Index, u8)>> {
    prop::collection::vec((any::<Index>(), any::<u8>()), 0..6)
}

/// An import ends in a snapshot or in an error that leaves nothing behind.
fn imports_or_refuses(options: &ImportOptions) -> Result<(), TestCaseError> {
    match run(options) {
        Ok(report) => prop_assert!(report.manifest.counts.records > 0),
        Err(error) => {
            prop_assert!(!error.code().is_empty() && !error.to_string().is_empty());
            prop_assert!(!options.output.exists());
        }
    }
    let parent = options.output.parent().expect("a folder in a folder");
    prop_assert_eq!(hidden(parent), 0);
    Ok(())
}

fn hidden(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with('.'))
        .count()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_csv_imports_or_is_refused(changes in changes(), cut in prop::option::of(any::<Index>())) {
        let mut bytes = small_csv();
        damage(&mut bytes, &changes, cut);
        imports_or_refuses(&Desk::new().options(&bytes))?;
    }

    #[test]
    fn a_damaged_shard_imports_or_is_refused(changes in changes(), cut in prop::option::of(any::<Index>())) {
        let desk = Desk::new();
        let mut options = desk.options(&small_csv());
        let shard = desk.path("shard");
        let columns = columns_of_csv(small_csv().as_slice(), HeaderVariant::Current54).expect("valid");
        let rows: Vec<ShardRow> = columns.ids.iter().map(|&id| ShardRow::good(id)).collect();
        write_plain(&shard, &rows, Lists::List32, Compression::SNAPPY);
        let mut bytes = fs::read(&shard).expect("a file");
        // The metadata at the end is where a decoder is most easily led astray.
        let tail = bytes.len().saturating_sub(1500);
        let mut end = bytes.split_off(tail);
        damage(&mut end, &changes, cut);
        bytes.extend(end);
        fs::write(&shard, bytes).expect("writing");
        options.vectors = vec![shard];
        options.allow_unpinned_vectors = true;
        imports_or_refuses(&options)?;
    }

    #[test]
    fn a_damaged_listing_of_captures_imports_or_is_refused(changes in changes(), cut in prop::option::of(any::<Index>())) {
        let desk = Desk::new();
        let mut listing = br#"{"format":"met-api-seeds/1","captures":[{"objectId":1,"file":"1.json","retrievedAt":"2023-02-28T05:00:00Z","sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","bytes":0,"url":"u","httpStatus":404}]}"#.to_vec();
        damage(&mut listing, &changes, cut);
        fs::create_dir(desk.path("seeds")).expect("a folder");
        desk.write("seeds/1.json", b"");
        desk.write("seeds/manifest.json", &listing);
        let mut options = desk.options(&small_csv());
        options.api_seeds = Some(desk.path("seeds"));
        imports_or_refuses(&options)?;
    }

    #[test]
    fn random_bytes_are_no_csv(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        prop_assert!(run(&Desk::new().options(&bytes)).is_err());
    }
}
