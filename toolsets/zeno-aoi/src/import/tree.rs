//! The administrative tree: countries, then regions, then units, each after what it lies in.

use std::collections::{HashMap, HashSet};

use super::{
    ImportError,
    crosswalk::{Crosswalk, Matched},
    feature::{Feature, Properties, distinct},
};
use crate::{Bounds, Shape, Source, Subtype, catalogue::embedded::Record, fold};

/// Short forms, former names and the like that the data lacks.
const ALIASES: &str = include_str!("aliases.csv");

/// The aliases of an area of the data.
pub(super) fn aliases(id: &str) -> impl Iterator<Item = &'static str> {
    let lines = ALIASES.lines().skip(1).filter_map(|line| line.split_once(','));
    lines.filter_map(move |(of, alias)| (of == id).then_some(alias))
}

/// Records and shapes while they are collected.
pub(super) struct Tree<'a> {
    crosswalk: &'a Crosswalk,
    records: Vec<Record>,
    shapes: Vec<Shape>,
    /// Position by id in the data.
    positions: HashMap<String, usize>,
    /// Position of a country by its code in the data.
    countries: HashMap<String, usize>,
    /// Countries whose first level is the regions.
    with_regions: HashSet<String>,
    /// Position of the region that a unit lies in, for units of those countries.
    region_of: HashMap<String, usize>,
}

impl<'a> Tree<'a> {
    pub(super) fn grow(
        countries: Vec<Feature>,
        units: Vec<Feature>,
        regions: Vec<Feature>,
        crosswalk: &'a Crosswalk,
    ) -> Result<(Vec<Record>, Vec<Shape>), ImportError> {
        let mut tree = Self {
            crosswalk,
            records: Vec::new(),
            shapes: Vec::new(),
            positions: HashMap::new(),
            countries: HashMap::new(),
            with_regions: coded_countries(&regions, crosswalk),
            region_of: HashMap::new(),
        };
        for country in countries {
            tree.country(country)?;
        }
        for region in regions {
            tree.region(region)?;
        }
        for unit in units {
            tree.unit(unit)?;
        }
        tell_namesakes_apart(&mut tree.records);
        Ok((tree.records, tree.shapes))
    }

    fn country(&mut self, feature: Feature) -> Result<(), ImportError> {
        let properties = &feature.properties;
        let (source, id) = match properties.iso3() {
            Some(iso3) => (Source::Gadm, iso3.to_owned()),
            None => (Source::NaturalEarth, properties.id.clone()),
        };
        let mut record = record(properties, source, id, Subtype::Country, shown_name(properties));
        [record.continent, record.region] = properties.world_parts();
        // Requests name countries by their code: `Occitanie (FRA)`.
        record.other_names.extend(record.iso3.clone());
        let code = properties.adm0_a3.clone();
        let position = self.add(record, feature)?;
        self.countries.insert(code, position);
        Ok(())
    }

    fn region(&mut self, feature: Feature) -> Result<(), ImportError> {
        let country = self.country_of(&feature.properties);
        let members = feature.properties.members.clone();
        let is_level = self.with_regions.contains(&feature.properties.adm0_a3);
        let mut record = self.first_level(&feature.properties, country);
        record.is_beside = !is_level;
        let position = self.add(record, feature)?;
        if is_level {
            self.region_of
                .extend(members.into_iter().map(|member| (member, position)));
        }
        Ok(())
    }

    fn unit(&mut self, feature: Feature) -> Result<(), ImportError> {
        let properties = &feature.properties;
        let country = self.country_of(properties);
        let region = self.region_of.get(&properties.id).copied();
        let record = match region.zip(self.records.get(region.unwrap_or_default())) {
            // GADM knows it as a first-level unit, whatever region it lies in.
            Some(_) if self.crosswalk.of(&properties.id).is_some() => self.first_level(properties, country),
            Some((position, region)) => {
                let name = format!("{}, {}", shown_name(properties), region.name);
                let id = properties.id.clone();
                let mut record = record(
                    properties,
                    Source::NaturalEarth,
                    id,
                    Subtype::DistrictCounty,
                    name,
                );
                record.parent = Some(position);
                record
            }
            None => self.first_level(properties, country),
        };
        self.add(record, feature).map(drop)
    }

    fn first_level(&self, properties: &Properties, country: Option<usize>) -> Record {
        let matched = self.crosswalk.of(&properties.id);
        let (source, id) = match matched {
            Some(matched) => (Source::Gadm, matched.id.clone()),
            None => (Source::NaturalEarth, properties.id.clone()),
        };
        let country_name = country.and_then(|country| Some(self.records.get(country)?.name.as_str()));
        let name = match country_name.or(properties.country.as_deref()) {
            Some(country) => format!("{}, {country}", shown_name(properties)),
            None => shown_name(properties),
        };
        let mut record = record(properties, source, id, Subtype::StateProvince, name);
        record.parent = country;
        if let Some(Matched { name, .. }) = matched {
            let more = distinct([name], &record.own_names);
            record.own_names.extend(more);
            record.other_names = distinct(&record.other_names, &record.own_names);
        }
        record
    }

    /// The country of a unit. Where the countries have been drawn otherwise than the units, the code of ISO decides; a few
    /// units are left that lie in none of them.
    fn country_of(&self, properties: &Properties) -> Option<usize> {
        let codes = [Some(&properties.adm0_a3), properties.iso_a3.as_ref()];
        codes
            .into_iter()
            .flatten()
            .find_map(|code| self.countries.get(code).copied())
    }

    fn add(&mut self, mut record: Record, feature: Feature) -> Result<usize, ImportError> {
        let position = self.records.len();
        if record.iso3.is_none() {
            let parent = record.parent.and_then(|parent| self.records.get(parent));
            record.iso3 = parent.and_then(|parent| parent.iso3.clone());
        }
        if self
            .positions
            .insert(feature.properties.id.clone(), position)
            .is_some()
        {
            return Err(ImportError::Twice {
                id: feature.properties.id,
            });
        }
        self.records.push(record);
        self.shapes.push(Shape(feature.geometry.coordinates));
        Ok(position)
    }
}

/// Countries in which GADM's first level is the regions, by their code in the data.
fn coded_countries(regions: &[Feature], crosswalk: &Crosswalk) -> HashSet<String> {
    let coded = regions
        .iter()
        .filter(|region| crosswalk.of(&region.properties.id).is_some());
    coded.map(|region| region.properties.adm0_a3.clone()).collect()
}

fn record(properties: &Properties, source: Source, id: String, subtype: Subtype, name: String) -> Record {
    let own_names = properties.own_names();
    let aliases: Vec<String> = aliases(&properties.id).map(str::to_owned).collect();
    let other_names = distinct(properties.names.iter().chain(&aliases), &own_names);
    Record {
        source,
        id,
        name,
        subtype,
        kind: properties.kind.clone(),
        bounds: Bounds { ..properties.bbox },
        iso3: properties.iso3().map(str::to_owned),
        area_km2: Some(properties.area_km2),
        continent: None,
        region: None,
        parent: None,
        is_beside: false,
        own_names,
        other_names,
        shape_bytes: 0,
    }
}

/// The name without commas, which separate it from the names of what it lies in.
fn shown_name(properties: &Properties) -> String {
    properties.name.replace(',', "")
}

/// Gives units of one country that would be shown under one name another one of their own names, else their kind.
fn tell_namesakes_apart(records: &mut [Record]) {
    let namesakes = |records: &[Record]| {
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (position, record) in records.iter().enumerate() {
            by_name.entry(fold(&record.name)).or_default().push(position);
        }
        by_name.retain(|_, positions| positions.len() > 1);
        by_name.into_values().flatten().collect::<Vec<_>>()
    };
    for position in namesakes(records) {
        let record = &mut records[position];
        let (own, rest) = split_name(&record.name);
        let another = record.own_names.iter().find(|name| fold(name) != fold(own));
        if let Some(another) = another {
            record.name = format!("{another}{rest}");
        }
    }
    for position in namesakes(records) {
        let record = &mut records[position];
        if let Some(kind) = &record.kind {
            let (own, rest) = split_name(&record.name);
            record.name = format!("{own} ({kind}){rest}");
        }
    }
}

/// The own name, and the rest of the name from the first comma on.
fn split_name(name: &str) -> (&str, &str) {
    name.split_at(name.find(',').unwrap_or(name.len()))
}
