//! The command line of `aoi`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Search catalogues of areas, and make them
#[derive(Debug, Subcommand)]
pub(crate) enum Aoi {
    /// Search areas by name, or list them
    Search(AoiSearch),
    /// Make a catalogue from GeoJSON, or load one into PostGIS
    Import(AoiImport),
}

/// Search areas by name, or list them
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  periplus aoi search 'Para, Brazil'
  periplus aoi search Lisbonne --json
  periplus aoi search --source gadm --limit 100 --offset 200")]
pub(crate) struct AoiSearch {
    /// The name, with what it lies in after commas; without one, areas are listed by name
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Search in this source only: gadm, kba, wdpa, landmark or naturalearth
    #[arg(long, value_name = "SOURCE")]
    pub(crate) source: Option<String>,
    /// Areas to show, 200 at most
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    pub(crate) limit: usize,
    /// Areas to skip, 10000 at most
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub(crate) offset: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Make a catalogue from GeoJSON, or load one into PostGIS
#[derive(Debug, Args)]
#[command(after_long_help = "\
The folder holds admin0.geojson, admin1.geojson and admin1_regions.geojson with the attributes of
Natural Earth. The table of codes has the columns iso, aoi_id, country and subnational1. A unit gets
a GADM id only if country and name match one to one; what stays open is listed.

Examples:
  periplus aoi import --from-geojson naturalearth --gadm-codes adm1_codes.csv --output areas.bin
  DATABASE_URL=postgresql://me@localhost/areas periplus aoi import --to-postgis")]
pub(crate) struct AoiImport {
    /// Folder with the GeoJSON files; the shipped catalogue is taken if none is named
    #[arg(long, value_name = "DIR")]
    pub(crate) from_geojson: Option<PathBuf>,
    /// Table of GADM ids and names
    #[arg(long, value_name = "FILE", requires = "from_geojson")]
    pub(crate) gadm_codes: Option<PathBuf>,
    /// Write the catalogue to this file; PERIPLUS_AOI_FILE makes it the one in force
    #[arg(
        long,
        value_name = "FILE",
        requires = "from_geojson",
        required_unless_present = "to_postgis"
    )]
    pub(crate) output: Option<PathBuf>,
    /// Write the ids that no unit carries to this file, as tab-separated values
    #[arg(long, value_name = "FILE", requires = "from_geojson")]
    pub(crate) unmatched: Option<PathBuf>,
    /// Load the areas into the database of DATABASE_URL, all or nothing
    #[arg(long)]
    pub(crate) to_postgis: bool,
    /// Replace the administrative areas that are in the database
    #[arg(long, requires = "to_postgis")]
    pub(crate) replace: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
