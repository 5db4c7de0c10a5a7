//! Dates as questions name them: "since 2015", "between 2001 and 2010", "in 2020", "in August 2024", "the past ten years".
//!
//! They stand in for dates that a caller left out. A year that no such word leads to, as in "the 2020 baseline", is none.

use chrono::{Datelike as _, Days, Months, NaiveDate};

use crate::{
    choice::Words,
    dates::{Asked, Period},
};

const SINCE: [&str; 7] = ["since", "desde", "depuis", "sejak", "after", "starting", "apres"];
const UNTIL: [&str; 7] = ["until", "till", "before", "jusqu", "hasta", "ate", "hingga"];
const FROM: [&str; 6] = ["between", "from", "entre", "de", "dari", "antara"];
const TO: [&str; 12] = [
    "and", "to", "through", "until", "y", "e", "et", "a", "hasta", "dan", "sampai", "hingga",
];
const IN: [&str; 9] = ["in", "during", "en", "em", "pada", "for", "of", "year", "tahun"];
const PAST: [&str; 2] = ["past", "last"];
const NUMBERS: [&str; 10] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
];

/// The months in English, Spanish, French, Portuguese and Indonesian, without accents.
const MONTHS: [[&str; 5]; 12] = [
    ["january", "enero", "janvier", "janeiro", "januari"],
    ["february", "febrero", "fevrier", "fevereiro", "februari"],
    ["march", "marzo", "mars", "marco", "maret"],
    ["april", "abril", "avril", "abril", "april"],
    ["may", "mayo", "mai", "maio", "mei"],
    ["june", "junio", "juin", "junho", "juni"],
    ["july", "julio", "juillet", "julho", "juli"],
    ["august", "agosto", "aout", "agosto", "agustus"],
    ["september", "septiembre", "septembre", "setembro", "september"],
    ["october", "octubre", "octobre", "outubro", "oktober"],
    ["november", "noviembre", "novembre", "novembro", "november"],
    ["december", "diciembre", "decembre", "dezembro", "desember"],
];
/// Words between a month and its year.
const OF: [&str; 2] = ["of", "de"];

/// The dates that a question names, if it names any.
pub(crate) fn dates(words: &Words, today: NaiveDate) -> Option<Asked> {
    let words: Vec<&str> = words.iter().collect();
    months(&words)
        .or_else(|| spans(&words))
        .or_else(|| relative(&words, today))
}

/// Months with their year; of several, all days from the first to the last.
fn months(words: &[&str]) -> Option<Asked> {
    let named: Vec<(usize, Period)> = (0..words.len())
        .filter_map(|at| Some((at, month(words.get(at..)?)?)))
        .collect();
    if let [(at, month)] = named.as_slice() {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        if before.is_some_and(|word| SINCE.contains(word)) {
            return Some(Asked::of(Some(month.start), None));
        }
        if before.is_some_and(|word| UNTIL.contains(word)) {
            return Some(Asked::of(None, Some(month.end)));
        }
    }
    let start = named.iter().map(|(_, month)| month.start).min()?;
    let end = named.iter().map(|(_, month)| month.end).max()?;
    Some(Asked::of(Some(start), Some(end)))
}

/// The month that words begin with, if they name its year as well.
fn month(words: &[&str]) -> Option<Period> {
    let (name, rest) = words.split_first()?;
    let number = (1..).zip(MONTHS).find(|(_, names)| names.contains(name))?.0;
    let rest = match rest {
        [word, rest @ ..] if OF.contains(word) => rest,
        rest => rest,
    };
    let year = year(rest.first()?)?.start.year();
    let start = NaiveDate::from_ymd_opt(year, number, 1)?;
    let end = start.checked_add_months(Months::new(1))?.pred_opt()?;
    Some(Period { start, end })
}

fn spans(words: &[&str]) -> Option<Asked> {
    words
        .windows(4)
        .find_map(|window| match window {
            [from, first, to, last] if FROM.contains(from) && TO.contains(to) => {
                ordered(year(first)?, year(last)?)
            }
            _ => None,
        })
        .or_else(|| {
            words.windows(2).find_map(|window| {
                let [word, next] = window else { return None };
                let year = year(next)?;
                if SINCE.contains(word) {
                    Some(Asked::of(Some(year.start), None))
                } else if UNTIL.contains(word) {
                    Some(Asked::of(None, Some(year.end)))
                } else if IN.contains(word) {
                    Some(Asked::of(Some(year.start), Some(year.end)))
                } else {
                    None
                }
            })
        })
}

fn ordered(first: Period, last: Period) -> Option<Asked> {
    (first.start <= last.end).then(|| Asked::of(Some(first.start), Some(last.end)))
}

fn year(word: &str) -> Option<Period> {
    let year: i32 = word.parse().ok().filter(|year| (1950..=2100).contains(year))?;
    Period::of_years(year, year)
}

/// "The past ten years" ends today; "last year" is the calendar year before this one.
fn relative(words: &[&str], today: NaiveDate) -> Option<Asked> {
    let at = words.iter().position(|word| PAST.contains(word))?;
    let (count, unit) = match words.get(at + 1..)? {
        ["decade", ..] => (10, "years"),
        ["year", ..] if words.get(at) == Some(&"last") => {
            let year = Period::of_years(today.year() - 1, today.year() - 1)?;
            return Some(Asked::of(Some(year.start), Some(year.end)));
        }
        [unit @ ("year" | "month" | "week"), ..] => (1, *unit),
        [count, unit, ..] => (number(count)?, *unit),
        _ => return None,
    };
    let start = match unit {
        "year" | "years" => today.checked_sub_months(Months::new(count * 12)),
        "month" | "months" => today.checked_sub_months(Months::new(count)),
        "week" | "weeks" => today.checked_sub_days(Days::new(u64::from(count) * 7)),
        "day" | "days" => today.checked_sub_days(Days::new(u64::from(count))),
        _ => None,
    }?;
    Some(Asked::of(Some(start), Some(today)))
}

fn number(word: &str) -> Option<u32> {
    let spelled = NUMBERS.iter().zip(1..).find(|(name, _)| *name == &word);
    spelled
        .map(|(_, number)| number)
        .or_else(|| word.parse().ok())
        .filter(|number| (1..=120).contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_where_words_lead_to_them_and_nowhere_else() {
        let today: NaiveDate = "2026-11-30".parse().unwrap();
        let wide = Period::of_years(1900, 2100).unwrap();
        for (question, expected) in [
            ("tree cover loss in Pará since 2015", "2015-01-01 to 2100-12-31"),
            ("loss between 2001 and 2010", "2001-01-01 to 2010-12-31"),
            (
                "did it lose 5 % from 2001 through 2024?",
                "2001-01-01 to 2024-12-31",
            ),
            ("pérdida entre 2005 y 2015", "2005-01-01 to 2015-12-31"),
            ("In 2020, how much was lost?", "2020-01-01 to 2020-12-31"),
            ("loss until 2012", "1900-01-01 to 2012-12-31"),
            ("deforestation in the past decade", "2016-11-30 to 2026-11-30"),
            ("alerts of the last two weeks", "2026-11-16 to 2026-11-30"),
            ("alerts in the past 6 months", "2026-05-30 to 2026-11-30"),
            ("loss last year", "2025-01-01 to 2025-12-31"),
            ("alerts in February 2024", "2024-02-01 to 2024-02-29"),
            (
                "more in August 2024 than in September 2024?",
                "2024-08-01 to 2024-09-30",
            ),
            ("alertas em março de 2025", "2025-03-01 to 2025-03-31"),
            ("alerts since May 2025", "2025-05-01 to 2100-12-31"),
            ("alertes jusqu'à août 2025", "2025-08-01 to 2025-08-31"),
        ] {
            let asked = dates(&Words::of(question), today).unwrap();
            assert_eq!(
                asked.clamp(wide, false).unwrap().asked.to_string(),
                expected,
                "{question}"
            );
        }
        for question in [
            "natural ecosystems according to the 2020 baseline",
            "loss between 2020 and 2010",
            "what percent of 20000 ha was lost",
            "the last straw",
            "what may happen",
            "forest loss in Brazil",
        ] {
            assert!(dates(&Words::of(question), today).is_none(), "{question}");
        }
    }
}
