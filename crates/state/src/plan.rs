//! The order of the calls that a model asks for in one step.
//!
//! Calls run side by side, except where one needs what another publishes: the outcome is that of running them in the order
//! they were written. A call whose key does not exist yet also waits for a later call that will publish it.

use crate::{JsonObject, State, Tool, handle_key};

/// A call that a model asked for.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The tool; nothing for one of the host's own, such as `inspect_state`, which may read keys but publishes none.
    pub tool: Option<&'a Tool>,
    /// The arguments as the model wrote them.
    pub arguments: &'a JsonObject,
}

/// The waves in which to make the calls of one step, as indices into `calls`.
///
/// Resolve all calls of a wave against the state, run them at once, then apply their writes in the order of `calls`, then
/// go on with the next wave. Every call is in exactly one wave.
#[must_use]
pub fn waves(calls: &[Call<'_>], state: &State) -> Vec<Vec<usize>> {
    let mut order = Order::of_written(calls);
    order.add_missing_keys(calls, state);
    let wave_of = order.wave_of(calls.len());
    let count = wave_of.iter().max().map_or(0, |last| last + 1);
    (0..count)
        .map(|wave| {
            (0..calls.len())
                .filter(|&i| wave_of.get(i) == Some(&wave))
                .collect()
        })
        .collect()
}

/// `later` runs after `earlier`: in a later wave, or not before it.
#[derive(Clone, Copy)]
struct Edge {
    earlier: usize,
    later: usize,
    is_strict: bool,
}

struct Order(Vec<Edge>);

impl Order {
    /// What follows from the order in which the calls were written.
    fn of_written(calls: &[Call<'_>]) -> Self {
        let mut edges = Vec::new();
        for (later, second) in calls.iter().enumerate() {
            for (earlier, first) in calls.iter().enumerate().take(later) {
                let reads_result = second.keys().any(|key| first.may_publish(key));
                let is_overwritten = first.keys().any(|key| second.may_publish(key));
                if reads_result || is_overwritten || first.writes_like(second) {
                    edges.push(Edge {
                        earlier,
                        later,
                        is_strict: reads_result,
                    });
                }
            }
        }
        Self(edges)
    }

    /// A key that does not exist yet and that only a later call will publish: that call goes first, unless it waits itself.
    fn add_missing_keys(&mut self, calls: &[Call<'_>], state: &State) {
        for (reader, call) in calls.iter().enumerate() {
            for key in call.keys().filter(|key| state.get(key).is_none()) {
                if calls.iter().take(reader).any(|earlier| earlier.may_publish(key)) {
                    continue;
                }
                let publisher = calls
                    .iter()
                    .enumerate()
                    .skip(reader + 1)
                    .find(|(_, later)| later.may_publish(key));
                let Some((publisher, _)) = publisher else { continue };
                // The reader has nothing to lose to this publisher, so "not before it" no longer holds.
                self.0
                    .retain(|edge| (edge.earlier, edge.later) != (reader, publisher) || edge.is_strict);
                if !self.leads(reader, publisher) {
                    self.0.push(Edge {
                        earlier: publisher,
                        later: reader,
                        is_strict: true,
                    });
                }
            }
        }
    }

    /// Whether `to` runs after `from`, directly or not.
    fn leads(&self, from: usize, to: usize) -> bool {
        let mut pending = vec![from];
        let mut seen = vec![from];
        while let Some(current) = pending.pop() {
            for edge in self.0.iter().filter(|edge| edge.earlier == current) {
                if edge.later == to {
                    return true;
                }
                if !seen.contains(&edge.later) {
                    seen.push(edge.later);
                    pending.push(edge.later);
                }
            }
        }
        false
    }

    /// The earliest wave of each call. There is no cycle, so as many rounds as calls are enough.
    fn wave_of(&self, count: usize) -> Vec<usize> {
        let mut waves = vec![0usize; count];
        for _ in 0..count {
            let mut has_moved = false;
            for edge in &self.0 {
                let earliest = waves
                    .get(edge.earlier)
                    .map_or(0, |wave| wave + usize::from(edge.is_strict));
                if let Some(wave) = waves.get_mut(edge.later).filter(|wave| **wave < earliest) {
                    *wave = earliest;
                    has_moved = true;
                }
            }
            if !has_moved {
                break;
            }
        }
        waves
    }
}

impl Call<'_> {
    /// The keys that the arguments name: as handles, or bare for a tool of the host.
    fn keys(&self) -> impl Iterator<Item = &str> {
        let texts = self.arguments.values().filter_map(serde_json::Value::as_str);
        texts.filter_map(|text| handle_key(text).or(self.tool.is_none().then_some(text)))
    }

    fn may_publish(&self, key: &str) -> bool {
        self.tool.is_some_and(|tool| tool.may_publish(key))
    }

    /// Whether both may write the same key, so that the one written later has to win.
    fn writes_like(&self, other: &Self) -> bool {
        let (Some(tool), Some(other)) = (self.tool, other.tool) else {
            return false;
        };
        let is_same = tool.name() == other.name() && tool.connection().name() == other.connection().name();
        is_same
            || tool
                .produces()
                .values()
                .any(|key| other.may_publish(key.as_str()))
    }
}
