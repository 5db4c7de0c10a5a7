//! From GeoJSON to the embedded catalogue: countries, first-level units and regions of Natural Earth, with GADM ids where
//! names match one to one.

mod crosswalk;
mod error;
mod feature;
mod tree;

use std::path::{Path, PathBuf};

use self::{
    crosswalk::Crosswalk,
    feature::{Feature, read_features},
    tree::Tree,
};
pub use self::{
    crosswalk::{Miss, Reason},
    error::ImportError,
};
use crate::catalogue::embedded::{Origin, file};

/// What a catalogue is made from.
#[derive(Debug, Clone)]
pub struct Inputs {
    /// Folder with `admin0.geojson`, `admin1.geojson` and `admin1_regions.geojson`.
    pub folder: PathBuf,
    /// Table of GADM ids with the columns `iso`, `aoi_id`, `country`, `subnational1`; without one only countries get ids.
    pub codes: Option<PathBuf>,
}

/// A catalogue that was made.
#[derive(Debug)]
pub struct Imported {
    /// The file's content.
    pub bytes: Vec<u8>,
    /// Countries in it.
    pub countries: usize,
    /// First-level and second-level units in it.
    pub units: usize,
    /// Regions in it.
    pub regions: usize,
    /// Units that carry a GADM id.
    pub coded: usize,
    /// GADM ids that no unit carries, each with the reason.
    pub misses: Vec<Miss>,
}

/// Makes a catalogue.
///
/// # Errors
/// An input that cannot be read or does not hold what it should.
pub fn import(inputs: &Inputs) -> Result<Imported, ImportError> {
    let read = |name: &str| read_features(&inputs.folder.join(name));
    let countries = read("admin0.geojson")?;
    let units = read("admin1.geojson")?;
    let regions = read("admin1_regions.geojson")?;
    let codes = match &inputs.codes {
        Some(path) => crosswalk::read_codes(path)?,
        None => Vec::new(),
    };
    make(countries, units, regions, &codes)
}

/// Makes a catalogue and writes it to a file, which is replaced as a whole or not at all.
///
/// # Errors
/// As [`import`], and if the file cannot be written.
pub fn import_to(inputs: &Inputs, output: &Path) -> Result<Imported, ImportError> {
    let imported = import(inputs)?;
    let unwritable = |source| ImportError::Write {
        path: output.to_owned(),
        source,
    };
    let draft = output.with_extension("partial");
    std::fs::write(&draft, &imported.bytes).map_err(unwritable)?;
    std::fs::rename(&draft, output).map_err(unwritable)?;
    Ok(imported)
}

fn make(
    countries: Vec<Feature>,
    units: Vec<Feature>,
    regions: Vec<Feature>,
    codes: &[crosswalk::Code],
) -> Result<Imported, ImportError> {
    let crosswalk = Crosswalk::new(codes, units.iter().chain(&regions));
    let (country_count, unit_count, region_count) = (countries.len(), units.len(), regions.len());
    let (records, shapes) = Tree::grow(countries, units, regions, &crosswalk)?;
    let origin = Origin {
        data: "Natural Earth 1:10m cultural vectors 5.1".to_owned(),
        licence: "public domain".to_owned(),
    };
    Ok(Imported {
        bytes: file::write(&origin, records, &shapes)?,
        countries: country_count,
        units: unit_count,
        regions: region_count,
        coded: crosswalk.coded_count(),
        misses: crosswalk.misses,
    })
}

#[cfg(test)]
mod tests;
