//! JUnit XML, which test dashboards read.

use std::fmt::{self, Write as _};

use crate::{CaseReport, Report, SetReport, Verdict};

pub(crate) fn write(report: &Report) -> String {
    let mut xml =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"periplus eval\">\n".to_owned();
    for set in &report.sets {
        suite(&mut xml, set).expect("a text takes whatever is written to it");
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn suite(xml: &mut String, set: &SetReport) -> fmt::Result {
    writeln!(
        xml,
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">",
        escaped(&set.name),
        set.cases.len(),
        set.failures().count(),
        set.refused()
    )?;
    for case in &set.cases {
        test(xml, &set.name, case)?;
    }
    writeln!(xml, "  </testsuite>")
}

fn test(xml: &mut String, set: &str, case: &CaseReport) -> fmt::Result {
    let name = escaped(&format!("{}: {}", case.id, case.question));
    write!(
        xml,
        "    <testcase classname=\"{}\" name=\"{name}\"",
        escaped(set)
    )?;
    match &case.verdict {
        Verdict::Passed => writeln!(xml, "/>"),
        Verdict::Refused { reason } => {
            writeln!(xml, "><skipped message=\"{}\"/></testcase>", escaped(reason))
        }
        Verdict::Failed { expected, got } => writeln!(
            xml,
            "><failure message=\"{}\">{}</failure></testcase>",
            escaped(&format!("expected {expected}")),
            escaped(&format!("expected {expected}\ngot {got}"))
        ),
    }
}

/// A text without what has a meaning in XML, and without what XML cannot hold.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_is_a_case_and_no_text_breaks_the_document() {
        let case = |verdict| CaseReport {
            id: "1".to_owned(),
            question: "is \"a\" < b & c\u{1}?".to_owned(),
            verdict,
        };
        let refused = Verdict::Refused {
            reason: "not held".to_owned(),
        };
        let set = SetReport {
            name: "areas".to_owned(),
            cases: vec![
                case(Verdict::Passed),
                case(refused),
                case(Verdict::failed("<x>", "y\nz")),
            ],
        };
        let xml = write(&Report { sets: vec![set] });
        for part in [
            r#"<testsuite name="areas" tests="3" failures="1" skipped="1">"#,
            r#"name="1: is &quot;a&quot; &lt; b &amp; c ?"/>"#,
            r#"<skipped message="not held"/>"#,
            r#"<failure message="expected &lt;x&gt;">expected &lt;x&gt;&#10;got y&#10;z</failure>"#,
        ] {
            assert!(xml.contains(part), "{part} is missing in\n{xml}");
        }
    }
}
