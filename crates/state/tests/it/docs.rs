//! The limits that the documentation names are those in force.

use periplus_state::{CaptureLimits, MAX_ENTRIES, MAX_STATE_BYTES};

const PAGE: &str = include_str!("../../../../docs/concepts/session-state.md");

fn assert_row(start: &str, limit: &str) {
    let row = PAGE
        .lines()
        .find(|line| line.starts_with(&format!("| {start} |")))
        .unwrap();
    assert!(
        row.contains(&format!("| {limit} |")),
        "{row} does not say {limit}"
    );
}

#[test]
fn documented_limits_are_those_in_force() {
    let thousands = |count: usize| format!("{},{:03}", count / 1000, count % 1000);
    let limits = CaptureLimits::default();
    let state = format!(
        "{} MiB, {} keys",
        MAX_STATE_BYTES / (1024 * 1024),
        thousands(MAX_ENTRIES)
    );
    assert_row("values of one thread", &state);
    assert_row(
        "undeclared field",
        &format!("{} bytes of JSON", thousands(limits.field_bytes.unwrap())),
    );
    assert_row("text of a result", &format!("{} KiB", limits.text_bytes / 1024));
}
