//! The choice without a model: words of the question speak for datasets, and what a dataset cannot do speaks against it.

use super::{Choice, MAX_SUGGESTIONS, Phrases, Pick, Question, Words, checked};
use crate::{
    catalogue::{Cadence, Catalogue, Dataset},
    record::ChosenParameter,
};

/// A dataset that fewer words speak for is not chosen, only suggested.
const ENOUGH: u32 = 4;

/// What speaks for a dataset that is called by its full name.
const NAMED: u32 = 20;
/// Shorter names are made of words that any question may hold.
const LONG_NAME: usize = 4;

/// Words that ask for a figure at every step of time.
const SERIES: &str = "trend*|over time|each year|every year|per year|annual*|yearly|year by year|by year|monthly|by month|\
                      over the years|time series";
/// Words that ask for figures within a year.
const WITHIN_A_YEAR: &str =
    "monthly|by month|each month|per month|every month|seasonal*|by season|weekly|per week";
/// Words that ask for single years.
const YEARLY: &str = "each year|every year|per year|annual*|yearly|year by year|by year";
/// Words that ask about a dataset and not about a place; of each group one must occur.
const ABOUT: &[&[&str]] = &[
    &[
        "geographic coverage|spatial coverage|temporal coverage|time coverage|area* covered|which areas are covered",
    ],
    &["spatial resolution|temporal resolution|what resolution|which resolution|resolution of|pixel size"],
    &[
        "update frequency|updated|updates|refreshed",
        "how often|when|last|frequency|frequently",
    ],
    &["citation|cite|citing|licen*|terms of use|attribution"],
    &[
        "methodology|how is it made|how was it made|how are they made|how were they made|how accurate|accuracy",
    ],
    &["who publishes|who provides|who made|who makes|who produced|data source|source of the data"],
    &["come from|comes from", "data|dataset|figures|numbers"],
    &[
        "which years|what years|which period|what period|time range|since when",
        "data|dataset|cover|covers|covered|available",
    ],
];
/// Words that ask for figures, whatever else a question asks.
const FIGURES: &str = "how much|how many|how large|how big|most|least|highest|lowest|largest|smallest|rank*|compare*|comparison|\
                       trend*|since 19*|since 20*|in 19*|in 20*|between|total|chart|plot|map of";

/// Words that begin a second question in the same sentence.
const SECOND_QUESTION: &str = "and why|and what cause*|and what is causing|and what drive*|and what drove|\
                               and what are the cause*|and what are the driver*|and because of what|\
                               y por que|e por que|et pourquoi|dan mengapa";

/// A dataset with the words that speak for it.
struct Ranked<'a> {
    dataset: &'a Dataset,
    score: u32,
    words: Vec<String>,
}

pub(super) fn choose(catalogue: &Catalogue, question: &Question<'_>) -> Choice {
    let words = Words::of(question.text);
    let ranked = ranked(catalogue, &words);
    let Some(best) = ranked.first() else {
        return Choice::Nothing {
            reason: format!(
                "No words of the request name a subject of the catalogue, which has {}.",
                subjects(catalogue)
            ),
        };
    };
    if is_about_a_dataset(&words) {
        return Choice::About(best.dataset.dataset_id);
    }
    if let Some(obstacle) = obstacle(best.dataset, &words) {
        if let Some(first) = first_of_two(catalogue, question, &words, best.dataset, &obstacle) {
            return Choice::Selected(first);
        }
        let reason = format!("{} comes closest, but {obstacle}.", best.dataset.dataset_name);
        return suggest(catalogue, question, &words, &ranked, reason);
    }
    if !is_clear(&ranked) {
        let reason = "The request fits several datasets equally well, or none of them closely.".to_owned();
        return suggest(catalogue, question, &words, &ranked, reason);
    }
    Choice::Selected(pick(best.dataset, question, &words, why(best)))
}

/// Whether enough speaks for the best dataset, and more than for the next.
fn is_clear(ranked: &[Ranked<'_>]) -> bool {
    let score = |rank: usize| ranked.get(rank).map_or(0, |ranked| ranked.score);
    score(0) >= ENOUGH && score(0) > score(1)
}

/// Of a request that asks two things, the first, where the dataset of the second cannot answer both.
fn first_of_two(
    catalogue: &Catalogue,
    question: &Question<'_>,
    words: &Words,
    second: &Dataset,
    obstacle: &str,
) -> Option<Pick> {
    let ranked = ranked(catalogue, &words.before(&Phrases::of(SECOND_QUESTION))?);
    let best = ranked.first().filter(|_| is_clear(&ranked))?;
    let is_other = best.dataset.dataset_id != second.dataset_id;
    (is_other && self::obstacle(best.dataset, words).is_none()).then(|| {
        let reason = format!(
            "{} It answers the first of two questions. The second is one for {}: {obstacle}. Ask it on its own.",
            why(best),
            second.dataset_name
        );
        pick(best.dataset, question, words, reason)
    })
}

/// The dataset that a question is about, if it asks about a dataset and for no figures.
pub(super) fn about(catalogue: &Catalogue, question: &Question<'_>) -> Option<u32> {
    let words = Words::of(question.text);
    let best = ranked(catalogue, &words).into_iter().next()?;
    is_about_a_dataset(&words).then_some(best.dataset.dataset_id)
}

fn is_about_a_dataset(words: &Words) -> bool {
    let occurs = |group: &&str| Phrases::of(group).occur_in(words);
    ABOUT.iter().any(|groups| groups.iter().all(occurs)) && !Phrases::of(FIGURES).occur_in(words)
}

fn ranked<'a>(catalogue: &'a Catalogue, words: &Words) -> Vec<Ranked<'a>> {
    let mut ranked: Vec<Ranked<'_>> = catalogue
        .visible()
        .map(|dataset| rank(dataset, words))
        .filter(|ranked| ranked.score > 0)
        .collect();
    // The sort is stable: of two that score the same, the lower id comes first.
    ranked.sort_by_key(|ranked| std::cmp::Reverse(ranked.score));
    ranked
}

fn rank<'a>(dataset: &'a Dataset, words: &Words) -> Ranked<'a> {
    let mut ranked = Ranked {
        dataset,
        score: 0,
        words: Vec::new(),
    };
    let name = Words::of(&dataset.dataset_name);
    if name.iter().count() >= LONG_NAME && words.contain(&name) {
        ranked.score += NAMED;
        ranked.words.push(dataset.dataset_name.clone());
    }
    for signal in &dataset.signals {
        let found: Option<Vec<String>> = signal.all.iter().map(|phrases| phrases.find(words)).collect();
        let Some(found) = found.filter(|_| !signal.unless.occur_in(words)) else {
            continue;
        };
        ranked.score += signal.weight;
        for word in found {
            if !ranked.words.contains(&word) {
                ranked.words.push(word);
            }
        }
    }
    ranked
}

/// Why a dataset cannot answer what is asked, in words that follow "but".
fn obstacle(dataset: &Dataset, words: &Words) -> Option<String> {
    let (first, last) = (
        year_of(dataset.start_date),
        dataset.end_date.map_or(i32::MAX, year_of),
    );
    let asks = |phrases: &str| Phrases::of(phrases).occur_in(words);
    match dataset.cadence {
        Cadence::Once if asks(SERIES) || words.years().any(|year| year != first) => {
            Some(format!("it is one map, of {first}, without change over time"))
        }
        // A question may name the ends of the period, give or take a year.
        Cadence::Total if asks(SERIES) || words.years().any(|year| first < year && year < last - 2) => Some(
            format!("it is one total for {first} to {last}, without single years"),
        ),
        Cadence::Pair if asks(YEARLY) => Some(format!("its statistics compare {first} with {last} only")),
        Cadence::Annual | Cadence::Periods if asks(WITHIN_A_YEAR) => {
            Some("it has no months or seasons".to_owned())
        }
        _ => None,
    }
}

fn year_of(date: chrono::NaiveDate) -> i32 {
    chrono::Datelike::year(&date)
}

/// The best dataset, those it refers to, and those that follow it, without one that fails the same way.
fn suggest(
    catalogue: &Catalogue,
    question: &Question<'_>,
    words: &Words,
    ranked: &[Ranked<'_>],
    reason: String,
) -> Choice {
    let mut picks: Vec<Pick> = Vec::new();
    let best = ranked.first().map(|ranked| ranked.dataset);
    let alternatives = best
        .into_iter()
        .flat_map(|dataset| &dataset.alternatives)
        .filter_map(|id| catalogue.find(*id));
    let others = ranked.iter().skip(1).map(|ranked| ranked.dataset);
    for dataset in best.into_iter().chain(alternatives).chain(others) {
        if picks.len() == MAX_SUGGESTIONS {
            break;
        }
        if picks.iter().any(|pick| pick.dataset_id == dataset.dataset_id) {
            continue;
        }
        let limits = match obstacle(dataset, words) {
            Some(obstacle) => format!("{} But {obstacle}.", dataset.description),
            None => dataset.description.clone(),
        };
        picks.push(pick(dataset, question, words, limits));
    }
    Choice::Suggested { picks, reason }
}

fn pick(dataset: &Dataset, question: &Question<'_>, words: &Words, mut reason: String) -> Pick {
    let asked = || {
        let layers = dataset.context_layers.iter();
        layers.filter(|layer| layer.words.occur_in(words))
    };
    let layer = asked().find(|layer| question.is_reached_by(layer));
    if let Some(outside) = asked().find(|layer| !question.is_reached_by(layer)) {
        reason.push_str(&format!(
            " The layer {} is left out: the area lies outside its extent.",
            outside.value
        ));
    }
    let pick = Pick {
        dataset_id: dataset.dataset_id,
        context_layer: layer.map(|layer| layer.value.clone()),
        parameters: canopy(words).into_iter().collect(),
        reason,
    };
    checked(dataset, question, pick)
}

/// A canopy threshold: a number up to 100 not far behind words that speak of canopy or density.
fn canopy(words: &Words) -> Option<ChosenParameter> {
    const REACH: usize = 7;
    let words: Vec<&str> = words.iter().collect();
    let at = words
        .iter()
        .position(|word| matches!(*word, "canopy" | "density" | "threshold"))
        .or_else(|| words.windows(2).position(|pair| pair == ["tree", "cover"]))?;
    let value = words
        .iter()
        .skip(at)
        .take(REACH)
        .find_map(|word| word.parse::<u32>().ok().filter(|value| *value <= 100))?;
    Some(ChosenParameter {
        name: "canopy_cover".to_owned(),
        description: String::new(),
        values: vec![value],
    })
}

fn why(ranked: &Ranked<'_>) -> String {
    let words: Vec<String> = ranked.words.iter().map(|word| format!("\"{word}\"")).collect();
    format!(
        "The request speaks of {}, which this dataset is about ({}).",
        words.join(", "),
        ranked.dataset.content_date
    )
}

fn subjects(catalogue: &Catalogue) -> String {
    let names: Vec<&str> = catalogue
        .visible()
        .map(|dataset| dataset.short_name.as_str())
        .collect();
    names.join(", ")
}
