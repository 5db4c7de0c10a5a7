//! What became of the questions.

use serde::Serialize;
use serde_json::{Value, json};

use crate::junit;

/// What became of one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum Verdict {
    /// The answer is the expected one.
    Passed,
    /// The data do not hold what is asked for, and the tools said so instead of answering something else.
    Refused {
        /// What is not held, and what was said.
        reason: String,
    },
    /// The answer is another one, or there is none.
    Failed {
        /// The expected answer.
        expected: String,
        /// What the tools answered.
        got: String,
    },
}

impl Verdict {
    /// A failure in words.
    pub(crate) fn failed(expected: &(impl ToString + ?Sized), got: &(impl ToString + ?Sized)) -> Self {
        Self::Failed {
            expected: expected.to_string(),
            got: got.to_string(),
        }
    }
}

/// One question with what became of it.
#[derive(Debug, Clone, Serialize)]
pub struct CaseReport {
    /// Its id in the table, or the line it is on.
    pub id: String,
    /// The question as it was asked.
    pub question: String,
    /// What became of it.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// One set with what became of its questions.
#[derive(Debug, Clone)]
pub struct SetReport {
    /// Name of the set, or path of its file.
    pub name: String,
    /// Its questions, in the order of the table.
    pub cases: Vec<CaseReport>,
}

/// All sets.
#[derive(Debug, Clone)]
pub struct Report {
    /// The sets, in the order in which they were asked.
    pub sets: Vec<SetReport>,
}

impl SetReport {
    /// How many questions were answered as expected.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.count(|verdict| matches!(verdict, Verdict::Passed))
    }

    /// How many were refused because the data do not hold the answer.
    #[must_use]
    pub fn refused(&self) -> usize {
        self.count(|verdict| matches!(verdict, Verdict::Refused { .. }))
    }

    /// The questions that were answered wrongly, or not at all.
    pub fn failures(&self) -> impl Iterator<Item = &CaseReport> {
        let is_failed = |case: &&CaseReport| matches!(case.verdict, Verdict::Failed { .. });
        self.cases.iter().filter(is_failed)
    }

    /// Share of the questions that were answered as expected, among those that the data can answer: 0 to 1. None if they
    /// can answer none of them.
    #[must_use]
    pub fn accuracy(&self) -> Option<f64> {
        let answerable = self.cases.len() - self.refused();
        (answerable > 0).then(|| self.passed() as f64 / answerable as f64)
    }

    /// Whether the accuracy is at least `threshold`, 0 to 1. A set without an answerable question has no wrong answer.
    #[must_use]
    pub fn reaches(&self, threshold: f64) -> bool {
        self.accuracy().is_none_or(|accuracy| accuracy >= threshold)
    }

    fn count(&self, is_counted: impl Fn(&Verdict) -> bool) -> usize {
        self.cases.iter().filter(|case| is_counted(&case.verdict)).count()
    }

    fn json(&self, threshold: f64) -> Value {
        json!({
            "name": self.name,
            "rows": self.cases.len(),
            "passed": self.passed(),
            "refused": self.refused(),
            "failed": self.failures().count(),
            "accuracy": self.accuracy(),
            "reaches_threshold": self.reaches(threshold),
            "cases": self.cases,
        })
    }
}

impl Report {
    /// Whether every set reaches the threshold, 0 to 1.
    #[must_use]
    pub fn reaches(&self, threshold: f64) -> bool {
        self.sets.iter().all(|set| set.reaches(threshold))
    }

    /// Everything, for programs.
    #[must_use]
    pub fn json(&self, threshold: f64) -> Value {
        let sets: Vec<Value> = self.sets.iter().map(|set| set.json(threshold)).collect();
        json!({ "threshold": threshold, "reaches_threshold": self.reaches(threshold), "sets": sets })
    }

    /// Everything as JUnit XML: a suite for each set, a case for each question; one that was refused counts as skipped.
    #[must_use]
    pub fn junit(&self) -> String {
        junit::write(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(verdicts: &[Verdict]) -> SetReport {
        let case = |verdict: &Verdict| CaseReport {
            id: "1".to_owned(),
            question: "?".to_owned(),
            verdict: verdict.clone(),
        };
        SetReport {
            name: "set".to_owned(),
            cases: verdicts.iter().map(case).collect(),
        }
    }

    #[test]
    fn what_was_refused_is_neither_passed_nor_part_of_the_accuracy() {
        let refused = Verdict::Refused {
            reason: "not held".to_owned(),
        };
        let failed = Verdict::failed("a", "b");
        let set = report(&[
            Verdict::Passed,
            Verdict::Passed,
            Verdict::Passed,
            refused.clone(),
            failed,
        ]);
        assert_eq!((set.passed(), set.refused(), set.accuracy()), (3, 1, Some(0.75)));
        assert!(set.reaches(0.75) && !set.reaches(0.76));
        let nothing = report(&[refused]);
        assert_eq!(nothing.accuracy(), None);
        assert!(nothing.reaches(1.0));
    }

    #[test]
    fn one_set_under_the_threshold_is_enough() {
        let report = Report {
            sets: vec![report(&[Verdict::Passed]), report(&[Verdict::failed("a", "b")])],
        };
        assert!(!report.reaches(0.9));
        assert_eq!(report.json(0.9)["sets"][1]["cases"][0]["expected"], "a");
    }
}
