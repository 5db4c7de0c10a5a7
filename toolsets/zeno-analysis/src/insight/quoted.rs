//! Whether the numbers in a text follow from the rows.
//!
//! A number may be stated if it is a rounding of a figure: a cell of a chart or a computed fact, with the digits that
//! the text shows and never more than five percent off. Years, dates, thresholds and counts must be exact. Whether a
//! text puts a right number to the right place no such check can tell; the rows stand beside it for that.

use std::collections::BTreeSet;

/// Furthest that a rounded number may be from its figure.
const MAX_ERROR: f64 = 0.05;

/// The numbers that a text may state.
#[derive(Debug, Clone, Default)]
pub(crate) struct Quotable {
    figures: Vec<f64>,
    exact: BTreeSet<String>,
}

impl Quotable {
    /// Allows roundings of a figure.
    pub(crate) fn figure(&mut self, value: f64) {
        if value.is_finite() {
            self.figures.push(value.abs());
        }
    }

    /// Allows every number of a text, as it is written there: labels, dates, cautions.
    pub(crate) fn text(&mut self, text: &str) {
        for number in numbers(text) {
            self.exact.insert(number.digits);
        }
    }

    /// Allows a count or a threshold.
    pub(crate) fn count(&mut self, count: usize) {
        self.exact.insert(count.to_string());
    }

    /// The numbers of a text that do not follow from anything, as they are written.
    pub(crate) fn unsupported(&self, text: &str) -> Vec<String> {
        numbers(text)
            .into_iter()
            .filter(|number| !self.supports(number))
            .map(|number| number.written)
            .collect()
    }

    fn supports(&self, number: &Written) -> bool {
        let is_exact = number.scale == 1.0 && self.exact.contains(&number.digits);
        is_exact
            || readings(&number.digits).iter().any(|reading| {
                self.figures
                    .iter()
                    .any(|figure| reading.rounds(figure / number.scale))
            })
    }
}

/// A number as it stands in a text.
#[derive(Debug, Clone, PartialEq)]
struct Written {
    /// With the word that scales it.
    written: String,
    /// Digits and separators.
    digits: String,
    scale: f64,
}

/// One way to read digits and separators.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Reading {
    value: f64,
    /// Half of the last digit's place.
    half: f64,
}

impl Reading {
    fn rounds(&self, figure: f64) -> bool {
        let error = (figure - self.value).abs();
        error <= self.half * (1.0 + 1e-9) + 1e-12 * figure && error <= MAX_ERROR * figure
    }
}

/// Words after a number that scale it, and what they make of one.
const SCALES: &[(&str, f64)] = &[
    ("thousand", 1e3),
    ("k", 1e3),
    ("kha", 1e3),
    ("mil", 1e3),
    ("million", 1e6),
    ("millions", 1e6),
    ("millones", 1e6),
    ("milhões", 1e6),
    ("juta", 1e6),
    ("m", 1e6),
    ("mn", 1e6),
    ("mha", 1e6),
    ("mt", 1e6),
    ("billion", 1e9),
    ("billions", 1e9),
    ("bn", 1e9),
    ("b", 1e9),
    ("gt", 1e9),
];

/// The numbers of a text. Digits inside words, as in CO2e, are part of the word.
fn numbers(text: &str) -> Vec<Written> {
    let characters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        if !characters[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = end_of_number(&characters, at);
        let in_word = at > 0 && characters[at - 1].is_alphabetic();
        if !in_word {
            let digits: String = characters[at..end].iter().collect();
            let (word, scale) = scale(&characters, end);
            found.push(Written {
                written: format!("{digits}{word}"),
                digits,
                scale,
            });
        }
        at = end;
    }
    found
}

/// Where a number ends: separators belong to it between digits, a space only before a group of exactly three.
fn end_of_number(characters: &[char], start: usize) -> usize {
    let is_digit = |at: usize| characters.get(at).is_some_and(char::is_ascii_digit);
    let mut end = start;
    let mut group = start;
    loop {
        while is_digit(end) {
            end += 1;
        }
        let grouped = (1..=3).all(|step| is_digit(end + step)) && !is_digit(end + 4);
        let continues = match characters.get(end) {
            Some(',' | '.' | '\'' | '’') => is_digit(end + 1),
            Some(' ' | '\u{a0}' | '\u{202f}') => grouped && end - group <= 3,
            // A date: 2024-01-31.
            Some('-') => end - start >= 4 && is_digit(end + 1) && is_digit(end + 2) && !is_digit(end + 3),
            _ => false,
        };
        if !continues {
            return end;
        }
        end += 1;
        group = end;
    }
}

/// The word after a number if it scales it, with the space before it.
fn scale(characters: &[char], end: usize) -> (String, f64) {
    let spaces = characters[end..]
        .iter()
        .take_while(|character| matches!(character, ' ' | '\u{a0}' | '\u{202f}'))
        .count()
        .min(1);
    let word: String = characters[end + spaces..]
        .iter()
        .take_while(|character| character.is_alphabetic())
        .collect();
    // "30 m" is a length; a million is written with a capital, or right behind the number.
    let is_length = word == "m" && spaces > 0;
    let scale = SCALES
        .iter()
        .find(|(name, _)| *name == word.to_lowercase() && !is_length)
        .map(|(_, scale)| *scale);
    match scale {
        Some(scale) => (
            characters[end..end + spaces].iter().collect::<String>() + &word,
            scale,
        ),
        None => (String::new(), 1.0),
    }
}

/// The ways to read a number: with a point or a comma before the fraction.
fn readings(digits: &str) -> Vec<Reading> {
    let mut readings = Vec::new();
    for point in ['.', ','] {
        let thousands = if point == '.' { ',' } else { '.' };
        let plain: String = digits
            .chars()
            .filter(|character| !matches!(character, ' ' | '\u{a0}' | '\u{202f}' | '\'' | '’'))
            .filter(|character| *character != thousands)
            .map(|character| if character == point { '.' } else { character })
            .collect();
        let Ok(value) = plain.parse::<f64>() else { continue };
        let decimals = plain.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let reading = Reading {
            value,
            half: 0.5 * 10f64.powi(-(decimals as i32)),
        };
        readings.push(reading);
        // 1,573,000 is said for 1,573,272: zeros at the end of a number of at least three other digits may be a rounding.
        let zeros = plain.len() - plain.trim_end_matches('0').len();
        if decimals == 0 && zeros > 0 && plain.len() - zeros >= 3 {
            readings.push(Reading {
                half: 0.5 * 10f64.powi(zeros as i32),
                ..reading
            });
        }
    }
    readings
}

#[cfg(test)]
mod tests;
