//! Expected results for the shipped sample, computed by an independent implementation.

use serde_json::Value;

pub(crate) fn oracle() -> Value {
    serde_json::from_slice(include_bytes!("../../../../data/met/sample-oracle.json"))
        .expect("the oracle is JSON")
}

/// Name and count of every member of an object of numbers.
pub(crate) fn counts(object: &Value) -> Vec<(String, usize)> {
    let object = object.as_object().expect("an object of counts");
    object
        .iter()
        .map(|(name, count)| (name.clone(), number(count)))
        .collect()
}

pub(crate) fn number(value: &Value) -> usize {
    value
        .as_u64()
        .and_then(|number| usize::try_from(number).ok())
        .expect("a count")
}
