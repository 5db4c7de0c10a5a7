//! Texts that would fill the context: cut for the model, kept whole under a key.

use periplus_state::Warning;
use serde_json::json;

use crate::support::{Session, structured_result};

#[test]
fn a_long_text_is_cut_and_kept_whole_under_a_key() {
    let mut session = Session::new();
    let text = "0123456789".repeat(5000);
    let captured = session.call(
        "summarise",
        json!({}),
        json!({"content": [{"type": "text", "text": text}]}),
    );
    let key = "stranger/summarise/full_text";
    assert!(captured.text.len() < 5000);
    assert!(captured.text.contains(
        "[text cut: 4000 of 50000 characters are shown, the whole is under stranger/summarise/full_text]"
    ));
    assert!(captured.text.contains(&format!("[state updated: {key} — ")));
    assert_eq!(session.state.get(key).unwrap().value.json(), &json!(text));
    assert_eq!(session.read(key, "[49998:]"), "\"89\"");
    assert!(matches!(
        captured.warnings[..],
        [Warning::TextCut { bytes: 50000, .. }]
    ));
    let activity = periplus_state::published_activity("c", "summarise", &captured.artifact).unwrap();
    assert_eq!(activity["published"], json!({"full_text": key}));
    assert_eq!(
        captured.artifact.restore_structured(&session.state),
        None,
        "a text is no structured result"
    );
}

#[test]
fn a_long_text_of_json_is_kept_as_the_value_it_holds() {
    let mut session = Session::new();
    let rows = json!(vec![json!({"name": "era5"}); 2000]);
    session.call(
        "summarise",
        json!({}),
        json!({"content": [{"type": "text", "text": rows.to_string()}]}),
    );
    assert_eq!(
        session.read("stranger/summarise/full_text", "[1999].name"),
        "\"era5\""
    );
}

#[test]
fn a_long_text_of_a_failed_call_is_cut_and_not_kept() {
    let mut session = Session::new();
    let result = json!({"content": [{"type": "text", "text": "é".repeat(20_000)}], "isError": true});
    let captured = session.call("summarise", json!({}), result);
    assert!(
        captured
            .text
            .ends_with("[text cut: 4000 of 20000 characters are shown, the rest was not kept]")
    );
    assert!(captured.writes.is_empty());
}

#[test]
fn a_long_message_does_not_take_the_key_of_a_field() {
    let mut session = Session::new();
    let captured = session.call(
        "summarise",
        json!({}),
        structured_result(&json!({"message": "m".repeat(20_000), "full_text": "f".repeat(3000)})),
    );
    assert_eq!(
        captured.artifact.captured_text.unwrap().as_str(),
        "stranger/summarise/full_text_"
    );
    assert_eq!(
        session
            .state
            .get("stranger/summarise/full_text")
            .unwrap()
            .value
            .json(),
        &json!("f".repeat(3000))
    );
}
