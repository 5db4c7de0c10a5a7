//! Charts and facts for every dataset, computed without a model.
//!
//! Each file knows one kind of data: which chart fits, what may be added up, and what must never be.

mod alerts;
mod crops;
mod drivers;
mod fires;
pub(super) mod flux;
mod inventory;
mod land_cover;
mod natural;
mod over_time;
mod tree_cover;

use periplus_chart::unit;

use super::{
    facts::{Axis, Fact, Subject},
    frame::{Frame, NAME},
    sketch::Sketch,
};
use crate::{
    catalogue::{Dataset, Endpoint},
    choice::{Phrases, Words},
    statistics::Statistics,
};

/// Most slices of a pie.
const MAX_SLICES: usize = 8;
/// Most places side by side; more are a table.
const MAX_PLACES: usize = 8;
/// Most bars of a ranking; more are a table.
const MAX_BARS: usize = 20;

/// The question, the rows, and what is known about them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Study<'a> {
    pub(crate) dataset: &'a Dataset,
    pub(crate) frame: &'a Frame,
    pub(crate) record: &'a Statistics,
    pub(crate) question: &'a Words,
}

/// What a generator makes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Draft {
    pub(crate) sketches: Vec<Sketch>,
    pub(crate) facts: Vec<Fact>,
    /// What a reader has to know about how the charts were made.
    pub(crate) notes: Vec<String>,
}

impl Draft {
    fn of(sketch: Sketch, facts: Vec<Fact>) -> Self {
        Self {
            sketches: vec![sketch],
            facts,
            notes: Vec::new(),
        }
    }

    fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

/// The charts and facts for a question; no chart if the rows hold nothing but zeros.
pub(crate) fn draft(study: Study<'_>) -> Draft {
    match study.dataset.endpoint {
        Endpoint::DistAlerts => alerts::disturbance(study),
        Endpoint::IntegratedAlerts => alerts::integrated(study),
        Endpoint::LandCoverChange | Endpoint::LandCoverComposition => {
            if study.frame.has(land_cover::START) {
                land_cover::change(study)
            } else {
                land_cover::composition(study)
            }
        }
        Endpoint::Grasslands => over_time::grasslands(study),
        Endpoint::NaturalLands => natural::natural_lands(study),
        Endpoint::TreeCoverLoss if study.frame.has(fires::FIRES) => fires::fires(study),
        Endpoint::TreeCoverLoss if study.frame.has(drivers::DRIVER) => drivers::drivers(study),
        Endpoint::TreeCoverLoss => over_time::loss(study),
        Endpoint::TreeCoverGain => over_time::gain(study),
        Endpoint::TreeCover => tree_cover::tree_cover(study),
        Endpoint::CarbonFlux => flux::net_flux(study),
        Endpoint::EmissionFactors => crops::crops(study),
        Endpoint::LandInventory => inventory::inventory(study),
    }
}

impl Study<'_> {
    /// Whether the question has one of these words or phrases.
    fn asks(&self, phrases: &str) -> bool {
        Phrases::of(phrases).occur_in(self.question)
    }

    /// The names of the areas in the rows.
    fn places(&self) -> Vec<String> {
        self.frame.all().distinct(NAME)
    }

    /// The areas in a few words: the name of the selection is the user's own.
    pub(crate) fn area(&self) -> String {
        let places = self.places();
        match places.as_slice() {
            [place] => place.clone(),
            _ if !self.record.selection_name.is_empty() => self.record.selection_name.clone(),
            [] => "the selected areas".to_owned(),
            [first, .., last] if places.len() <= 3 => {
                let middle: Vec<&str> = places[1..places.len() - 1].iter().map(String::as_str).collect();
                let commas: String = middle.iter().map(|name| format!(", {name}")).collect();
                format!("{first}{commas} and {last}")
            }
            _ => format!("{} areas", places.len()),
        }
    }

    /// A subject with the layer, where one limits the rows: "Tree cover loss in primary forest".
    fn noun(&self, subject: &str) -> String {
        match self.record.context_layer.as_deref() {
            Some("primary_forest") => format!("{subject} in primary forest"),
            Some("intact_forest") => format!("{subject} in intact forest landscapes"),
            _ => subject.to_owned(),
        }
    }

    /// A title: what, where and when.
    fn title(&self, noun: &str, when: &str) -> String {
        let when = if when.is_empty() {
            String::new()
        } else {
            format!(", {when}")
        };
        format!("{noun} in {}{when}", self.area())
    }

    /// The first and last of times in the rows: "2015–2022", also of periods such as "2015-2020".
    fn span(times: &[String]) -> String {
        let (Some(first), Some(last)) = (times.first(), times.last()) else {
            return String::new();
        };
        let start = first.split('-').next().unwrap_or(first);
        let end = last.rsplit('-').next().unwrap_or(last);
        if start == end {
            end.to_owned()
        } else {
            format!("{start}–{end}")
        }
    }

    /// The facts of the sketch's own rows.
    fn facts(&self, sketch: &Sketch, measure: &str, noun: &str, axis: Axis, additive: bool) -> Vec<Fact> {
        let noun = match axis {
            Axis::Places => noun.to_owned(),
            Axis::Time | Axis::Months | Axis::Parts => format!("{noun} in {}", self.area()),
        };
        super::facts::of(&Subject {
            noun,
            unit: unit(measure).unwrap_or_default(),
            items: sketch.items(measure),
            axis,
            additive,
        })
    }
}
