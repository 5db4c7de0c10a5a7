//! The values a model may choose from, one line each, the last written first.

use crate::{Connection, Entry, State, StateKey, describe};

/// Most lines of a listing; a refusal is read by a model and should leave room for its answer.
const MAX_LINES: usize = 40;

/// Most arguments named as written by the model; beyond that the count says more.
const MAX_NAMES: usize = 3;

/// The values that a server may receive, as indented lines, the last written first; empty if there is none.
///
/// Without a connection, all values. After 40 lines the rest is counted.
#[must_use]
pub fn listing(state: &State, connection: Option<&Connection>) -> String {
    let offered: Vec<_> = state
        .newest_first()
        .into_iter()
        .filter(|(key, _)| connection.is_none_or(|connection| connection.may_receive(key.as_str())))
        .collect();
    let mut lines: Vec<String> = offered
        .iter()
        .take(MAX_LINES)
        .map(|(key, entry)| format!("  {}", line(key, entry)))
        .collect();
    if offered.len() > MAX_LINES {
        lines.push(format!(
            "  … and {} more; inspect_state with key \"*\" names them all",
            offered.len() - MAX_LINES
        ));
    }
    lines.join("\n")
}

fn line(key: &StateKey, entry: &Entry) -> String {
    let mut line = format!(
        "{} — {}, from {} in turn {}",
        key.handle(),
        describe(entry.value.json()),
        entry.tool,
        entry.turn
    );
    if entry.turns_written > 1 {
        line.push_str(&format!(", written in {} turns", entry.turns_written));
    }
    line.push_str(&provenance(entry));
    line
}

/// What the model made up for the publishing call; nothing if the call drew on values that tools had published.
fn provenance(entry: &Entry) -> String {
    let names: Vec<&str> = entry.written_by_model().collect();
    if names.is_empty() || entry.draws_on_state() {
        String::new()
    } else if names.len() <= MAX_NAMES {
        format!(" (you wrote: {})", names.join(", "))
    } else {
        format!(" (you wrote every argument, {} of them)", names.len())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Inputs, Origin, StoredValue, Write};

    fn write(key: &str, inputs: &[(&str, Origin)]) -> Write {
        Write {
            key: StateKey::parse(key).unwrap(),
            value: StoredValue::new(json!([1, 2])),
            tool: "search".to_owned(),
            inputs: inputs
                .iter()
                .map(|(name, origin)| ((*name).to_owned(), origin.clone()))
                .collect::<Inputs>(),
        }
    }

    #[test]
    fn a_line_says_what_from_where_when_and_what_was_made_up() {
        let mut state = State::default();
        state.start_turn(1);
        let key = Origin::Key(StateKey::parse("a/b/c").unwrap());
        state.apply([
            write("s/t/none", &[]),
            write("s/t/model", &[("q", Origin::Model), ("limit", Origin::Model)]),
            write("s/t/mixed", &[("q", Origin::Model), ("area", key)]),
            write(
                "s/t/many",
                &["a", "b", "c", "d"].map(|name| (name, Origin::Model)),
            ),
        ]);
        state.start_turn(2);
        state.apply([write("s/t/none", &[])]);
        assert_eq!(
            listing(&state, None),
            "  @state:s/t/none — 2 items, from search in turn 2, written in 2 turns\n  \
             @state:s/t/many — 2 items, from search in turn 1 (you wrote every argument, 4 of them)\n  \
             @state:s/t/mixed — 2 items, from search in turn 1\n  \
             @state:s/t/model — 2 items, from search in turn 1 (you wrote: limit, q)"
        );
    }

    #[test]
    fn a_listing_offers_only_what_the_server_may_receive_and_is_bounded() {
        let mut state = State::default();
        state.apply((0..50).map(|i| write(&format!("a/t/{i}"), &[])));
        state.apply([write("b/t/x", &[])]);
        let all = listing(&state, None);
        assert_eq!(all.lines().count(), 41);
        assert!(
            all.ends_with("… and 11 more; inspect_state with key \"*\" names them all"),
            "{all}"
        );
        let only_b = Connection::new("c")
            .unwrap()
            .receives(crate::Receives::Only(vec![crate::KeyPrefix::new("b")]));
        assert_eq!(
            listing(&state, Some(&only_b)),
            "  @state:b/t/x — 2 items, from search in turn 0"
        );
    }
}
