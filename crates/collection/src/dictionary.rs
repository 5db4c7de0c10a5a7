//! Looking values up in a column's dictionary.

use std::ops::Range;

use crate::{StringColumn, ValueId, text::norm};

impl StringColumn {
    /// The dictionary position of a recorded value.
    #[must_use]
    pub fn find(&self, value: &str) -> Option<ValueId> {
        let folded = norm(value);
        let position = self.partition(|other_norm, other| (other_norm, other) < (folded.as_str(), value));
        (self.values.get(position) == value && (position as usize) < self.values.len()).then_some(position)
    }

    /// The first dictionary position after this value, which need not be in the dictionary.
    #[must_use]
    pub fn position_after(&self, folded: &str, value: &str) -> ValueId {
        self.partition(|other_norm, other| (other_norm, other) <= (folded, value))
    }

    /// The dictionary positions whose normalised value begins with `folded`.
    #[must_use]
    pub fn with_prefix(&self, folded: &str) -> Range<ValueId> {
        let start = self.partition(|other, _| other < folded);
        let end = self.partition(|other, _| other < folded || other.starts_with(folded));
        start..end
    }

    /// How many values the dictionary has.
    #[must_use]
    pub fn value_count(&self) -> ValueId {
        ValueId::try_from(self.values.len()).unwrap_or(ValueId::MAX)
    }

    /// The first position for which `precedes(norm, value)` is false.
    fn partition(&self, precedes: impl Fn(&str, &str) -> bool) -> ValueId {
        let mut range = 0..self.value_count();
        while range.start < range.end {
            let middle = range.start.midpoint(range.end);
            if precedes(self.norms.get(middle), self.values.get(middle)) {
                range.start = middle + 1;
            } else {
                range.end = middle;
            }
        }
        range.start
    }
}
