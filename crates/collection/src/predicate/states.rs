//! Four truth values for every row at once, in two bit sets.
//!
//! | state    | `true_or_unknown` | `true_or_conflict` |
//! | ---      | ---               | ---                |
//! | true     | 1                 | 1                  |
//! | unknown  | 1                 | 0                  |
//! | conflict | 0                 | 1                  |
//! | false    | 0                 | 0                  |
//!
//! With this encoding `not` is to complement both sets and exchange them. `all` is the bitwise *and*, `any`
//! the bitwise *or*, right for every pair of states but one: unknown with conflict must give conflict in
//! both, where *and* gives false and *or* gives true. [`mixed`] finds these rows.

use fixedbitset::FixedBitSet;

/// The state of every row under one condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct States {
    true_or_unknown: FixedBitSet,
    true_or_conflict: FixedBitSet,
}

impl States {
    /// From the rows that match and those that cannot be judged; the three sets are disjoint.
    pub(crate) fn new(matched: FixedBitSet, unknown: &FixedBitSet, conflict: &FixedBitSet) -> Self {
        let mut true_or_unknown = matched.clone();
        let mut true_or_conflict = matched;
        true_or_unknown.union_with(unknown);
        true_or_conflict.union_with(conflict);
        Self {
            true_or_unknown,
            true_or_conflict,
        }
    }

    /// True for false and the other way round; unknown and conflict stay.
    pub(crate) fn negate(mut self) -> Self {
        for set in [&mut self.true_or_unknown, &mut self.true_or_conflict] {
            set.toggle_range(..);
        }
        Self {
            true_or_unknown: self.true_or_conflict,
            true_or_conflict: self.true_or_unknown,
        }
    }

    /// False where either is false; else conflict, then unknown, win over true.
    pub(crate) fn and(&mut self, other: &Self) {
        self.combine(other, |left, right| {
            let mixed = mixed(left, right);
            (left.0 & right.0, (left.1 & right.1) | mixed)
        });
    }

    /// True where either is true; else conflict, then unknown, win over false.
    pub(crate) fn or(&mut self, other: &Self) {
        self.combine(other, |left, right| {
            let mixed = mixed(left, right);
            ((left.0 | right.0) & !mixed, left.1 | right.1)
        });
    }

    fn combine(&mut self, other: &Self, words: impl Fn(Pair, Pair) -> Pair) {
        let theirs = other
            .true_or_unknown
            .as_slice()
            .iter()
            .zip(other.true_or_conflict.as_slice());
        let ours = self
            .true_or_unknown
            .as_mut_slice()
            .iter_mut()
            .zip(self.true_or_conflict.as_mut_slice());
        for ((unknown, conflict), (&other_unknown, &other_conflict)) in ours.zip(theirs) {
            (*unknown, *conflict) = words((*unknown, *conflict), (other_unknown, other_conflict));
        }
    }

    /// The rows that are true, unknown and in conflict.
    pub(crate) fn split(self) -> [FixedBitSet; 3] {
        let mut matched = self.true_or_unknown.clone();
        matched.intersect_with(&self.true_or_conflict);
        let (mut unknown, mut conflict) = (self.true_or_unknown, self.true_or_conflict);
        unknown.difference_with(&matched);
        conflict.difference_with(&matched);
        [matched, unknown, conflict]
    }
}

/// One word of each set.
type Pair = (usize, usize);

/// The rows where one side is unknown and the other in conflict.
const fn mixed(left: Pair, right: Pair) -> usize {
    (left.0 ^ left.1) & (right.0 ^ right.1) & (left.0 ^ right.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUE: usize = 0;
    const UNKNOWN: usize = 1;
    const CONFLICT: usize = 2;
    const FALSE: usize = 3;

    /// Sixteen rows: every pair of states, one operand's states.
    fn states(of: impl Fn(usize) -> usize) -> States {
        let mut sets = [(); 3].map(|()| FixedBitSet::with_capacity(16));
        for row in 0..16 {
            if let Some(set) = sets.get_mut(of(row)) {
                set.insert(row);
            }
        }
        let [matched, unknown, conflict] = sets;
        States::new(matched, &unknown, &conflict)
    }

    fn read(states: States) -> Vec<usize> {
        let sets = states.split();
        (0..16)
            .map(|row| sets.iter().position(|set| set.contains(row)).unwrap_or(FALSE))
            .collect()
    }

    fn left() -> States {
        states(|row| row / 4)
    }

    fn right() -> States {
        states(|row| row % 4)
    }

    #[test]
    fn all_prefers_false_then_conflict_then_unknown() {
        let mut both = left();
        both.and(&right());
        let expected = (0..16).map(|row| {
            let pair = [row / 4, row % 4];
            [FALSE, CONFLICT, UNKNOWN, TRUE]
                .into_iter()
                .find(|state| pair.contains(state))
                .unwrap()
        });
        assert_eq!(read(both), expected.collect::<Vec<_>>());
    }

    #[test]
    fn any_prefers_true_then_conflict_then_unknown() {
        let mut either = left();
        either.or(&right());
        let expected = (0..16).map(|row| {
            let pair = [row / 4, row % 4];
            [TRUE, CONFLICT, UNKNOWN, FALSE]
                .into_iter()
                .find(|state| pair.contains(state))
                .unwrap()
        });
        assert_eq!(read(either), expected.collect::<Vec<_>>());
    }

    #[test]
    fn not_exchanges_true_and_false_alone() {
        let expected: Vec<_> = (0..16)
            .map(|row| [FALSE, UNKNOWN, CONFLICT, TRUE][row % 4])
            .collect();
        assert_eq!(read(right().negate()), expected);
    }
}
