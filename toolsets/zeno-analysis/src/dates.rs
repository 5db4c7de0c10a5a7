//! Spans of days: what is asked for, what a dataset has, and both together.

use chrono::{Datelike as _, NaiveDate};
use periplus_toolset::ToolError;

/// First and last day, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Period {
    pub(crate) start: NaiveDate,
    pub(crate) end: NaiveDate,
}

/// What a caller asks for; either end may be open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    start: Option<NaiveDate>,
    end: Option<NaiveDate>,
}

/// What of a request a dataset can serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Clamped {
    pub(crate) period: Period,
    /// The request, with open ends filled in.
    pub(crate) asked: Period,
}

/// Why dates cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DateError {
    #[error("{text:?} is no date; write YYYY-MM-DD, YYYY-MM or YYYY")]
    Malformed { parameter: &'static str, text: String },
    #[error("the period ends before it starts ({start} to {end})")]
    Reversed { start: NaiveDate, end: NaiveDate },
    #[error("{asked} is asked for, and the data cover {available}")]
    Outside { asked: Period, available: Period },
}

impl std::fmt::Display for Period {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} to {}", self.start, self.end)
    }
}

impl Period {
    /// Whole years from the first to the last.
    pub(crate) fn of_years(first: i32, last: i32) -> Option<Self> {
        Some(Self {
            start: NaiveDate::from_ymd_opt(first, 1, 1)?,
            end: NaiveDate::from_ymd_opt(last, 12, 31)?,
        })
    }

    pub(crate) fn years(self) -> (i32, i32) {
        (self.start.year(), self.end.year())
    }

    /// The days that both have.
    pub(crate) fn overlap(self, other: Self) -> Option<Self> {
        let both = Self {
            start: self.start.max(other.start),
            end: self.end.min(other.end),
        };
        (both.start <= both.end).then_some(both)
    }
}

impl Clamped {
    /// Whether less, or other days, than asked for are served.
    pub(crate) fn is_changed(self) -> bool {
        self.period != self.asked
    }

    /// Refuses what has none of the days that were asked for, as fixed content may.
    pub(crate) fn checked(self) -> Result<Self, DateError> {
        match self.period.overlap(self.asked) {
            Some(_) => Ok(self),
            None => Err(DateError::Outside {
                asked: self.asked,
                available: self.period,
            }),
        }
    }
}

impl Asked {
    pub(crate) fn of(start: Option<NaiveDate>, end: Option<NaiveDate>) -> Self {
        Self { start, end }
    }

    /// Whether nothing was asked for.
    pub(crate) fn is_open(self) -> bool {
        self == Self::default()
    }

    /// Reads two dates; a year or a month stands for its first or last day.
    pub(crate) fn parse(start: Option<&str>, end: Option<&str>) -> Result<Self, DateError> {
        let read =
            |text: Option<&str>, parameter, edge| match text.map(str::trim).filter(|text| !text.is_empty()) {
                Some(text) => parse(text, edge).map(Some).ok_or_else(|| DateError::Malformed {
                    parameter,
                    text: text.to_owned(),
                }),
                None => Ok(None),
            };
        let asked = Self {
            start: read(start, "start_date", Edge::First)?,
            end: read(end, "end_date", Edge::Last)?,
        };
        match (asked.start, asked.end) {
            (Some(start), Some(end)) if end < start => Err(DateError::Reversed { start, end }),
            _ => Ok(asked),
        }
    }

    /// Fits the request into what is available; fixed content is served whole, whatever is asked for.
    pub(crate) fn clamp(self, available: Period, is_fixed: bool) -> Result<Clamped, DateError> {
        // An open end is that of the data, unless the other end lies beyond it.
        let (start, end) = (
            self.start.unwrap_or(available.start),
            self.end.unwrap_or(available.end),
        );
        let asked = Period {
            start: self.start.unwrap_or(start.min(end)),
            end: self.end.unwrap_or(end.max(start)),
        };
        let period = if is_fixed {
            available
        } else {
            available
                .overlap(asked)
                .ok_or(DateError::Outside { asked, available })?
        };
        Ok(Clamped { period, asked })
    }
}

impl From<DateError> for ToolError {
    fn from(error: DateError) -> Self {
        match &error {
            DateError::Malformed { parameter, .. } => {
                Self::invalid_argument(format!("/{parameter}"), error.to_string())
            }
            DateError::Reversed { .. } => Self::invalid_argument("/end_date", error.to_string()),
            DateError::Outside { .. } => Self::new(
                "outside_period",
                format!(
                    "Nothing can be answered for these dates: {error}. Tell the user which period is covered and ask for dates within it."
                ),
            ),
        }
    }
}

#[derive(Clone, Copy)]
enum Edge {
    First,
    Last,
}

fn parse(text: &str, edge: Edge) -> Option<NaiveDate> {
    let parts: Vec<&str> = text.split('-').collect();
    let digits = |part: &str, count: usize| {
        (part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| part.parse::<u32>().ok())?
    };
    let year = i32::try_from(digits(parts.first()?, 4)?).ok()?;
    match (parts.get(1), parts.get(2), parts.len()) {
        (None, ..) => {
            let year = Period::of_years(year, year)?;
            Some(if matches!(edge, Edge::First) {
                year.start
            } else {
                year.end
            })
        }
        (Some(month), None, _) => {
            let first = NaiveDate::from_ymd_opt(year, digits(month, 2)?, 1)?;
            match edge {
                Edge::First => Some(first),
                Edge::Last => first.checked_add_months(chrono::Months::new(1))?.pred_opt(),
            }
        }
        (Some(month), Some(day), 3) => NaiveDate::from_ymd_opt(year, digits(month, 2)?, digits(day, 2)?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn a_year_and_a_month_stand_for_their_first_or_last_day() {
        for (start, end, expected) in [
            ("2020", "2021", ("2020-01-01", "2021-12-31")),
            ("2020-02", "2020-02", ("2020-02-01", "2020-02-29")),
            ("2021-12", "2021-12", ("2021-12-01", "2021-12-31")),
            (" 2020-05-06 ", "2020-05-06", ("2020-05-06", "2020-05-06")),
        ] {
            let asked = Asked::parse(Some(start), Some(end)).unwrap();
            assert_eq!(asked.start, Some(day(expected.0)));
            assert_eq!(asked.end, Some(day(expected.1)));
        }
        assert_eq!(Asked::parse(None, Some("")).unwrap(), Asked::default());
    }

    #[test]
    fn what_is_no_date_is_refused_with_its_parameter() {
        for text in [
            "last year",
            "2020-13",
            "2020-02-30",
            "2020-1-1",
            "20",
            "2020-01-01-01",
            "2020/01/01",
            "२०२०",
        ] {
            let error = Asked::parse(None, Some(text)).unwrap_err();
            assert!(
                matches!(
                    error,
                    DateError::Malformed {
                        parameter: "end_date",
                        ..
                    }
                ),
                "{text}"
            );
        }
    }

    #[test]
    fn a_period_that_ends_before_it_starts_is_refused_and_not_swapped() {
        let error = Asked::parse(Some("2021"), Some("2020")).unwrap_err();
        assert!(matches!(error, DateError::Reversed { .. }));
    }

    #[test]
    fn a_request_wholly_outside_is_refused_unless_the_content_is_fixed() {
        let available = Period::of_years(2001, 2025).unwrap();
        let asked = Asked::parse(Some("1990"), Some("1995")).unwrap();
        assert!(matches!(
            asked.clamp(available, false),
            Err(DateError::Outside { .. })
        ));
        let clamped = asked.clamp(available, true).unwrap();
        assert!(clamped.period == available && clamped.is_changed());
        let open = Asked::parse(Some("2030"), None).unwrap().clamp(available, false);
        assert!(
            open.unwrap_err()
                .to_string()
                .starts_with("2030-01-01 to 2030-01-01 is asked for"),
            "an open end is not before its start"
        );
        // It may be chosen, with a warning, and is not pulled for days it says nothing about.
        assert!(matches!(clamped.checked(), Err(DateError::Outside { .. })));
    }
}
