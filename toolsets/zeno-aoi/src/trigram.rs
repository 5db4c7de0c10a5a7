//! Likeness of names by their trigrams, exactly as PostgreSQL's `pg_trgm` measures it.

/// The set of three-letter windows of a text; every word has two blanks before it and one after.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trigrams(Vec<Trigram>);

/// Three letters in one number, 21 bits each.
pub(crate) type Trigram = u64;

impl Trigrams {
    /// The trigrams of a text. Letters and digits of any script make words, everything else stands between them.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let text = text.to_lowercase();
        let mut set = Vec::with_capacity(text.len() + 4);
        for word in text.split(|letter: char| !letter.is_alphanumeric()) {
            if word.is_empty() {
                continue;
            }
            let mut window = [u64::from(b' '), u64::from(b' '), 0];
            for letter in word.chars().chain([' ']) {
                window[2] = u64::from(letter);
                set.push(window[0] << 42 | window[1] << 21 | window[2]);
                window = [window[1], window[2], 0];
            }
        }
        set.sort_unstable();
        set.dedup();
        Self(set)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the text has no word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The trigrams in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Trigram> + '_ {
        self.0.iter().copied()
    }

    /// Shared trigrams divided by all trigrams, 0 to 1.
    #[must_use]
    pub fn similarity(&self, other: &Self) -> f64 {
        let (mut shared, mut left, mut right) = (0_usize, self.iter().peekable(), other.iter().peekable());
        while let (Some(one), Some(two)) = (left.peek(), right.peek()) {
            match one.cmp(two) {
                std::cmp::Ordering::Less => drop(left.next()),
                std::cmp::Ordering::Greater => drop(right.next()),
                std::cmp::Ordering::Equal => {
                    shared += 1;
                    left.next();
                    right.next();
                }
            }
        }
        ratio(shared, self.len() + other.len() - shared)
    }
}

/// Likeness of two texts, 0 to 1.
#[must_use]
pub fn similarity(one: &str, two: &str) -> f64 {
    Trigrams::of(one).similarity(&Trigrams::of(two))
}

/// A share of a small whole; nothing shares nothing with nothing.
pub(crate) fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    // Both are counts of letters, far below the precision of a double.
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn likeness_is_that_of_pg_trgm() {
        for (one, two, expected) in [
            ("Puri", "Puri, Uíge, Angola", 0.294_118),
            ("Puri", "Puri, Odisha, India", 0.277_778),
            ("Puri", "Puuri, Põlva, Põlva, Estonia", 0.2),
            ("Para, Brazil", "Paraná, Brazil", 0.733_333),
            ("Para, Brazil", "Pará, Brazil", 0.714_286),
            ("Para, Brazil", "Paraíba, Brazil", 0.687_5),
            ("Para, Brazil", "Brazil", 0.583_333),
            ("X, Country", "X, X, Country", 1.0),
        ] {
            let found = similarity(one, two);
            assert!((found - expected).abs() < 1e-6, "{one} / {two}: {found}");
        }
    }

    #[test]
    fn an_underscore_separates_words() {
        assert_eq!(Trigrams::of("a_b"), Trigrams::of("a b"));
    }

    #[test]
    fn a_text_without_words_is_like_nothing() {
        assert!(Trigrams::of(" ,.").is_empty());
        assert!(similarity("", "").abs() < f64::EPSILON);
    }

    proptest! {
        #[test]
        fn likeness_is_symmetric_and_whole_only_for_the_same_set(one in "\\PC{0,12}", two in "\\PC{0,12}") {
            let (a, b) = (Trigrams::of(&one), Trigrams::of(&two));
            prop_assert!((a.similarity(&b) - b.similarity(&a)).abs() < f64::EPSILON);
            prop_assert_eq!(a.similarity(&b) >= 1.0, a == b && !a.is_empty());
        }
    }
}
