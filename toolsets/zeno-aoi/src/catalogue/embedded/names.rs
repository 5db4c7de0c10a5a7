//! Every name of every area, to be found exactly or by its trigrams.

use super::Record;
use crate::{
    fold,
    trigram::{Trigram, Trigrams, ratio},
};

/// The least likeness of a name to the asked one. A candidate's whole name adds a tenth at most, so that nothing at the
/// catalogue's own threshold is lost.
const MIN_LIKENESS: f64 = 0.12;

/// Names in the order of their folded forms, and the names that contain each trigram.
#[derive(Debug)]
pub(super) struct Names {
    names: Vec<Name>,
    /// Trigrams in ascending order; the names of the one at `i` are `postings[starts[i]..starts[i + 1]]`.
    trigrams: Vec<Trigram>,
    starts: Vec<u32>,
    postings: Vec<u32>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    folded: Box<str>,
    area: u32,
    /// Whether the area calls itself so; false sorts first, which matters for nothing.
    is_own: bool,
    trigram_count: u16,
}

/// An area with the likest of its names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hit {
    pub(super) area: usize,
    pub(super) similarity: f64,
    pub(super) is_exact: bool,
    pub(super) is_own: bool,
}

impl Names {
    pub(super) fn of(records: &[Record]) -> Self {
        let mut names = Vec::with_capacity(records.len() * 16);
        for (record, area) in records.iter().zip(0..) {
            let own = record.own_names.iter().map(|name| (name, true));
            let others = record.other_names.iter().map(|name| (name, false));
            names.extend(own.chain(others).map(|(name, is_own)| Name {
                folded: fold(name).into(),
                area,
                is_own,
                trigram_count: 0,
            }));
        }
        names.sort_unstable();
        let mut pairs: Vec<(Trigram, u32)> = Vec::with_capacity(names.len() * 10);
        for (name, position) in names.iter_mut().zip(0..) {
            let trigrams = Trigrams::of(&name.folded);
            name.trigram_count = u16::try_from(trigrams.len()).unwrap_or(u16::MAX);
            pairs.extend(trigrams.iter().map(|trigram| (trigram, position)));
        }
        pairs.sort_unstable();
        let (mut trigrams, mut starts) = (Vec::new(), Vec::new());
        for ((trigram, _), position) in pairs.iter().zip(0..) {
            if trigrams.last() != Some(trigram) {
                trigrams.push(*trigram);
                starts.push(position);
            }
        }
        starts.push(u32::try_from(pairs.len()).expect("a catalogue has fewer than four billion trigrams"));
        Self {
            names,
            trigrams,
            starts,
            postings: pairs.into_iter().map(|(_, name)| name).collect(),
        }
    }

    /// The areas with exactly this folded name; one with several spellings of it comes several times.
    pub(super) fn named(&self, folded: &str) -> impl Iterator<Item = usize> {
        let start = self.names.partition_point(|name| *name.folded < *folded);
        let names = self.names.get(start..).unwrap_or_default().iter();
        let folded = folded.to_owned();
        names
            .take_while(move |name| *name.folded == *folded)
            .map(|name| name.area as usize)
    }

    /// The areas with a name like this folded one, each with its likest name.
    pub(super) fn like(&self, folded: &str) -> Vec<Hit> {
        let asked = Trigrams::of(folded);
        let mut shared = vec![0_u16; self.names.len()];
        for trigram in asked.iter() {
            for name in self.with_trigram(trigram) {
                if let Some(count) = shared.get_mut(*name as usize) {
                    *count += 1;
                }
            }
        }
        let hits = self.names.iter().zip(shared).filter(|(_, shared)| *shared > 0);
        let mut hits: Vec<Hit> = hits
            .map(|(name, shared)| {
                let shared = usize::from(shared);
                let all = asked.len() + usize::from(name.trigram_count) - shared;
                Hit {
                    area: name.area as usize,
                    similarity: ratio(shared, all),
                    is_exact: *name.folded == *folded,
                    is_own: name.is_own,
                }
            })
            .filter(|hit| hit.similarity >= MIN_LIKENESS)
            .collect();
        hits.sort_unstable_by(|one, two| {
            let rank = |hit: &Hit| (hit.is_exact, hit.is_exact && hit.is_own);
            (one.area.cmp(&two.area))
                .then_with(|| rank(two).cmp(&rank(one)))
                .then_with(|| two.similarity.total_cmp(&one.similarity))
        });
        hits.dedup_by_key(|hit| hit.area);
        hits
    }

    fn with_trigram(&self, trigram: Trigram) -> &[u32] {
        let range = self.trigrams.binary_search(&trigram).ok().and_then(|found| {
            let (start, end) = (self.starts.get(found)?, self.starts.get(found + 1)?);
            Some(*start as usize..*end as usize)
        });
        range
            .and_then(|range| self.postings.get(range))
            .unwrap_or_default()
    }
}
