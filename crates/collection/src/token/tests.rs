use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{
    Predicate,
    cursor::{FacetCursor, RankCursor, SelectCursor},
    receipt::{Policies, Receipt},
};

fn seal() -> Seal {
    Seal::new(
        "met",
        "csv-baseline-0123456789abcdef0123",
        "met-query/1+0123456789ab",
        None,
    )
}

fn predicate() -> Predicate {
    let value = json!({ "all": [
        { "field": "department", "op": "one_of", "value": ["Islamic Art", "Asian Art"] },
        { "not": { "field": "medium", "op": "contains_normalized", "value": "Érard" } },
        { "field": "object_date", "op": "overlaps", "value": { "begin": -500, "end": 1500 } },
    ]});
    Predicate::parse(&value).unwrap()
}

fn receipt(seal: &Seal) -> String {
    Receipt::issue(seal, predicate(), Policies::default())
        .unwrap()
        .token
}

fn select_cursor(seal: &Seal) -> String {
    seal.issue(&SelectCursor {
        receipt: fingerprint("x"),
        last_id: 5,
    })
    .unwrap()
}

/// A token of any JSON text with a digest that fits.
fn forged(kind: Kind, json: &str) -> String {
    let seal = seal();
    let snapshot = seal.snapshot.clone();
    let digest = URL_SAFE_NO_PAD.encode(seal.digest(kind, &snapshot, json));
    format!(
        "{}1.{}.{digest}",
        kind.name(),
        URL_SAFE_NO_PAD.encode(deflate(json.as_bytes()))
    )
}

fn open(token: &str) -> Result<Receipt, Error> {
    Receipt::open(&seal(), token)
}

#[test]
fn a_receipt_gives_back_its_predicate() {
    let token = receipt(&seal());
    let opened = open(&token).unwrap();
    assert_eq!(opened.predicate, predicate());
    assert_eq!(opened.policies, Policies::default());
    assert_eq!(opened.token, token);
}

#[test]
fn equal_selections_have_equal_receipts_whatever_the_member_order() {
    let one = json!({ "field": "tags", "op": "one_of", "value": ["Dogs", "Cats", "Dogs"] });
    let other = json!({ "value": ["Cats", "Dogs"], "op": "one_of", "field": "tags" });
    let [one, other] = [one, other].map(|value| {
        Receipt::issue(&seal(), Predicate::parse(&value).unwrap(), Policies::default())
            .unwrap()
            .token
    });
    assert_eq!(one, other);
}

#[test]
fn a_token_has_exactly_the_documented_form() {
    // Written out by hand: the bytes of a token are a promise to every holder of one.
    let seal = Seal::new("met", "s", "q", None);
    let token = seal
        .issue(&SelectCursor {
            receipt: "0123456789abcdef".into(),
            last_id: 42,
        })
        .unwrap();
    let (head, rest) = token.split_once('.').unwrap();
    let (body, digest) = rest.split_once('.').unwrap();
    assert_eq!(head, "selc1");
    let json = r#"{"a":42,"q":"q","r":"0123456789abcdef","s":"s","v":1}"#;
    let body = URL_SAFE_NO_PAD.decode(body).unwrap();
    assert_eq!(inflate(&body).unwrap(), json);
    let expected = Sha256::digest(format!("met-token/1\nselc\ns\n{json}"));
    assert_eq!(URL_SAFE_NO_PAD.decode(digest).unwrap(), expected[..16]);
}

#[test]
fn a_key_changes_the_digest_and_must_match() {
    let keyed = |key: &[u8]| Seal::new("met", "s", "q", Some(key));
    let token = receipt(&keyed(b"one"));
    assert!(Receipt::open(&keyed(b"one"), &token).is_ok());
    assert_eq!(
        Receipt::open(&keyed(b"two"), &token).unwrap_err().code(),
        "INVALID_RECEIPT"
    );
    let unkeyed = Seal::new("met", "s", "q", None);
    assert_eq!(
        Receipt::open(&unkeyed, &token).unwrap_err().code(),
        "INVALID_RECEIPT"
    );
    assert!(!format!("{:?}", keyed(b"one")).contains("one"));
}

#[test]
fn another_snapshot_or_other_rules_make_a_token_stale_not_invalid() {
    let here = Seal::new("met", "s", "q", None);
    for there in [Seal::new("met", "t", "q", None), Seal::new("met", "s", "r", None)] {
        assert_eq!(
            Receipt::open(&there, &receipt(&here)).unwrap_err().code(),
            "STALE_RECEIPT"
        );
        let cursor = SelectCursor::open(&there, &select_cursor(&here), "x");
        assert_eq!(cursor.unwrap_err().code(), "STALE_CURSOR");
    }
}

#[test]
fn tokens_in_the_wrong_place_are_named() {
    let seal = seal();
    let error = open(&select_cursor(&seal)).unwrap_err();
    assert_eq!(error.code(), "INVALID_RECEIPT");
    assert!(
        error
            .to_string()
            .contains("it is a cursor of a selection, not a selection receipt"),
        "{error}"
    );
    let error = SelectCursor::open(&seal, &receipt(&seal), "x").unwrap_err();
    assert_eq!(error.code(), "INVALID_CURSOR");
    assert!(error.to_string().contains("it is a selection receipt"), "{error}");
    let facets = FacetCursor {
        field: "tags".into(),
        receipt: None,
        prefix: None,
        last_norm: "dogs".into(),
        last_value: "Dogs".into(),
    };
    let error = SelectCursor::open(&seal, &seal.issue(&facets).unwrap(), "x").unwrap_err();
    assert_eq!(error.code(), "CURSOR_MISMATCH");
}

#[test]
fn a_cursor_binds_its_arguments_by_name() {
    let seal = seal();
    let cursor = |receipt: &str, axis: &str, include_anchor| RankCursor {
        receipt: receipt.into(),
        anchor: json!({ "type": "object_id", "objectId": 7 }),
        axis: axis.into(),
        method: "m".into(),
        include_anchor,
        encoder: None,
        last_score: crate::cursor::score_bits(0.5),
        last_id: 3,
    };
    let token = seal.issue(&cursor("r", "topic", false)).unwrap();
    assert_eq!(
        RankCursor::open(&seal, &token, &cursor("r", "topic", false)).unwrap(),
        (0.5, 3)
    );
    for (now, argument) in [
        (cursor("q", "topic", false), "selection"),
        (cursor("r", "context", false), "axis"),
        (cursor("r", "topic", true), "includeAnchor"),
    ] {
        match RankCursor::open(&seal, &token, &now) {
            Err(Error::CursorMismatch(named)) => assert_eq!(named, argument),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn content_is_checked_even_when_the_digest_fits() {
    let header = r#""q":"met-query/1+0123456789ab","s":"csv-baseline-0123456789abcdef0123","v":1"#;
    let policies = r#""o":{"conflict":"exclude","unknown":"exclude"}"#;
    let leaf = r#"{"field":"tags","op":"eq","value":"Dogs"}"#;
    let good = format!(r#"{{{policies},"p":{leaf},{header}}}"#);
    open(&forged(Kind::Selection, &good)).unwrap();
    let deep = format!("{}{leaf}{}", r#"{"not":"#.repeat(12), "}".repeat(12));
    let deeper = format!("{}1{}", "[".repeat(40), "]".repeat(40));
    for json in [
        good.replace("Dogs", ""),
        good.replace("\"eq\"", "\"is_missing\""),
        good.replace(":{", ": {"),
        good.replace("\"exclude\"}", "\"maybe\"}"),
        good.replace("\"v\":1", "\"v\":2"),
        good.replace("{\"o\"", "{\"a\":1,\"o\""),
        good.replace(leaf, &deep),
        good.replace(leaf, &deeper),
        good.replace(leaf, r#"{"field":"tags","op":"one_of","value":["b","a"]}"#),
        format!("[{good}]"),
        "7".to_owned(),
        String::new(),
    ] {
        let is_empty_eq = json.contains(r#""op":"eq","value":"""#);
        match open(&forged(Kind::Selection, &json)) {
            Ok(receipt) => assert!(is_empty_eq, "{receipt:?}"),
            Err(error) => assert_eq!(error.code(), "INVALID_RECEIPT", "{json}"),
        }
    }
}

#[test]
fn a_small_token_that_inflates_without_end_is_refused() {
    let bomb = deflate(&vec![b' '; 4_000_000]);
    let token = format!("sel1.{}.AAAA", URL_SAFE_NO_PAD.encode(&bomb));
    assert!(token.len() < MAX_TOKEN_LENGTH);
    let error = open(&token).unwrap_err();
    assert!(error.to_string().contains("too large"), "{error}");
}

#[test]
fn a_payload_with_bytes_behind_it_is_refused() {
    let token = receipt(&seal());
    let mut parts = token.split('.');
    let (head, body, digest) = (
        parts.next().unwrap(),
        parts.next().unwrap(),
        parts.next().unwrap(),
    );
    let mut bytes = URL_SAFE_NO_PAD.decode(body).unwrap();
    bytes.push(0);
    let longer = format!("{head}.{}.{digest}", URL_SAFE_NO_PAD.encode(bytes));
    assert_eq!(open(&longer).unwrap_err().code(), "INVALID_RECEIPT");
}

#[test]
fn a_predicate_with_too_long_a_receipt_is_refused_when_selecting() {
    let mut state = 1_u64;
    let mut noise = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        char::from_u32(0x4e00 + u32::try_from(state >> 50).unwrap() % 0x5000).unwrap()
    };
    let values: Vec<String> = (0..20).map(|_| (0..490).map(|_| noise()).collect()).collect();
    let value = json!({ "field": "tags", "op": "one_of", "value": values });
    let issued = Receipt::issue(&seal(), Predicate::parse(&value).unwrap(), Policies::default());
    assert_eq!(issued.unwrap_err().code(), "RECEIPT_TOO_LARGE");
}

proptest! {
    #[test]
    fn random_text_is_never_a_receipt(text in "\\PC{0,60}") {
        prop_assert_eq!(open(&text).unwrap_err().code(), "INVALID_RECEIPT");
    }

    #[test]
    fn random_payloads_are_never_receipts(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let token = format!("sel1.{}.AAAAAAAAAAAAAAAAAAAAAA", URL_SAFE_NO_PAD.encode(bytes));
        prop_assert_eq!(open(&token).unwrap_err().code(), "INVALID_RECEIPT");
    }

    #[test]
    fn a_changed_character_never_changes_the_selection(
        position in any::<prop::sample::Index>(),
        to in "[A-Za-z0-9_.-]",
    ) {
        let token = receipt(&seal());
        let position = position.index(token.len());
        let mut changed = token.clone();
        changed.replace_range(position..=position, &to);
        // The last deflated byte has bits that mean nothing.
        match open(&changed) {
            Ok(receipt) => prop_assert_eq!(receipt.token, token),
            Err(error) => prop_assert_eq!(error.code(), "INVALID_RECEIPT"),
        }
    }

    #[test]
    fn a_cut_token_is_always_noticed(length in any::<prop::sample::Index>()) {
        let token = receipt(&seal());
        let cut = &token[..length.index(token.len())];
        prop_assert_eq!(open(cut).unwrap_err().code(), "INVALID_RECEIPT");
    }

    #[test]
    fn positions_survive_the_round_trip(id in any::<u64>(), score in any::<f64>(), value in "\\PC{0,30}") {
        let seal = seal();
        let token = seal.issue(&SelectCursor { receipt: "r".into(), last_id: id }).unwrap();
        prop_assert_eq!(SelectCursor::open(&seal, &token, "r").unwrap(), id);

        let facets = FacetCursor {
            field: "tags".into(),
            receipt: None,
            prefix: Some("x".into()),
            last_norm: crate::text::norm(&value),
            last_value: value,
        };
        let token = seal.issue(&facets).unwrap();
        let opened = FacetCursor::open(&seal, &token, &facets).unwrap();
        prop_assert_eq!(opened, (facets.last_norm, facets.last_value));

        let rank = RankCursor {
            receipt: "r".into(),
            anchor: json!({}),
            axis: "a".into(),
            method: "m".into(),
            include_anchor: false,
            encoder: None,
            last_score: crate::cursor::score_bits(score),
            last_id: id,
        };
        let opened = RankCursor::open(&seal, &seal.issue(&rank).unwrap(), &rank);
        if score.is_finite() {
            let (opened, last) = opened.unwrap();
            prop_assert_eq!((opened.to_bits(), last), (score.to_bits(), id));
        } else {
            prop_assert_eq!(opened.unwrap_err().code(), "INVALID_CURSOR");
        }
    }
}
