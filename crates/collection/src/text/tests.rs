use proptest::prelude::*;
use serde_json::Value;

use super::{UNICODE_VERSION, clean, norm, tokens};

/// Expected results for the shipped sample, computed by an independent implementation.
fn oracle(part: &str) -> Vec<(String, Value)> {
    let oracle: Value = serde_json::from_str(include_str!("../../../../data/met/sample-oracle.json"))
        .expect("the oracle is JSON");
    let pairs = oracle[part].as_array().expect("a list of pairs");
    pairs
        .iter()
        .map(|pair| (pair[0].as_str().expect("a text").to_owned(), pair[1].clone()))
        .collect()
}

#[test]
fn normalised_texts_are_those_of_the_oracle() {
    let cases = oracle("norm");
    assert!(cases.len() >= 10, "the oracle lists at least ten texts");
    for (text, expected) in cases {
        assert_eq!(Value::from(norm(&text)), expected, "{text:?}");
    }
}

#[test]
fn terms_are_those_of_the_oracle() {
    let cases = oracle("tokens");
    assert!(cases.len() >= 6, "the oracle lists at least six texts");
    for (text, expected) in cases {
        assert_eq!(Value::from(tokens(&text)), expected, "{text:?}");
    }
}

#[test]
fn combining_class_decides_what_a_mark_is() {
    // A spacing vowel sign has general category M and combining class 0: it stays.
    assert_eq!(norm("कि"), "कि");
    // The nukta has a combining class: it goes.
    assert_eq!(norm("क़"), "क");
}

#[test]
fn plurals_fold_by_their_ending() {
    let cases = [
        ("boots", "boot"),
        ("glasses", "glass"),
        ("brushes", "brush"),
        ("benches", "bench"),
        ("boxes", "box"),
        ("topazes", "topaz"),
        ("ladies", "lady"),
        ("ties", "tie"),
        ("zombaies", "zombaie"),
        ("vases", "vase"),
        ("shoes", "shoe"),
        ("glass", "glass"),
        ("venus", "venus"),
        ("tennis", "tennis"),
        ("gas", "gas"),
        ("18ths", "18ths"),
    ];
    for (word, expected) in cases {
        assert_eq!(tokens(word), [expected], "{word}");
    }
}

#[test]
fn unspaced_scripts_give_pairs_across_their_own_punctuation() {
    assert_eq!(tokens("佛・地"), ["佛・", "・地"]);
    assert_eq!(tokens("梅"), ["梅"]);
    assert_eq!(tokens("Old梅図2"), ["old", "梅図", "2"]);
}

#[test]
fn blank_values_are_missing() {
    for blank in ["", "  ", " | | ", "|", "\u{3000}\r\n"] {
        assert_eq!(clean(blank), None, "{blank:?}");
    }
    assert_eq!(clean(" a\r\nb\rc  d\u{a0} ").as_deref(), Some("a\nb\nc  d"));
}

#[test]
fn the_unicode_version_is_known() {
    // A newer version may normalise differently: raising it asks for a new rule version.
    assert_eq!(UNICODE_VERSION, (18, 0, 0));
}

#[test]
fn normalising_twice_changes_nothing() {
    // Every character that can change at all; the other planes are ideographs, private or unassigned.
    for character in '\0'..'\u{20000}' {
        let once = norm(&format!("a{character}b"));
        assert_eq!(norm(&once), once, "U+{:04X}", u32::from(character));
    }
}

proptest! {
    #[test]
    fn joined_texts_normalise_to_joined_norms(texts in prop::collection::vec("[\\PC\\s]{0,12}", 0..6)) {
        let norms: Vec<String> = texts.iter().map(|text| norm(text)).filter(|norm| !norm.is_empty()).collect();
        prop_assert_eq!(norm(&texts.join("\n")), norms.join(" "));
    }

    #[test]
    fn terms_hold_no_white_space(text in "\\PC{0,40}") {
        for term in tokens(&text) {
            prop_assert!(!term.is_empty() && !term.contains(char::is_whitespace));
        }
    }
}
