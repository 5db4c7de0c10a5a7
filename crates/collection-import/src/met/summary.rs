//! What the manifest says about the records.

use std::collections::BTreeMap;

use periplus_collection::manifest::{BoolCounts, Counts, Coverage, DateCounts, Licence};
use periplus_collection::{
    BoolColumn, CONFLICT_RULES, Columns, LEXICAL_WEIGHTS, OBJECT_DATE_WEIGHT, QUALITY_RULES, RECORD_RULES,
    StringField, canonical_json, rank, text,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::quality::QUALITY_FLAGS;

/// Hex digits of the digest in a snapshot id.
const ID_DIGITS: usize = 20;

/// What the columns themselves do not count.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Totals {
    pub(super) csv_records: u64,
    pub(super) vectors: u64,
    pub(super) api_captures: u64,
    pub(super) artist_mentions: u64,
}

/// How many of what.
pub(super) fn counts(columns: &Columns, totals: Totals) -> Counts {
    let rights = bools(columns.len(), &columns.is_public_domain);
    let dates = dates(columns);
    Counts {
        csv_records: totals.csv_records,
        records: columns.len() as u64,
        vectors: totals.vectors,
        api_captures: totals.api_captures,
        public_domain: BoolCounts {
            r#true: count(&columns.is_public_domain.yes),
            r#false: count(&columns.is_public_domain.no),
            missing: rights.missing,
            conflict: rights.conflict,
        },
        date_states: DateCounts {
            valid: dates.present,
            missing: dates.missing,
            invalid: dates.invalid,
            conflict: dates.conflict,
        },
        with_artists: strings(columns, StringField::ArtistName).present,
        artist_mentions: totals.artist_mentions,
        with_tags: strings(columns, StringField::Tags).present,
        with_known_image: count(&columns.has_known_image.yes),
    }
}

/// States of each field over all records.
pub(super) fn coverage(columns: &Columns) -> BTreeMap<String, Coverage> {
    let mut coverage: BTreeMap<String, Coverage> = StringField::ALL
        .map(|field| (field.name().to_owned(), strings(columns, field)))
        .into();
    let empty_texts = (0_u32..)
        .take(columns.len())
        .filter(|&row| columns.metadata_text.get(row).is_empty());
    let missing = empty_texts.count() as u64;
    let present = columns.len() as u64 - missing;
    coverage.insert(
        "metadata_text".to_owned(),
        Coverage {
            present,
            missing,
            ..Coverage::default()
        },
    );
    coverage.insert("object_date".to_owned(), dates(columns));
    coverage.insert(
        "is_public_domain".to_owned(),
        bools(columns.len(), &columns.is_public_domain),
    );
    coverage.insert(
        "has_known_image".to_owned(),
        bools(columns.len(), &columns.has_known_image),
    );
    coverage
}

/// Records by quality flag.
pub(super) fn data_quality(columns: &Columns) -> BTreeMap<String, u64> {
    let column = columns.string(StringField::DataQuality);
    let ids = (0_u32..).take(column.values.len());
    ids.map(|id| {
        (
            column.values.get(id).to_owned(),
            column.rows_of.get(id).len() as u64,
        )
    })
    .collect()
}

/// Every flag with its description.
pub(super) fn quality_flags() -> BTreeMap<String, String> {
    QUALITY_FLAGS
        .iter()
        .map(|flag| (flag.name.to_owned(), flag.description.to_owned()))
        .collect()
}

/// Versions of the rules behind every derived value.
pub(super) fn rules() -> Value {
    let (major, minor, update) = text::UNICODE_VERSION;
    let mut lexical: serde_json::Map<String, Value> = LEXICAL_WEIGHTS
        .iter()
        .map(|(field, weight)| (field.name().to_owned(), json!(weight)))
        .collect();
    lexical.insert("object_date".to_owned(), json!(OBJECT_DATE_WEIGHT));
    json!({
        "record": RECORD_RULES,
        "quality": QUALITY_RULES,
        "conflict": CONFLICT_RULES,
        "tokenizer": text::TOKENIZER,
        "unicode": format!("{major}.{minor}.{update}"),
        "lexicalFields": lexical,
        "ranking": rank::rules(),
    })
}

/// The id of a snapshot of that mode with those inputs.
pub(super) fn snapshot_id(mode: &str, inputs: &Value) -> String {
    let digest = hex::encode(Sha256::digest(canonical_json(inputs)));
    format!("{}-{}", mode.replace('_', "-"), &digest[..ID_DIGITS])
}

/// The museum's terms: everything it publishes here is dedicated to the public domain.
pub(super) fn licences(has_vectors: bool, has_captures: bool) -> Vec<Licence> {
    let licence = |of: &str| Licence {
        of: of.to_owned(),
        licence: "CC0-1.0".to_owned(),
        attribution: "The Metropolitan Museum of Art Open Access".to_owned(),
    };
    let mut licences = vec![licence("catalogue records")];
    if has_vectors {
        licences.push(licence("image vectors"));
    }
    if has_captures {
        licences.push(licence("API responses"));
    }
    licences
}

fn count(rows: &fixedbitset::FixedBitSet) -> u64 {
    rows.count_ones(..) as u64
}

fn strings(columns: &Columns, field: StringField) -> Coverage {
    let column = columns.string(field);
    let present = column
        .values_of
        .offsets
        .windows(2)
        .filter(|window| window[0] < window[1])
        .count() as u64;
    let conflict = count(&column.conflict);
    Coverage {
        present,
        missing: columns.len() as u64 - present - conflict,
        invalid: 0,
        conflict,
    }
}

fn bools(rows: usize, column: &BoolColumn) -> Coverage {
    let present = count(&column.yes) + count(&column.no);
    let conflict = count(&column.conflict);
    Coverage {
        present,
        missing: rows as u64 - present - conflict,
        invalid: 0,
        conflict,
    }
}

fn dates(columns: &Columns) -> Coverage {
    let dates = &columns.object_date;
    let (present, invalid, conflict) = (count(&dates.valid), count(&dates.invalid), count(&dates.conflict));
    Coverage {
        present,
        missing: columns.len() as u64 - present - invalid - conflict,
        invalid,
        conflict,
    }
}
