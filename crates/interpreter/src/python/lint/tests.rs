use super::*;

fn lines(code: &str) -> Vec<(usize, String)> {
    check(code)
        .into_iter()
        .map(|finding| (finding.line, finding.message))
        .collect()
}

#[test]
fn everything_missing_is_reported_at_once_with_its_line() {
    let code = "\
import statistics
from itertools import chain, groupby
class Row(dict):
    pass
def numbers():
    yield 1
text = '%d' % 3
rows = sorted(rows, key=str.lower)
with open('x') as file:
    pass
del rows[0]
math.fsum([1])
z = 1j
";
    let found = lines(code);
    let at: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
    assert_eq!(at, [1, 2, 3, 6, 7, 8, 9, 9, 11, 12, 13], "{found:#?}");
    assert!(found[0].1.contains("mean"), "{found:#?}");
}

#[test]
fn a_program_within_the_language_is_not_held_up() {
    let code = "\
from __future__ import annotations
import math, json
from collections import defaultdict, Counter
from dataclasses import dataclass
@dataclass
class Point:
    x: int
totals = defaultdict(float)
for row in rows:
    totals[row['year']] += row['area_ha']
rest = 7 % 3
ranked = sorted(totals.items(), key=lambda pair: -pair[1])
keys = dict.fromkeys(['a'])
{'charts': [], 'result': f\"{math.sqrt(4):.1f}\"}
";
    assert_eq!(lines(code), []);
}

#[test]
fn every_syntax_error_has_its_line() {
    let found = lines("x = 1\ny = = 2\nz = 3\nif :\n    pass\n");
    let at: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
    assert!(at.contains(&2) && at.contains(&4), "{found:#?}");
}

#[test]
fn nesting_is_bounded() {
    let deep = format!("{}1{}", "(".repeat(5_000), ")".repeat(5_000));
    let found = lines(&deep);
    assert!(
        found.iter().any(|(_, message)| message.contains("nested")),
        "{found:#?}"
    );
}
