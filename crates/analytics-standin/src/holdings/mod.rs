//! What is held, by analysis.

mod books;
mod drivers;
mod fires;
mod loss;
mod recorded;
mod stocks;
#[cfg(test)]
mod tests;

use crate::{
    answer::Found,
    endpoint::Endpoint,
    request::{Areas, Request},
};

/// Embeds a file of the data folder, as the build script packed it.
macro_rules! sheet {
    ($path:literal) => {
        $crate::sheet::Sheet::new(include_bytes!(concat!(env!("OUT_DIR"), "/", $path)))
    };
}
use sheet;

/// The rows for a request, or why there cannot be any.
pub(crate) fn find(endpoint: Endpoint, request: &Request) -> Result<Found, String> {
    if request.areas.kind == "feature_collection" {
        return Err("it looks published figures up by area id and computes nothing from a shape".to_owned());
    }
    match endpoint {
        Endpoint::TreeCoverLoss => match request.intersection.as_deref() {
            Some("driver") => drivers::find(request),
            Some(_fire) => fires::find(request),
            None => loss::find(request),
        },
        Endpoint::TreeCover => stocks::cover(request),
        Endpoint::TreeCoverGain => stocks::gain(request),
        Endpoint::CarbonFlux => stocks::carbon(request),
        Endpoint::DistAlerts => recorded::dist_alerts(request),
        Endpoint::IntegratedAlerts => recorded::integrated_alerts(request),
        Endpoint::LandCoverChange => Ok(recorded::land_cover_change(request)),
        Endpoint::LandCoverComposition => Ok(recorded::land_cover_composition(request)),
        Endpoint::NaturalLands => Ok(recorded::natural_lands(request)),
        Endpoint::Grasslands => recorded::grasslands(request),
        Endpoint::EmissionFactors => recorded::emission_factors(request),
        Endpoint::LandInventory => Err("no table of this analysis is published".to_owned()),
    }
}

/// The country of an area id.
fn country_of(id: &str) -> &str {
    id.split('.').next().unwrap_or(id)
}

/// 0 for a country, 1 for its units, 2 for theirs.
fn level_of(id: &str) -> usize {
    id.matches('.').count()
}

/// The areas that published figures exist for: administrative ones.
fn admin_ids(areas: &Areas) -> Result<&[String], String> {
    if areas.kind == "admin" {
        Ok(&areas.ids)
    } else {
        Err(format!(
            "areas of the kind {} are held for a few recorded results only",
            areas.kind
        ))
    }
}

/// The years that are both asked for and held.
fn overlap(asked: Option<(i32, i32)>, held: (i32, i32)) -> Result<(i32, i32), String> {
    let (start, end) = asked.unwrap_or(held);
    let both = (start.max(held.0), end.min(held.1));
    if both.0 <= both.1 {
        Ok(both)
    } else {
        Err(format!(
            "years {start} to {end} are asked for and {} to {} are held",
            held.0, held.1
        ))
    }
}

/// First and last day of a span of years.
fn days((start, end): (i32, i32)) -> Option<(String, String)> {
    Some((format!("{start}-01-01"), format!("{end}-12-31")))
}

/// Every sheet, for tests that look at all of them.
#[cfg(test)]
fn all_sheets() -> Vec<&'static crate::sheet::Sheet> {
    books::sheets()
        .chain([
            &loss::BUNDLE,
            &loss::PRIMARY,
            &drivers::COUNTRIES,
            &fires::COUNTRIES,
            &stocks::PRIMARY_EXTENT,
        ])
        .collect()
}
