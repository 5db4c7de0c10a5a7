//! Which tools answer a question, in which order.
//!
//! Tools hang together where one publishes what another takes by handle. A question is matched with such a chain as a
//! whole; then its goal is the tool the question names, or the end of the chain.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value};

use super::{
    declaration::{Product, Tool},
    fill,
    turn::Turn,
    words::{Word, words},
};

/// A call to be made; arguments that an example gives stand fast, the others are filled when their time comes.
#[derive(Debug)]
pub(super) struct Step<'a> {
    pub(super) tool: &'a Tool,
    pub(super) arguments: Option<Map<String, Value>>,
}

impl Step<'_> {
    /// Whether it cannot run without a value that another step publishes.
    pub(super) fn takes(&self, product: &Product) -> bool {
        let is_handle = |value: &Value| {
            let key = value.as_str().and_then(|text| text.strip_prefix("@state:"));
            key == Some(product.key.as_str())
        };
        match &self.arguments {
            Some(arguments) => arguments.values().any(is_handle),
            None => self.tool.parameters.iter().any(|parameter| {
                parameter.not_authored && parameter.required && parameter.keys.contains(&product.key)
            }),
        }
    }
}

/// More words than an example has.
const MANY_WORDS: i64 = 1000;

/// What the guide made of a question.
#[derive(Debug)]
pub(super) enum Route<'a> {
    /// These calls, in order.
    Calls(Vec<Step<'a>>),
    /// A tool fits, but takes a value that no tool publishes.
    MissingProducer { tool: &'a Tool, parameter: &'a str },
    /// No declaration fits.
    NotUnderstood,
}

pub(super) fn find<'a>(turn: &Turn<'_>, tools: &'a [Tool]) -> Route<'a> {
    if let Some(steps) = by_example(&turn.question, tools) {
        return Route::Calls(steps);
    }
    let Some(goal) = goal(&turn.question, tools) else {
        return Route::NotUnderstood;
    };
    let mut closure = Vec::new();
    if let Err(parameter) = collect(goal, turn, tools, &mut closure) {
        return Route::MissingProducer {
            tool: goal,
            parameter,
        };
    }
    Route::Calls(
        in_order(&[goal], &closure)
            .into_iter()
            .map(|tool| Step {
                tool,
                arguments: None,
            })
            .collect(),
    )
}

/// Whether a text is a question that some tool declares as an example.
pub(super) fn is_example(text: &str, tools: &[Tool]) -> bool {
    by_example(text, tools).is_some()
}

/// The example that fits best, as calls; one whose following tools are not connected does not count.
fn by_example<'a>(question: &str, tools: &'a [Tool]) -> Option<Vec<Step<'a>>> {
    let fits = tools.iter().flat_map(|tool| {
        tool.examples.iter().filter_map(move |example| {
            let fit = example.fit(question)?;
            (fit.matched > 0 && fit.skipped <= fit.matched).then_some((tool, fit))
        })
    });
    // An example that leaves nothing aside is about the question; one that leaves something aside may be about half of it.
    let (tool, fit) = fits.first_max(|(_, fit)| fit.matched as i64 - MANY_WORDS * fit.skipped as i64)?;
    let mut steps = vec![Step {
        tool,
        arguments: Some(fit.arguments),
    }];
    for (name, arguments) in fit.then {
        let tool = tools.iter().find(|tool| tool.is_called(&name))?;
        steps.push(Step {
            tool,
            arguments: Some(arguments),
        });
    }
    Some(steps)
}

/// The tool a question is for.
fn goal<'a>(question: &str, tools: &'a [Tool]) -> Option<&'a Tool> {
    if let Some(named) = tools.iter().find(|tool| tool.is_named_in(question)) {
        return Some(named);
    }
    let words = words(question);
    let stems: Vec<&str> = words
        .iter()
        .filter(|word| word.has_content())
        .map(|word| word.stem.as_str())
        .collect();
    let rarity = rarity(&stems, tools);
    let chains = chains(tools);
    let score = |chain: &Vec<&Tool>| -> f64 {
        let best = |stem: &str| {
            chain
                .iter()
                .map(|tool| tool.weight(stem))
                .max()
                .unwrap_or_default()
        };
        rarity
            .iter()
            .map(|(stem, rarity)| f64::from(best(stem)) * rarity)
            .sum()
    };
    let best = chains.iter().first_max(|chain| (score(chain) * 1000.0) as i64)?;
    if score(best) > 0.0 {
        return Some(goal_in(best, &stems));
    }
    // Nothing matches by words. A single chain that takes questions as they are may still know what to do.
    let mut takers = chains
        .iter()
        .filter(|chain| chain.iter().any(|tool| tool.takes_question()));
    match (takers.next(), takers.next()) {
        (Some(only), None) if stems.len() > 1 => Some(goal_in(only, &stems)),
        _ => None,
    }
}

/// How much each word tells tools apart: much if few have it. Ordered, so that sums come out the same in every run.
fn rarity<'s>(stems: &[&'s str], tools: &[Tool]) -> BTreeMap<&'s str, f64> {
    let rarity = |stem: &str| {
        let having = tools.iter().filter(|tool| tool.weight(stem) > 0).count();
        (1.0 + tools.len() as f64 / (having as f64 + 1.0)).ln()
    };
    stems.iter().map(|stem| (*stem, rarity(stem))).collect()
}

/// Tools grouped by what they publish to each other; each group in the order of declaration.
fn chains(tools: &[Tool]) -> Vec<Vec<&Tool>> {
    let mut chains: Vec<Vec<&Tool>> = Vec::new();
    for tool in tools {
        let (linked, mut others): (Vec<_>, Vec<_>) = chains.into_iter().partition(|chain| {
            chain
                .iter()
                .any(|other| tool.takes_from(other) || other.takes_from(tool))
        });
        let mut chain: Vec<&Tool> = linked.into_iter().flatten().collect();
        chain.push(tool);
        others.push(chain);
        chains = others;
    }
    chains
}

/// The tool of a chain that a question asks for: the furthest one it names, else, of those nobody takes from, the one
/// whose declaration has most of its words.
fn goal_in<'a>(chain: &[&'a Tool], stems: &[&str]) -> &'a Tool {
    let ordered = in_order(chain, chain);
    let is_named = |tool: &&&Tool| tool.name_stems.iter().any(|own| stems.contains(&own.as_str()));
    if let Some(named) = ordered.iter().rfind(is_named) {
        return named;
    }
    let is_last = |tool: &&&Tool| !chain.iter().any(|other| other.takes_from(tool));
    let score = |tool: &&&Tool| stems.iter().map(|stem| i64::from(tool.weight(stem))).sum();
    let last = ordered.iter().rev().filter(is_last).first_max(score);
    last.or(ordered.last()).expect("a chain has at least one tool")
}

/// Everything that must run for `tool`, itself included. Fails with the parameter nobody can provide.
fn collect<'a>(
    tool: &'a Tool,
    turn: &Turn<'_>,
    tools: &'a [Tool],
    into: &mut Vec<&'a Tool>,
) -> Result<(), &'a str> {
    if into.iter().any(|other| other.index == tool.index) {
        return Ok(());
    }
    into.push(tool);
    for parameter in tool
        .parameters
        .iter()
        .filter(|parameter| parameter.not_authored && parameter.required)
    {
        let producer = parameter.producers.first().and_then(|index| tools.get(*index));
        let is_known = turn.earlier_keys.iter().any(|key| parameter.takes(key));
        match producer {
            Some(producer) if !(is_known && adds_nothing(&turn.question, tools)) => {
                collect(producer, turn, tools, into)?;
            }
            None if !is_known => return Err(&parameter.name),
            _ => {}
        }
    }
    Ok(())
}

/// Whether a question holds only words of the declarations, such as "chart it": then it is about what is there already.
fn adds_nothing(question: &str, tools: &[Tool]) -> bool {
    let is_declared = |word: &Word<'_>| tools.iter().any(|tool| tool.weight(&word.stem) > 0);
    words(question)
        .iter()
        .all(|word| !word.has_content() || fill::is_instruction(&word.stem) || is_declared(word))
}

/// The tools that `goals` lead to within a set, each after those it takes from; a ring is cut where it is entered.
fn in_order<'a>(goals: &[&'a Tool], within: &[&'a Tool]) -> Vec<&'a Tool> {
    fn visit<'a>(
        tool: &'a Tool,
        within: &[&'a Tool],
        seen: &mut HashSet<usize>,
        ordered: &mut Vec<&'a Tool>,
    ) {
        if seen.insert(tool.index) {
            for other in within.iter().filter(|other| tool.takes_from(other)) {
                visit(other, within, seen, ordered);
            }
            ordered.push(tool);
        }
    }
    let (mut seen, mut ordered) = (HashSet::new(), Vec::new());
    for goal in goals {
        visit(goal, within, &mut seen, &mut ordered);
    }
    ordered
}

/// The greatest item, the first of equal ones.
trait FirstMax: Iterator + Sized {
    fn first_max(self, key: impl Fn(&Self::Item) -> i64) -> Option<Self::Item> {
        self.fold(None, |best: Option<(i64, Self::Item)>, item| {
            let value = key(&item);
            match best {
                Some((most, best)) if most >= value => Some((most, best)),
                _ => Some((value, item)),
            }
        })
        .map(|(_, item)| item)
    }
}

impl<I: Iterator> FirstMax for I {}
