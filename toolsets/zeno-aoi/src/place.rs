//! A place as a request names it: a name, what it lies in, and what is said about its kind.

use crate::{
    Area, Source, Subtype,
    area::without_revision,
    catalogue::embedded::{Embedded, Record},
    fold,
    world_part::WorldPart,
};

/// The most parts of a name that are looked at; no area lies in more.
const MAX_PARENTS: usize = 6;

/// A place as a request names it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// Its own name.
    pub name: String,
    /// What it is said to lie in, from the inside out.
    pub parents: Vec<String>,
    /// The source it must come from, if the request says what kind of area it is.
    pub source: Option<Source>,
    /// The subtype it must have.
    pub subtype: Option<Subtype>,
    /// The country it must lie in, as an ISO 3166-1 alpha-3 code.
    pub iso3: Option<String>,
    /// What its country calls such a unit, if the request says so: `state`.
    pub kind: Option<String>,
    /// What it is said not to be, and not to lie in.
    pub excluded: Vec<Self>,
}

impl Place {
    /// Reads `Puri, Odisha, India`, or a candidate as it was listed: `Puri, Odisha, India - (district-county) [IND]`.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut place = Self::default();
        let mut rest = text.trim();
        while let Some((before, open, inside)) = bracketed(rest) {
            if place.constrain(open, inside) {
                rest = before.trim_end().trim_end_matches('-').trim_end();
            } else {
                break;
            }
        }
        let mut parts = rest.split(',').map(str::trim).filter(|part| !part.is_empty());
        place.name = parts.next().unwrap_or_default().to_owned();
        place.parents = parts.take(MAX_PARENTS).map(str::to_owned).collect();
        place
    }

    /// The name with what it lies in.
    #[must_use]
    pub fn text(&self) -> String {
        let parts: Vec<&str> = std::iter::once(&self.name)
            .chain(&self.parents)
            .map(String::as_str)
            .collect();
        parts.join(", ")
    }

    /// Takes a bracket of a listed candidate as a constraint; false if it is something else.
    fn constrain(&mut self, open: char, inside: &str) -> bool {
        let is_code = inside.len() == 3 && inside.bytes().all(|byte| byte.is_ascii_uppercase());
        match (open, Subtype::parse(inside)) {
            ('(', Some(subtype)) => self.subtype = Some(subtype),
            ('[', _) if is_code => self.iso3 = Some(inside.to_owned()),
            _ => return false,
        }
        true
    }

    /// Whether the request says in words where the place lies.
    #[must_use]
    pub fn is_located(&self) -> bool {
        !self.parents.is_empty() || self.iso3.is_some()
    }

    /// Whether an area lies in everything the place is said to lie in, and is of the kind it is said to be.
    ///
    /// Countries and first-level units may be named in any language the gazetteer knows.
    pub(crate) fn admits(&self, area: &Area, gazetteer: &Embedded) -> bool {
        let is_kind = self.subtype.is_none_or(|subtype| subtype == area.subtype);
        let is_country = self.iso3.is_none() || self.iso3 == area.iso3;
        is_kind
            && is_country
            && self.parents.iter().all(|parent| lies_in(area, parent, gazetteer))
            && !self.excluded.iter().any(|other| other.covers(area, gazetteer))
    }

    /// Whether an area is this place or, unless one of several namesakes is meant, lies in it.
    pub(crate) fn covers(&self, area: &Area, gazetteer: &Embedded) -> bool {
        let folded = fold(&self.name);
        let is_named = fold(area.short_name()) == folded
            || gazetteer
                .named(&folded)
                .any(|known| known.source == area.source && known.id == without_revision(&area.id));
        if is_named && self.admits(area, gazetteer) {
            return true;
        }
        self.subtype.is_none()
            && std::iter::once(&self.name)
                .chain(&self.parents)
                .all(|of| lies_in(area, of, gazetteer))
    }
}

/// Whether an area lies in what is named.
fn lies_in(area: &Area, parent: &str, gazetteer: &Embedded) -> bool {
    let folded = fold(parent);
    let is_named_so = |name: &str| fold(name) == folded;
    if area.parents().any(is_named_so) || area.iso3.as_deref().is_some_and(|iso3| iso3 == parent.trim()) {
        return true;
    }
    if let Some(part) = WorldPart::named(&folded) {
        let is_its_country = |country: &Record| country.iso3.is_some() && country.iso3 == area.iso3;
        return gazetteer.countries_of(part).any(is_its_country);
    }
    gazetteer.named(&folded).any(|known| {
        let is_same_country = known.iso3.is_some() && known.iso3 == area.iso3;
        let known = known.area();
        is_same_country
            && (known.level() == Some(0) || area.parents().any(|name| fold(name) == fold(known.short_name())))
    })
}

/// The text before a bracket at the end of `text`, the bracket, and what stands in it.
fn bracketed(text: &str) -> Option<(&str, char, &str)> {
    let open = match text.chars().next_back()? {
        ')' => '(',
        ']' => '[',
        _ => return None,
    };
    let (before, inside) = text.rsplit_once(open)?;
    Some((before, open, inside.get(..inside.len() - 1)?.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_split_from_what_it_lies_in() {
        let place = Place::parse(" Puri, Odisha ,India ");
        assert_eq!(place.name, "Puri");
        assert_eq!(place.parents, ["Odisha", "India"]);
        assert_eq!(place.text(), "Puri, Odisha, India");
    }

    #[test]
    fn a_candidate_can_be_answered_as_it_was_listed() {
        let place = Place::parse("Puri, Odisha, India - (district-county) [IND]");
        assert_eq!(place.text(), "Puri, Odisha, India");
        assert_eq!(place.subtype, Some(Subtype::DistrictCounty));
        assert_eq!(place.iso3.as_deref(), Some("IND"));
    }

    #[test]
    fn other_brackets_belong_to_the_name() {
        assert_eq!(
            Place::parse("Hamilton (Parish), Bermuda").name,
            "Hamilton (Parish)"
        );
        assert_eq!(Place::parse("Bar (old)").name, "Bar (old)");
    }
}
