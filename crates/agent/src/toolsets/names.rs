//! Tool names that every provider accepts.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

/// Longest name, in characters: the smallest limit among the providers.
const MAX_CHARS: usize = 64;

/// Hexadecimal digits of the hash that tells apart names which are alike once they are cut.
const HASH_CHARS: usize = 8;

/// The name under which a tool is offered: its own where that is possible. `taken` gains it.
pub(super) fn offered(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut offered: String = name.chars().map(replace).collect();
    if offered != name || offered.len() > MAX_CHARS || taken.contains(&offered) {
        let hash = hex::encode(Sha256::digest(name));
        let mut suffix = format!("_{}", hash.get(..HASH_CHARS).unwrap_or(&hash));
        offered.truncate(MAX_CHARS - suffix.len());
        while taken.contains(&format!("{offered}{suffix}")) {
            suffix.push('_');
            offered.truncate(MAX_CHARS.saturating_sub(suffix.len()));
        }
        offered.push_str(&suffix);
    }
    taken.insert(offered.clone());
    offered
}

fn replace(character: char) -> char {
    if character.is_ascii_alphanumeric() || matches!(character, '_' | '-') {
        character
    } else {
        '_'
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_adapted_to_what_every_provider_accepts() {
        let mut taken = BTreeSet::new();
        assert_eq!(offered("collection_select", &mut taken), "collection_select");
        let dotted = offered("files.read", &mut taken);
        let slashed = offered("files/read", &mut taken);
        let long = offered(&"x".repeat(100), &mut taken);
        let longer = offered(&"x".repeat(101), &mut taken);
        let umlaut = offered("größe", &mut taken);
        for name in [&dotted, &slashed, &long, &longer, &umlaut] {
            assert!(name.len() <= MAX_CHARS, "{name}");
            assert!(name.chars().all(|c| replace(c) == c), "{name}");
        }
        assert!(dotted.starts_with("files_read_"));
        assert_eq!(taken.len(), 6);
    }

    #[test]
    fn the_same_name_is_offered_under_the_same_name_again() {
        let first = offered("files.read", &mut BTreeSet::new());
        let again = offered("files.read", &mut BTreeSet::new());
        assert_eq!(first, again);
    }
}
