//! Questions that a dataset cannot answer, whatever its rows are: said in words, with the dataset that can.

use super::generate::Study;
use crate::choice::Phrases;

struct Refusal {
    /// The datasets that refuse.
    datasets: &'static [u32],
    /// Words that ask for it.
    words: &'static str,
    /// Why not, and where to go.
    answer: &'static str,
}

const REFUSALS: &[Refusal] = &[
    Refusal {
        datasets: &[4, 5],
        words: "net change|net loss|net gain|net tree|net forest|net balance|minus gain|minus loss|gain minus|loss minus",
        answer: "A net change cannot be given: tree cover loss and tree cover gain are made by different methods and periods, and \
                 one must not be subtracted from the other. Each can be shown by itself (Tree cover loss, Tree cover gain).",
    },
    Refusal {
        datasets: &[4, 8, 10],
        words: "season*|month|months|monthly|week|weekly|daily|dry season|wet season",
        answer: "There are no months or seasons in these data: loss is known by year. Integrated alerts have disturbances by day.",
    },
    Refusal {
        datasets: &[8],
        words: "each year|per year|yearly|annual*|every year|year by year|over time|trend*|time series|which year",
        answer: "Drivers are known for the whole period only, not by year. Tree cover loss has the loss of every year, without drivers.",
    },
    Refusal {
        datasets: &[3],
        words: "change*|trend*|over time|since|lost|loss|converted|conversion|increase*|decrease*|decline*|each year|yearly",
        answer: "The map shows one year, 2020, and no change can be computed from it. Global land cover compares 2015 with 2024.",
    },
    Refusal {
        datasets: &[7],
        words: "change*|trend*|over time|since|lost|loss|gain*|increase*|decrease*|decline*|each year|yearly",
        answer: "Tree cover is of the year 2000 only, and no change can be computed from it. Tree cover loss has the loss of every \
                 year, Tree cover gain the gain of five-year periods.",
    },
    Refusal {
        datasets: &[6],
        words: "each year|per year|yearly|annually|annual|every year|year by year|over time|trend*|time series|which year",
        answer: "Net flux is one total of the whole model period, with no figures by year. Tree cover loss has the emissions of forest \
                 loss by year.",
    },
    Refusal {
        datasets: &[9],
        words: "map|maps|where exactly|hotspot*",
        answer: "There is no map of emission factors: they are known for administrative areas as a whole. A table by crop can be made.",
    },
];

/// The answer to a question that the dataset cannot answer.
pub(super) fn of(study: Study<'_>) -> Option<&'static str> {
    let id = study.dataset.dataset_id;
    REFUSALS
        .iter()
        .find(|refusal| refusal.datasets.contains(&id) && Phrases::of(refusal.words).occur_in(study.question))
        .map(|refusal| refusal.answer)
}
