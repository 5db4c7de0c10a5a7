//! The lists that name the toolsets of a workspace, edited as text so that everything else stays as it was.

/// What the comment at the end of each list says.
pub(super) const END: &str = "`periplus new` adds toolsets above this line.";

/// The text with lines added at the end of its list, indented as the comment there; `None` without such a comment.
pub(super) fn add(text: &str, lines: &str) -> Option<String> {
    let line = text.lines().find(|line| line.ends_with(END))?;
    let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
    let start = text.find(line)?;
    let added: String = lines.lines().map(|line| format!("{indent}{line}\n")).collect();
    let (before, after) = text.split_at(start);
    Some(format!("{before}{added}{after}"))
}

/// The manifest without its dependency on a package; `None` if it has none.
pub(super) fn remove_dependency(manifest: &str, package: &str) -> Option<String> {
    let names = |line: &str| {
        line.strip_prefix(package)
            .is_some_and(|rest| rest.starts_with([' ', '.', '=']))
    };
    manifest
        .lines()
        .any(names)
        .then(|| without(manifest, |line| names(line)))
}

/// The program without the entry of a toolset; `None` if it has none.
pub(super) fn remove_entry(program: &str, toolset: &str) -> Option<String> {
    let lines: Vec<&str> = program.lines().collect();
    let named = format!("name: \"{toolset}\",");
    let name = lines.iter().position(|line| line.trim() == named)?;
    let first = name
        .checked_sub(1)
        .filter(|first| lines[*first].trim() == "Entry {")?;
    let indent = lines[first].find("Entry")?;
    let closes = |line: &&str| line.trim() == "}," && line.find('}') == Some(indent);
    let last = first + lines[first..].iter().position(closes)?;
    let mut number = 0;
    Some(without(program, |_| {
        number += 1;
        (first + 1..=last + 1).contains(&number)
    }))
}

fn without(text: &str, mut is_removed: impl FnMut(&str) -> bool) -> String {
    text.split_inclusive('\n')
        .filter(|line| !is_removed(line.trim_end_matches(['\n', '\r'])))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "\
let toolsets = vec![
    Entry {
        name: \"a\",
        build: |_, _| Ok(a::toolset()),
    },
    Entry {
        name: \"b\",
        build: |_, _| {
            Ok(b::toolset())
        },
    },
    // `periplus new` adds toolsets above this line.
];
";

    #[test]
    fn what_is_added_stands_at_the_end_of_the_list_and_can_be_removed_again() {
        let entry = "Entry {\n    name: \"c\",\n},";
        let added = add(PROGRAM, entry).unwrap();
        assert!(
            added.contains("    },\n    Entry {\n        name: \"c\",\n    },\n    // `periplus new`"),
            "{added}"
        );
        assert_eq!(remove_entry(&added, "c").unwrap(), PROGRAM);
        assert_eq!(add("no list", entry), None);
    }

    #[test]
    fn an_entry_is_removed_as_a_whole() {
        let without_b = remove_entry(PROGRAM, "b").unwrap();
        assert!(
            !without_b.contains("\"b\"") && without_b.contains("\"a\""),
            "{without_b}"
        );
        assert_eq!(without_b.matches('{').count(), without_b.matches('}').count());
        assert_eq!(remove_entry(PROGRAM, "d"), None);
    }

    #[test]
    fn a_dependency_is_removed_by_its_whole_name() {
        let manifest = "[dependencies]\nx-word.workspace = true\nx-words.workspace = true\nx-words-2 = { path = \"x-words\" }\n";
        assert_eq!(
            remove_dependency(manifest, "x-words").unwrap(),
            "[dependencies]\nx-word.workspace = true\nx-words-2 = { path = \"x-words\" }\n"
        );
        assert_eq!(remove_dependency(manifest, "words"), None);
    }
}
