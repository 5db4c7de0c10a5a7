//! What the macros say about an author's mistakes, word for word.
//!
//! After a deliberate change of a message or of the compiler, run with `TRYBUILD=overwrite` and read the difference.

#[test]
fn mistakes_are_named_where_they_are_made() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
