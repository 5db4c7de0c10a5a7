//! Asking the questions.

use futures::{StreamExt as _, stream};

use crate::{CaseReport, Report, Set, SetReport, Zeno};

/// Questions under way at once: enough to hide the waiting of a model, few enough for its limits.
const AT_ONCE: usize = 4;

/// Asks every question of every set; `progress` is told after each.
pub async fn run(zeno: &Zeno, sets: &[Set], progress: &(dyn Fn() + Sync)) -> Report {
    let mut reports = Vec::with_capacity(sets.len());
    for set in sets {
        let cases = stream::iter(set.cases()).map(|case| async move {
            let verdict = case.ask(zeno).await;
            progress();
            CaseReport {
                id: case.id().to_owned(),
                question: case.question(),
                verdict,
            }
        });
        reports.push(SetReport {
            name: set.name().to_owned(),
            cases: cases.buffered(AT_ONCE).collect().await,
        });
    }
    Report { sets: reports }
}
