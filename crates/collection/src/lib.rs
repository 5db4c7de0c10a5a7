//! Evidence-first research over a museum catalogue.
//!
//! Select by typed predicates over four states, rank exactly what was selected, and cite the source of every
//! value. Pure and synchronous: no clock, no environment, no network; time limits come in as a budget.

mod columns;
mod field;
mod record;
pub mod text;

pub use columns::{
    BoolColumn, Columns, ColumnsBuilder, ColumnsError, Conflicts, DateColumn, LEXICAL_WEIGHTS, Lists,
    OBJECT_DATE_WEIGHT, Row, StringColumn, Strings, TermIndex, ValueId,
};
pub use field::StringField;
pub use record::{ArtistMention, Geography, Interval, Merged, ObjectDate, Record};
