//! The tables of `catalogue.sqlite`.
//!
//! Dictionaries, postings and quality flags are not tables of their own: the column blobs hold the same facts,
//! and two copies of one fact can disagree.

/// `PRAGMA user_version` of the catalogue.
pub(super) const VERSION: i32 = 1;

/// Large pages: blobs are read in a few calls, and a row is one page however it is found.
pub(super) const PAGE_SIZE: u32 = 32 * 1024;

pub(super) const TABLES: &str = "
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE objects(
    object_id INTEGER PRIMARY KEY,
    title TEXT, department TEXT, object_name TEXT, culture TEXT, medium TEXT,
    object_date_text TEXT,
    date_state INTEGER NOT NULL, -- 0 missing, 1 valid, 2 invalid, 3 conflict
    date_begin INTEGER, date_end INTEGER,
    rights_state INTEGER NOT NULL, -- 0 missing, 1 recorded, 3 conflict
    is_public_domain INTEGER,
    image_state INTEGER NOT NULL, -- as rights_state
    has_known_image INTEGER,
    conflict_mask INTEGER NOT NULL, -- 1 title, 2 artists, 4 date, 8 rights, 16 image
    artists_json TEXT NOT NULL, -- [{name, role, attribution}] in recorded order
    quality_json TEXT NOT NULL -- [flag]
);
CREATE TABLE source_csv(
    object_id INTEGER PRIMARY KEY,
    record_number INTEGER NOT NULL, byte_offset INTEGER NOT NULL,
    cells_json TEXT NOT NULL -- exact cells, in the order of meta 'csv_columns'
);
CREATE TABLE source_api(
    object_id INTEGER PRIMARY KEY,
    retrieved_at TEXT NOT NULL, http_status INTEGER NOT NULL,
    url TEXT NOT NULL, sha256 TEXT NOT NULL, body BLOB NOT NULL
);
CREATE TABLE vector_evidence(
    object_id INTEGER PRIMARY KEY,
    shard_sha256 TEXT NOT NULL, row_index INTEGER NOT NULL,
    model TEXT, original_norm REAL NOT NULL
);
CREATE TABLE columns(name TEXT PRIMARY KEY, bytes BLOB NOT NULL);
";
