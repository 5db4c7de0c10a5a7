//! Statements that follow from the rows, with the figures they state. They are the template text, the list a model may
//! quote from, and the numbers every text is checked against.

use periplus_interpreter::statistics;

use super::frame::Figure;

/// A sentence and the figures in it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fact {
    pub(crate) text: String,
    pub(crate) figures: Vec<Stated>,
}

/// A figure that a sentence states.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stated {
    pub(crate) label: String,
    pub(crate) unit: String,
    pub(crate) figure: Figure,
}

/// One measure along one axis, to be put into words.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    /// What is measured, with the area: "Tree cover loss in Pará".
    pub(crate) noun: String,
    pub(crate) unit: &'static str,
    /// Names along the axis with their figures, in the order of the axis.
    pub(crate) items: Vec<(String, Figure)>,
    pub(crate) axis: Axis,
    /// Whether a total means something: losses of years add up, extents of years do not.
    pub(crate) additive: bool,
}

/// What the names along an axis are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axis {
    /// Years or periods, in order.
    Time,
    /// Months, in order. The first and the last may be cut, so no change from one to the other is stated.
    Months,
    /// Parts of a whole.
    Parts,
    /// Areas beside each other.
    Places,
}

/// The facts of a subject, the most important first.
pub(crate) fn of(subject: &Subject) -> Vec<Fact> {
    let items = &subject.items;
    let [(first_name, first), ..] = items.as_slice() else {
        return Vec::new();
    };
    if items.len() == 1 {
        let at = match subject.axis {
            Axis::Time | Axis::Months => format!(" in {first_name}"),
            Axis::Parts => format!(" ({first_name})"),
            Axis::Places if subject.noun.ends_with(first_name.as_str()) => String::new(),
            Axis::Places => format!(" for {first_name}"),
        };
        let stated = subject.stated(format!("{}{at}", subject.noun), first);
        return vec![Fact {
            text: format!("{}{at}: {}.", subject.noun, subject.say(first.value)),
            figures: vec![stated],
        }];
    }
    match subject.axis {
        Axis::Time | Axis::Months => over_time(subject),
        Axis::Parts | Axis::Places => beside_each_other(subject),
    }
}

impl Subject {
    fn stated(&self, label: impl Into<String>, figure: &Figure) -> Stated {
        Stated {
            label: label.into(),
            unit: self.unit.to_owned(),
            figure: figure.clone(),
        }
    }

    fn say(&self, value: f64) -> String {
        say(value, self.unit)
    }

    fn total(&self) -> Option<Figure> {
        let figures: Vec<&Figure> = self.items.iter().map(|(_, figure)| figure).collect();
        let values: Vec<f64> = figures.iter().map(|figure| figure.value).collect();
        let measure = measure(figures.first()?);
        let total = Figure::derived(statistics::sum(&values), format!("sum({measure})"), &figures);
        self.additive.then_some(total)
    }

    fn extreme(&self, is_better: fn(f64, f64) -> bool) -> Option<&(String, Figure)> {
        self.items.iter().reduce(|best, item| {
            if is_better(item.1.value, best.1.value) {
                item
            } else {
                best
            }
        })
    }
}

/// The measure that a figure was computed from.
fn measure(figure: &Figure) -> &str {
    figure
        .expression
        .strip_prefix("sum(")
        .and_then(|rest| rest.strip_suffix(')'))
        .unwrap_or(&figure.expression)
}

fn over_time(subject: &Subject) -> Vec<Fact> {
    let items = &subject.items;
    let ((start, first), (end, last)) = match items.as_slice() {
        [first, .., last] => ((&first.0, &first.1), (&last.0, &last.1)),
        _ => return Vec::new(),
    };
    let mut facts = Vec::new();
    if let Some(total) = subject.total() {
        facts.push(Fact {
            text: format!(
                "{} from {start} to {end}: {} in total.",
                subject.noun,
                subject.say(total.value)
            ),
            figures: vec![subject.stated(format!("{}, total from {start} to {end}", subject.noun), &total)],
        });
    }
    let change = Figure::derived(
        last.value - first.value,
        format!("{} - {}", at(last, end), at(first, start)),
        &[last, first],
    );
    let percent = statistics::pct(change.value, first.value.abs()).map(|value| {
        Figure::derived(
            value,
            format!("100 * ({}) / {}", change.expression, at(first, start)),
            &[last, first],
        )
    });
    if subject.axis != Axis::Months {
        facts.push(changed(
            subject,
            (start, first),
            (end, last),
            &change,
            percent.as_ref(),
        ));
    }
    if let (Some((most_at, most)), Some((least_at, least))) =
        (subject.extreme(|a, b| a > b), subject.extreme(|a, b| a < b))
        && items.len() > 2
    {
        facts.push(Fact {
            text: format!(
                "The highest value is {} in {most_at}, the lowest {} in {least_at}.",
                subject.say(most.value),
                subject.say(least.value)
            ),
            figures: vec![
                subject.stated(format!("{}, highest, in {most_at}", subject.noun), most),
                subject.stated(format!("{}, lowest, in {least_at}", subject.noun), least),
            ],
        });
    }
    facts
}

fn at(figure: &Figure, label: &str) -> String {
    format!("{}[{label}]", figure.expression)
}

fn changed(
    subject: &Subject,
    (start, first): (&str, &Figure),
    (end, last): (&str, &Figure),
    change: &Figure,
    percent: Option<&Figure>,
) -> Fact {
    let mut figures = vec![
        subject.stated(format!("{}, in {start}", subject.noun), first),
        subject.stated(format!("{}, in {end}", subject.noun), last),
        subject.stated(format!("{}, change from {start} to {end}", subject.noun), change),
    ];
    let verb = if change.value > 0.0 {
        "increased"
    } else if change.value < 0.0 {
        "decreased"
    } else {
        return Fact {
            text: format!(
                "{} was the same in {start} and in {end}: {}.",
                subject.noun,
                subject.say(first.value)
            ),
            figures,
        };
    };
    let by = percent.map(|percent| {
        figures.push(Stated {
            label: format!("{}, change from {start} to {end} in percent", subject.noun),
            unit: "%".to_owned(),
            figure: percent.clone(),
        });
        format!(" ({})", say(percent.value.abs(), "%"))
    });
    Fact {
        text: format!(
            "{} {verb} from {} in {start} to {} in {end}{}.",
            // The total, where there is one, has named the subject.
            if subject.additive {
                "The figure"
            } else {
                &subject.noun
            },
            subject.say(first.value),
            subject.say(last.value),
            by.unwrap_or_default()
        ),
        figures,
    }
}

fn beside_each_other(subject: &Subject) -> Vec<Fact> {
    let mut items: Vec<&(String, Figure)> = subject.items.iter().collect();
    items.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
    let mut facts = Vec::new();
    let Some((name, largest)) = items.first() else {
        return facts;
    };
    let total = subject.total();
    // A share of a whole that has negative parts means nothing.
    let whole = total
        .as_ref()
        .filter(|_| items.iter().all(|(_, figure)| figure.value >= 0.0));
    let share = whole.and_then(|whole| {
        let value = statistics::pct(largest.value, whole.value)?;
        Some(Figure::derived(
            value,
            format!("100 * {}[{name}] / {}", largest.expression, whole.expression),
            &[largest, whole],
        ))
    });
    let mut figures = vec![subject.stated(format!("{}, {name}", subject.noun), largest)];
    let mut text = format!(
        "{}: largest for {name} with {}",
        subject.noun,
        subject.say(largest.value)
    );
    if let (Some(total), Some(share)) = (whole, share) {
        text.push_str(&format!(
            ", {} of {} in total",
            say(share.value, "%"),
            subject.say(total.value)
        ));
        figures.push(subject.stated(format!("{}, total", subject.noun), total));
        figures.push(Stated {
            label: format!("{}, share of {name}", subject.noun),
            unit: "%".to_owned(),
            figure: share,
        });
    }
    text.push('.');
    facts.push(Fact { text, figures });
    if let [_, rest @ ..] = items.as_slice() {
        let next: Vec<String> = rest
            .iter()
            .take(2)
            .map(|(name, figure)| format!("{name} ({})", subject.say(figure.value)))
            .collect();
        let figures = rest
            .iter()
            .take(2)
            .map(|(name, figure)| subject.stated(format!("{}, {name}", subject.noun), figure));
        facts.push(Fact {
            figures: figures.collect(),
            text: format!("It is followed by {}.", next.join(" and ")),
        });
    }
    facts
}

/// A number with its unit, rounded as people say it.
pub(crate) fn say(value: f64, unit: &str) -> String {
    let digits = match value.abs() {
        large if large >= 100.0 => 0,
        middle if middle >= 1.0 => 2,
        0.0 => 0,
        _ => 5,
    };
    let digits = if unit == "%" {
        digits.clamp(1, 2).min(if value.abs() >= 1.0 { 1 } else { 2 })
    } else {
        digits
    };
    let number = periplus_chart::grouped(statistics::round_half_even(value, digits as i32), digits);
    if unit.is_empty() {
        number
    } else {
        format!("{number} {unit}")
    }
}
