//! Answers of several toolsets to one question, as one answer.

use serde_json::Value;

/// Adds what another toolset answered: objects are united key by key, lists joined without repeating an item.
///
/// Where two say different things, instructions are read one after the other, what one keeps private stays private,
/// and of everything else the first is kept.
pub(super) fn merge(answer: &mut Value, other: Value) {
    match (answer, other) {
        (Value::Object(answer), Value::Object(other)) => {
            for (key, value) in other {
                match (answer.get_mut(&key), key.as_str()) {
                    (None, _) => {
                        answer.insert(key, value);
                    }
                    (Some(Value::String(ours)), "instructions") => {
                        if let Some(theirs) = value.as_str().filter(|theirs| theirs != ours) {
                            *ours = format!("{ours}\n\n{theirs}");
                        }
                    }
                    (Some(ours), "cacheScope") if value == "private" => *ours = value,
                    (Some(ours), _) => merge(ours, value),
                }
            }
        }
        (Value::Array(answer), Value::Array(other)) => {
            for item in other {
                if !answer.contains(&item) {
                    answer.push(item);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_are_joined_and_capabilities_united() {
        let mut answer =
            json!({"tools": [{"name": "a"}], "capabilities": {"tools": {}}, "versions": ["1", "2"]});
        merge(
            &mut answer,
            json!({"tools": [{"name": "b"}], "capabilities": {"tools": {}, "resources": {}}, "versions": ["1", "2"]}),
        );
        assert_eq!(
            answer,
            json!({"tools": [{"name": "a"}, {"name": "b"}], "capabilities": {"tools": {}, "resources": {}},
                   "versions": ["1", "2"]})
        );
    }

    #[test]
    fn what_one_toolset_keeps_private_is_private_in_the_whole() {
        let mut answer = json!({"cacheScope": "public", "ttlMs": 1});
        merge(&mut answer, json!({"cacheScope": "private", "ttlMs": 2}));
        assert_eq!(answer, json!({"cacheScope": "private", "ttlMs": 1}));
        merge(&mut answer, json!({"cacheScope": "public"}));
        assert_eq!(answer["cacheScope"], "private");
    }

    #[test]
    fn instructions_of_all_are_read() {
        let mut answer = json!({"instructions": "One."});
        merge(&mut answer, json!({"instructions": "Two."}));
        merge(&mut answer, json!({"instructions": "One.\n\nTwo."}));
        assert_eq!(answer["instructions"], "One.\n\nTwo.");
    }
}
