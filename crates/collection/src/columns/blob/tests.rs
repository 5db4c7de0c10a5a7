use proptest::prelude::*;

use super::{BlobError, assemble, decode, decode_ids, encode, names};
use crate::{ArtistMention, Columns, ColumnsBuilder, Interval, Merged, ObjectDate, Record};

fn columns(count: u64) -> Columns {
    let mut builder = ColumnsBuilder::new();
    for id in (1..=count).rev() {
        let artist = ArtistMention {
            name: format!("Artist {}", id % 3),
            role: (id % 2 == 0).then(|| "Maker".to_owned()),
            attribution: format!("After Artist {}", id % 3),
        };
        let record = Record {
            object_id: id * 10,
            title: if id % 5 == 0 {
                Merged::Conflict
            } else {
                Merged::Value(format!("Títle {id}"))
            },
            tags: (0..id % 4).map(|tag| format!("tag {tag}")).collect(),
            artists: Merged::Value(vec![artist]),
            object_date: if id % 7 == 0 {
                ObjectDate::Invalid
            } else {
                ObjectDate::Valid(Interval { begin: -5, end: 1900 })
            },
            is_public_domain: Merged::Value(id % 2 == 0),
            ..Record::default()
        };
        builder.push(&record).expect("room");
    }
    builder.finish().expect("distinct ids")
}

fn blobs(columns: &Columns) -> Vec<(String, Vec<u8>)> {
    names()
        .into_iter()
        .map(|name| {
            let bytes = encode(columns, &name).expect("a listed name");
            (name, bytes)
        })
        .collect()
}

fn read(blobs: &[(String, Vec<u8>)]) -> Result<Columns, BlobError> {
    let size = |bytes: &[u8]| bytes.len() as u64;
    let ids = decode_ids(blobs[0].1.as_slice(), size(&blobs[0].1))?;
    let rows = ids.len();
    let parts = blobs[1..]
        .iter()
        .map(|(name, bytes)| decode(name, bytes.as_slice(), size(bytes), rows));
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    Ok(assemble(ids, parts))
}

/// Looks at everything a query might.
fn walk(columns: &Columns) {
    for column in &columns.strings {
        for row in 0..u32::try_from(columns.len()).expect("few rows") {
            for &value in column.values_of.get(row) {
                assert!(!column.values.get(value).is_empty() || !column.norms.get(value).contains('\n'));
            }
        }
        for &row in &column.rows_of.items {
            assert!(columns.ids[row as usize] > 0);
        }
    }
    assert_eq!(columns.terms.frequencies.len(), columns.terms.rows_of.items.len());
}

#[test]
fn columns_survive_storage() {
    for count in [0, 1, 63, 64, 65, 200] {
        let columns = columns(count);
        assert_eq!(
            read(&blobs(&columns)).expect("undamaged"),
            columns,
            "{count} records"
        );
    }
}

#[test]
fn a_blob_cut_anywhere_is_damaged() {
    let blobs = blobs(&columns(20));
    for (position, (name, bytes)) in blobs.iter().enumerate() {
        for length in 0..bytes.len() {
            let mut cut = blobs.clone();
            cut[position].1.truncate(length);
            assert!(read(&cut).is_err(), "{name} cut to {length}");
        }
    }
}

#[test]
fn another_version_is_named() {
    let mut blobs = blobs(&columns(3));
    blobs[0].1[4] = 9;
    assert!(matches!(read(&blobs), Err(BlobError::Version(9))));
}

#[test]
fn a_huge_length_allocates_nothing() {
    let mut blobs = blobs(&columns(3));
    blobs[0].1[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(matches!(
        read(&blobs),
        Err(BlobError::Damaged("an array is longer than the column"))
    ));
}

proptest! {
    #[test]
    fn damaged_bytes_give_an_error_or_columns_that_can_be_walked(
        blob in 0_usize..26, position in any::<prop::sample::Index>(), value in any::<u8>(), rows in 1_u64..40
    ) {
        let mut blobs = blobs(&columns(rows));
        let bytes = &mut blobs[blob].1;
        let position = position.index(bytes.len());
        bytes[position] = value;
        if let Ok(columns) = read(&blobs) {
            walk(&columns);
        }
    }
}
