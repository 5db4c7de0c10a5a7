//! Which tools answer a question, in which order.
//!
//! Tools hang together where one publishes what another takes by handle. A question is matched with such a chain as a
//! whole; then its goal is the tool the question names, or the end of the chain.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{
    declaration::Tool,
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
        in_order(goal, &closure)
            .into_iter()
            .map(|tool| Step {
                tool,
                arguments: None,
            })
            .collect(),
    )
}

/// The example that fits best, as calls; one whose following tools are not connected does not count.
fn by_example<'a>(question: &str, tools: &'a [Tool]) -> Option<Vec<Step<'a>>> {
    let fits = tools.iter().flat_map(|tool| {
        tool.examples.iter().filter_map(move |example| {
            let fit = example.fit(question)?;
            (fit.matched > 0 && fit.skipped <= fit.matched).then_some((tool, fit))
        })
    });
    let (tool, fit) = fits.first_max(|(_, fit)| 2 * fit.matched as i64 - fit.skipped as i64)?;
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
    let words = words(question);
    let stems: Vec<&str> = words
        .iter()
        .filter(|word| word.has_content())
        .map(|word| word.stem.as_str())
        .collect();
    let rarity = rarity(&stems, tools);
    let chains = chains(tools);
    let score = |chain: &Vec<&Tool>| -> f64 {
        let best = |stem: &&str| chain.iter().map(|tool| weight(tool, stem)).fold(0.0, f64::max);
        stems.iter().map(|stem| best(stem) * rarity[stem]).sum()
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

/// How much a word says for a tool, by where the tool's declaration has it.
fn weight(tool: &Tool, stem: &str) -> f64 {
    let has = |stems: &[String]| stems.iter().any(|own| own == stem);
    if has(&tool.name_stems) {
        3.0
    } else if tool
        .examples
        .iter()
        .any(|example| example.stems().any(|own| own == stem))
    {
        2.0
    } else if has(&tool.description_stems) || tool.parameters.iter().any(|parameter| has(&parameter.stems)) {
        1.0
    } else {
        0.0
    }
}

/// How much each word tells tools apart: much if few have it.
fn rarity<'s>(stems: &[&'s str], tools: &[Tool]) -> HashMap<&'s str, f64> {
    let rarity = |stem: &str| {
        let having = tools.iter().filter(|tool| weight(tool, stem) > 0.0).count();
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
                .any(|other| takes_from(tool, other) || takes_from(other, tool))
        });
        let mut chain: Vec<&Tool> = linked.into_iter().flatten().collect();
        chain.push(tool);
        others.push(chain);
        chains = others;
    }
    chains
}

fn takes_from(consumer: &Tool, producer: &Tool) -> bool {
    let mut taken = consumer
        .parameters
        .iter()
        .filter(|parameter| parameter.not_authored);
    !std::ptr::eq(consumer, producer) && taken.any(|parameter| producer.product_for(parameter).is_some())
}

/// The tool of a chain that a question asks for: the furthest one it names, else the one nobody takes from.
fn goal_in<'a>(chain: &[&'a Tool], stems: &[&str]) -> &'a Tool {
    let distance = |tool: &&&Tool| depth(tool, chain, 0);
    let is_named = |tool: &&&Tool| tool.name_stems.iter().any(|own| stems.contains(&own.as_str()));
    let named = chain.iter().filter(is_named).max_by_key(distance);
    let last = || chain.iter().max_by_key(distance);
    named.or_else(last).expect("a chain has at least one tool")
}

/// How many tools stand before this one in its chain.
fn depth(tool: &Tool, chain: &[&Tool], level: usize) -> usize {
    if level > chain.len() {
        return level;
    }
    let before = chain
        .iter()
        .filter(|other| takes_from(tool, other))
        .map(|other| depth(other, chain, level + 1) + 1);
    before.max().unwrap_or(0)
}

/// Everything that must run for `tool`, itself included. Fails with the parameter nobody can provide.
fn collect<'a>(
    tool: &'a Tool,
    turn: &Turn<'_>,
    tools: &'a [Tool],
    into: &mut Vec<&'a Tool>,
) -> Result<(), &'a str> {
    if into.iter().any(|other| std::ptr::eq(*other, tool)) {
        return Ok(());
    }
    into.push(tool);
    for parameter in tool
        .parameters
        .iter()
        .filter(|parameter| parameter.not_authored && parameter.required)
    {
        let producer = tools
            .iter()
            .find(|other| !std::ptr::eq(*other, tool) && other.product_for(parameter).is_some());
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
    let is_declared = |word: &Word<'_>| tools.iter().any(|tool| weight(tool, &word.stem) > 0.0);
    words(question)
        .iter()
        .all(|word| !word.has_content() || fill::is_instruction(&word.stem) || is_declared(word))
}

/// The collected tools, each after those it takes from.
fn in_order<'a>(goal: &'a Tool, closure: &[&'a Tool]) -> Vec<&'a Tool> {
    fn visit<'a>(
        tool: &'a Tool,
        closure: &[&'a Tool],
        ordered: &mut Vec<&'a Tool>,
        open: &mut Vec<&'a Tool>,
    ) {
        let known = |tools: &[&Tool]| tools.iter().any(|other| std::ptr::eq(*other, tool));
        if known(ordered) || known(open) {
            return;
        }
        open.push(tool);
        for other in closure.iter().filter(|other| takes_from(tool, other)) {
            visit(other, closure, ordered, open);
        }
        ordered.push(tool);
    }
    let (mut ordered, mut open) = (Vec::new(), Vec::new());
    visit(goal, closure, &mut ordered, &mut open);
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
