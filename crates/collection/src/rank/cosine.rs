//! `siglip2_cosine_v1`: cosine of stored image vectors.
//!
//! Stored vectors have unit length, so the cosine is their dot product. It is summed in double precision
//! in the order of the components, so that every machine gets the same score to the last bit. One such sum
//! is a chain of additions that each wait for the one before; eight candidates are therefore summed side by
//! side, which changes no sum and keeps the processor busy.

use rayon::prelude::*;
use serde_json::{Value, json};

use super::{Component, Explanation, Ranker, Scored};
use crate::{Budget, Columns, Error, Row, Vectors};

/// Candidates that are summed side by side.
const LANES: usize = 8;
/// Candidates between two looks at the budget; a multiple of [`LANES`].
const BUDGET_STEP: usize = 512;

/// A vector against the stored ones.
pub(super) struct Cosine<'a> {
    columns: &'a Columns,
    vectors: &'a dyn Vectors,
    query: Vec<f64>,
}

/// The constants of the method.
pub(super) fn rules() -> Value {
    json!({ "accumulate": "f64", "order": "index" })
}

impl<'a> Cosine<'a> {
    /// The stored vector of an object; nothing if it has none.
    pub(super) fn from_object(columns: &'a Columns, vectors: &'a dyn Vectors, anchor: Row) -> Option<Self> {
        let id = columns.ids.get(anchor as usize)?;
        let position = vectors.ids().binary_search(id).ok()?;
        let query = vectors.vector(position).iter().copied().map(f64::from).collect();
        Some(Self {
            columns,
            vectors,
            query,
        })
    }

    /// The candidates that have a vector, with its position.
    fn stored(&self, candidates: &[Row]) -> Vec<(Row, usize)> {
        let ids = self.vectors.ids();
        let mut stored = Vec::new();
        let mut from = 0;
        for &row in candidates {
            let Some(id) = self.columns.ids.get(row as usize) else {
                continue;
            };
            from += first_not_before(&ids[from..], *id);
            if ids.get(from) == Some(id) {
                stored.push((row, from));
            }
        }
        stored
    }

    fn scores(&self, stored: &[(Row, usize)]) -> Vec<Scored> {
        let mut scored = Vec::with_capacity(stored.len());
        for group in stored.chunks(LANES) {
            let mut vectors: [&[f32]; LANES] = [&[]; LANES];
            for (vector, &(_, position)) in vectors.iter_mut().zip(group) {
                *vector = self.vectors.vector(position);
            }
            let sums = dot_products(&self.query, vectors);
            scored.extend(
                group
                    .iter()
                    .zip(sums)
                    .map(|(&(row, _), score)| Scored { row, score }),
            );
        }
        scored
    }

    fn score_of(&self, candidate: Row) -> f64 {
        self.scores(&self.stored(&[candidate]))
            .first()
            .map_or(0.0, |scored| scored.score)
    }
}

impl Ranker for Cosine<'_> {
    fn score(&self, candidates: &[Row], budget: &Budget<'_>) -> Result<Vec<Scored>, Error> {
        let stored = self.stored(candidates);
        let chunks: Result<Vec<_>, Error> = stored
            .par_chunks(BUDGET_STEP)
            .map(|chunk| {
                budget.check()?;
                Ok(self.scores(chunk))
            })
            .collect();
        Ok(chunks?.concat())
    }

    fn explain(&self, candidate: Row) -> Explanation {
        let value = self.score_of(candidate);
        Explanation {
            components: vec![Component {
                component: "cosine".to_owned(),
                value,
                weight: 1.0,
                contribution: value,
            }],
            why_related: vec![format!("Stored image vectors are similar (cosine {value:.6})")],
        }
    }
}

/// The position of the first id that is not before `id`, found in doubling steps.
fn first_not_before(ids: &[u64], id: u64) -> usize {
    let mut step = 1;
    while ids.get(step - 1).is_some_and(|&other| other < id) {
        step *= 2;
    }
    let (start, end) = (step / 2, ids.len().min(step));
    start + ids[start..end].partition_point(|&other| other < id)
}

/// The dot product of `query` with each vector; a vector of another length counts as zeros.
fn dot_products(query: &[f64], vectors: [&[f32]; LANES]) -> [f64; LANES] {
    let zeros = vec![0.0; query.len()];
    let vectors = vectors.map(|vector| {
        if vector.len() == query.len() {
            vector
        } else {
            &zeros
        }
    });
    let mut sums = [0.0; LANES];
    for (component, wanted) in query.iter().enumerate() {
        for (sum, vector) in sums.iter_mut().zip(vectors) {
            // The product of two single precision numbers is exact in double precision.
            *sum += f64::from(vector[component]) * wanted;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_sum_is_that_of_a_plain_loop(
            query in proptest::collection::vec(-1.0_f32..1.0, 0..150),
            seed in any::<u32>(),
            missing in 0_usize..LANES,
        ) {
            let stored: Vec<Vec<f32>> = (0..LANES as u32)
                .map(|lane| query.iter().map(|&x| (x * 1e3 + (seed ^ lane) as f32).sin()).collect())
                .collect();
            let mut vectors: [&[f32]; LANES] = std::array::from_fn(|lane| stored[lane].as_slice());
            vectors[missing] = &[];
            let wide: Vec<f64> = query.iter().copied().map(f64::from).collect();
            let sums = dot_products(&wide, vectors);
            for lane in (0..LANES).filter(|&lane| lane != missing) {
                let mut expected = 0.0_f64;
                for (&left, &right) in query.iter().zip(&stored[lane]) {
                    expected += f64::from(left) * f64::from(right);
                }
                prop_assert_eq!(sums[lane].to_bits(), expected.to_bits());
            }
            prop_assert_eq!(sums[missing], 0.0);
        }
    }
}
