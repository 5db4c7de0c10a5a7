//! The order of results: best score first, then the lower object id.

use std::cmp::Ordering;

use super::Scored;

/// The first `size` results after a position, in order, and whether more follow.
///
/// `after` is the score and row of the last result before. Only what is returned gets sorted.
pub(super) fn page(mut scored: Vec<Scored>, after: Option<Scored>, size: usize) -> (Vec<Scored>, bool) {
    if let Some(after) = after {
        scored.retain(|candidate| by_rank(candidate, &after) == Ordering::Greater);
    }
    let has_more = scored.len() > size;
    if has_more {
        scored.select_nth_unstable_by(size, by_rank);
        scored.truncate(size);
    }
    scored.sort_unstable_by(by_rank);
    (scored, has_more)
}

/// Rows are in the order of object ids, so they break ties as ids would.
fn by_rank(left: &Scored, right: &Scored) -> Ordering {
    right.score.total_cmp(&left.score).then(left.row.cmp(&right.row))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pages_put_together_are_the_whole_order(
            scores in proptest::collection::vec(0_u8..6, 0..80),
            size in 1_usize..9,
        ) {
            let scored: Vec<_> = (0..).zip(&scores).map(|(row, &score)| Scored { row, score: score.into() }).collect();
            let mut expected = scored.clone();
            expected.sort_by(by_rank);
            let (mut pages, mut after) = (Vec::new(), None);
            loop {
                let (results, has_more) = page(scored.clone(), after, size);
                after = results.last().copied();
                pages.extend(results);
                if !has_more {
                    break;
                }
            }
            prop_assert_eq!(pages, expected);
        }
    }
}
