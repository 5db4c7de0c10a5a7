//! The recorded interval, taken as recorded: never swapped, never derived from the words beside it.

use periplus_collection::{Interval, ObjectDate};

use super::quality::FlagSet;

/// Years after this are slips of the keyboard.
const LAST_PLAUSIBLE_YEAR: i32 = 2100;
/// The oldest objects are stone tools.
const FIRST_PLAUSIBLE_YEAR: i32 = -4_000_000;
/// Numbers up to this may be centuries entered as years.
const LAST_CENTURY: u32 = 21;
/// Most characters between an ordinal and the word "century" it belongs to.
const ORDINAL_REACH: usize = 12;

/// The interval between two cells, beside a date in words.
pub(super) fn object_date(begin: &str, end: &str, words: Option<&str>, flags: &mut FlagSet) -> ObjectDate {
    let date = match (begin.trim(), end.trim()) {
        ("", "") if words.is_none() => ObjectDate::Missing,
        (begin, end) => match (year(begin), year(end)) {
            (Some(begin), Some(end)) => interval(Interval { begin, end }, words, flags),
            _ => {
                flags.insert("date_unparsed");
                ObjectDate::Invalid
            }
        },
    };
    if date == ObjectDate::Missing {
        flags.insert("date_missing");
    }
    date
}

/// The interval of two numbers, beside a date in words.
pub(super) fn interval(interval: Interval, words: Option<&str>, flags: &mut FlagSet) -> ObjectDate {
    let Interval { begin, end } = interval;
    if begin == 0 && end == 0 {
        if words.is_none() {
            return ObjectDate::Missing;
        }
        flags.insert("date_zero_placeholder");
        return ObjectDate::Invalid;
    }
    if words.is_some_and(is_before_common_era) && begin > 0 {
        flags.insert("date_era_mismatch");
    }
    let is_reversed = begin > end;
    let is_implausible = end > LAST_PLAUSIBLE_YEAR || begin < FIRST_PLAUSIBLE_YEAR;
    if is_reversed {
        flags.insert("date_reversed");
    }
    if is_implausible {
        flags.insert("date_implausible");
    }
    if is_reversed || is_implausible {
        return ObjectDate::Invalid;
    }
    match words {
        None => flags.insert("date_text_missing"),
        Some(words) if begin == end && names_century(words, begin.unsigned_abs()) => {
            flags.insert("date_century_as_year");
        }
        Some(_) => {}
    }
    ObjectDate::Valid(interval)
}

/// An integer of at most seven digits.
fn year(cell: &str) -> Option<i32> {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    let is_year = (1..=7).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_year { cell.parse().ok() } else { None }
}

/// Whether the words name the century of that number, as in "ca. 2nd century".
fn names_century(words: &str, number: u32) -> bool {
    if number > LAST_CENTURY {
        return false;
    }
    let words = words.to_lowercase();
    words
        .match_indices(|c: char| c.is_ascii_digit())
        .any(|(start, _)| {
            let is_first_digit = !words[..start].ends_with(|c: char| c.is_ascii_digit());
            is_first_digit && century_at(&words[start..]) == Some(number)
        })
}

/// The number of a century spelled at the start of the text.
fn century_at(text: &str) -> Option<u32> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let after = &text[digits..];
    let rest = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|ending| after.strip_prefix(ending))?;
    let century = rest.find("centur")?;
    let between = &rest[..century];
    let is_near = between.chars().count() <= ORDINAL_REACH && !between.contains(|c: char| c.is_ascii_digit());
    if is_near {
        text[..digits].parse().ok()
    } else {
        None
    }
}

/// Whether the words speak of years before the common era only.
fn is_before_common_era(words: &str) -> bool {
    let undotted = words.replace('.', "").to_uppercase();
    let has = |eras: [&str; 2]| {
        undotted
            .split(|c: char| !c.is_alphabetic())
            .any(|word| eras.contains(&word))
    };
    has(["BC", "BCE"]) && !has(["AD", "CE"])
}
