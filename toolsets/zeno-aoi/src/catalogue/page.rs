//! Which rows of a long list are wanted.

use super::MAX_CANDIDATES;

/// Most rows of a page.
pub const MAX_LIMIT: usize = 200;

/// Rows that can be skipped; a list is for looking around, not for copying a catalogue.
pub const MAX_OFFSET: usize = 10_000;

/// Which rows of a long list are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    limit: usize,
    offset: usize,
}

impl Page {
    /// The first rows, as many as can be candidates for a place.
    pub const CANDIDATES: Self = Self {
        limit: MAX_CANDIDATES,
        offset: 0,
    };

    /// So many rows after so many others, no more than [`MAX_LIMIT`] after [`MAX_OFFSET`].
    #[must_use]
    pub fn new(limit: usize, offset: usize) -> Self {
        Self {
            limit: limit.min(MAX_LIMIT),
            offset: offset.min(MAX_OFFSET),
        }
    }

    /// How many rows it has at most.
    #[must_use]
    pub fn limit(self) -> usize {
        self.limit
    }

    /// How many rows come before it.
    #[must_use]
    pub fn offset(self) -> usize {
        self.offset
    }

    /// The number of the row after its last.
    #[must_use]
    pub fn end(self) -> usize {
        self.offset.saturating_add(self.limit)
    }

    /// Its rows of a list.
    pub fn of<T>(self, rows: impl IntoIterator<Item = T>) -> Vec<T> {
        rows.into_iter().skip(self.offset).take(self.limit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_its_rows_and_no_more_than_its_bounds() {
        assert_eq!(Page::new(2, 1).of(0..9), [1, 2]);
        assert_eq!(Page::new(2, 8).of(0..9), [8]);
        let most = Page::new(usize::MAX, usize::MAX);
        assert_eq!((most.limit(), most.offset()), (MAX_LIMIT, MAX_OFFSET));
        assert_eq!(most.end(), MAX_LIMIT + MAX_OFFSET);
    }
}
