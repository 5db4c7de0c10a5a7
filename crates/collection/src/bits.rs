//! Word-level helpers over dense bit sets of rows.
//!
//! A set over half a million rows is 60 KB, so a whole boolean operation costs a few microseconds: dense
//! sets need no compression and no special cases.

use fixedbitset::FixedBitSet;

use crate::Row;

/// Bits in one word of a set.
pub(crate) const WORD: usize = usize::BITS as usize;

/// A set over `len` rows from its words; bits beyond `len` are cleared.
pub(crate) fn from_words(len: usize, words: Vec<usize>) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity_and_blocks(len, words);
    clear_tail(&mut set);
    set
}

/// Adds rows; those beyond the set's length are ignored.
pub(crate) fn insert_rows(set: &mut FixedBitSet, rows: &[Row]) {
    let len = set.len();
    let words = set.as_mut_slice();
    for &row in rows {
        let row = row as usize;
        if row < len {
            words[row / WORD] |= 1 << (row % WORD);
        }
    }
}

/// Clears the bits of the last word that stand for no row.
pub(crate) fn clear_tail(set: &mut FixedBitSet) {
    let used = set.len() % WORD;
    if used != 0
        && let Some(last) = set.as_mut_slice().last_mut()
    {
        *last &= (1 << used) - 1;
    }
}

/// How many words hold `len` bits.
pub(crate) const fn set_words(len: usize) -> usize {
    len.div_ceil(WORD)
}

/// Every row that is in neither of two sets nor in a third.
pub(crate) fn in_none(len: usize, sets: [&FixedBitSet; 3]) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(len);
    found.insert_range(..);
    for set in sets {
        found.difference_with(set);
    }
    found
}

/// The rows of a set from `start` on, ascending.
pub(crate) fn rows_from(set: &FixedBitSet, start: usize) -> impl Iterator<Item = Row> + '_ {
    let first = start / WORD;
    let words = set.as_slice().get(first..).unwrap_or_default();
    words.iter().enumerate().flat_map(move |(index, &word)| {
        let word = if index == 0 {
            word & (usize::MAX << (start % WORD))
        } else {
            word
        };
        ones(word, (first + index) * WORD)
    })
}

/// The positions of a word's one bits, counted from `base`.
fn ones(mut word: usize, base: usize) -> impl Iterator<Item = Row> {
    std::iter::from_fn(move || {
        if word == 0 {
            return None;
        }
        let row = base + word.trailing_zeros() as usize;
        word &= word - 1;
        Row::try_from(row).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_can_be_read_from_any_position() {
        let rows = [0, 1, 63, 64, 65, 127, 128, 199];
        let mut set = FixedBitSet::with_capacity(200);
        insert_rows(&mut set, &rows);
        for start in 0..=300 {
            let expected: Vec<Row> = rows
                .iter()
                .copied()
                .filter(|&row| row as usize >= start)
                .collect();
            assert_eq!(
                rows_from(&set, start).collect::<Vec<_>>(),
                expected,
                "from {start}"
            );
        }
    }

    #[test]
    fn bits_beyond_the_last_row_are_cleared() {
        let set = from_words(70, vec![usize::MAX, usize::MAX]);
        assert_eq!(set.count_ones(..), 70);
        let exact = from_words(128, vec![usize::MAX, usize::MAX]);
        assert_eq!(exact.count_ones(..), 128);
    }
}
