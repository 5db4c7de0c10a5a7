//! Which areas a dataset has statistics for; checked for every area before anything is asked.

use periplus_toolset::ToolError;

use crate::{
    areas::{Area, AreaKind, Selection},
    catalogue::{Catalogue, Dataset},
};

/// Analyses that one pull may be split into.
const MAX_ANALYSES: usize = 8;

/// The deepest administrative level with statistics: districts.
const DEEPEST_LEVEL: usize = 2;

/// Areas named in one message.
const MAX_NAMED: usize = 5;

/// The one kind that all areas are of.
///
/// # Errors
/// Why the dataset has no statistics for them, and what would do.
pub(crate) fn admit(
    catalogue: &Catalogue,
    dataset: &Dataset,
    selection: &Selection,
) -> Result<AreaKind, ToolError> {
    let kind = one_kind(&selection.aois)?;
    let limit = kind.limit() * MAX_ANALYSES;
    if selection.aois.len() > limit {
        return Err(ToolError::new(
            "too_many_areas",
            format!(
                "{} {} are selected and one pull takes {limit}. Select fewer.",
                selection.aois.len(),
                kind.label()
            ),
        ));
    }
    if !dataset.areas.contains(&kind) {
        return Err(unsupported(catalogue, dataset, selection, kind));
    }
    match kind {
        AreaKind::Admin => administrative(&selection.aois)?,
        AreaKind::FeatureCollection => shaped(&selection.aois)?,
        AreaKind::KeyBiodiversityArea | AreaKind::ProtectedArea | AreaKind::IndigenousLand => {}
    }
    Ok(kind)
}

fn one_kind(areas: &[Area]) -> Result<AreaKind, ToolError> {
    let mut first = None;
    for (index, area) in areas.iter().enumerate() {
        let kind = area.kind().ok_or_else(|| {
            let pointer = format!("/aoi_selection/aois/{index}/subtype");
            ToolError::invalid_argument(
                pointer,
                format!("is {:?}, which is no kind of area", area.subtype),
            )
        })?;
        match first {
            None => first = Some(kind),
            Some(known) if known == kind => {}
            Some(known) => {
                return Err(ToolError::new(
                    "mixed_areas",
                    format!(
                        "The selection mixes {} and {}, and an analysis takes one kind. Select and pull each kind by itself.",
                        known.label(),
                        kind.label()
                    ),
                ));
            }
        }
    }
    first.ok_or_else(|| ToolError::invalid_argument("/aoi_selection/aois", "is empty"))
}

fn unsupported(catalogue: &Catalogue, dataset: &Dataset, selection: &Selection, kind: AreaKind) -> ToolError {
    let others: Vec<&str> = catalogue
        .visible()
        .filter(|other| other.areas.contains(&kind))
        .map(|other| other.dataset_name.as_str())
        .collect();
    let has: Vec<&str> = dataset.areas.iter().map(|kind| kind.label()).collect();
    ToolError::new(
        "area_kind_unsupported",
        format!(
            "{} has statistics for {}, not for {}{}. For these areas there are: {}.",
            dataset.dataset_name,
            has.join(", "),
            kind.label(),
            offer_country(selection, kind),
            others.join(", ")
        ),
    )
}

/// What to select instead of a unit of another catalogue: the country it lies in has an id.
pub(crate) fn offer_country(selection: &Selection, kind: AreaKind) -> String {
    let country = selection
        .aois
        .first()
        .filter(|area| kind == AreaKind::FeatureCollection && area.name.contains(','))
        .and_then(|area| area.name.rsplit(',').next())
        .map(str::trim);
    country.map_or_else(String::new, |country| {
        format!("; the country as a whole ({country}) can be selected instead")
    })
}

fn administrative(areas: &[Area]) -> Result<(), ToolError> {
    let deep: Vec<&Area> = areas.iter().filter(|area| area.level() > DEEPEST_LEVEL).collect();
    if let Some(first) = deep.first() {
        let (id, name) = first.district();
        return Err(ToolError::new(
            "level_too_deep",
            format!(
                "Statistics end at district level, and {} lie below it. The district around {} is {name} ({id}): offer it to the \
                 user and select it with pick_aoi.",
                named(&deep),
                first.name
            ),
        ));
    }
    let unknown: Vec<&Area> = areas
        .iter()
        .filter(|area| !is_admin_id(area.request_id()))
        .collect();
    if unknown.is_empty() {
        return Ok(());
    }
    Err(ToolError::new(
        "area_without_statistics",
        format!(
            "The service has no statistics for disputed or unknown areas: {}. Select other areas.",
            named(&unknown)
        ),
    ))
}

fn is_admin_id(id: &str) -> bool {
    let mut parts = id.split('.');
    let country = parts.next().unwrap_or_default();
    country.len() == 3
        && country.bytes().all(|byte| byte.is_ascii_uppercase())
        && parts.all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

fn shaped(areas: &[Area]) -> Result<(), ToolError> {
    let without: Vec<&Area> = areas.iter().filter(|area| area.geometry.is_none()).collect();
    let Some(first) = without.first() else {
        return Ok(());
    };
    let country = first.name.rsplit(',').next().unwrap_or_default().trim();
    Err(ToolError::new(
        "area_without_statistics",
        format!(
            "The service knows {} by no id, and the selection carries no shape. Statistics exist for the country ({country}); \
             offer it to the user.",
            named(&without)
        ),
    ))
}

/// The names of the first areas, and how many more there are.
pub(crate) fn named(areas: &[&Area]) -> String {
    let names: Vec<&str> = areas
        .iter()
        .take(MAX_NAMED)
        .map(|area| area.name.as_str())
        .collect();
    match areas.len().saturating_sub(MAX_NAMED) {
        0 => names.join("; "),
        more => format!("{} and {more} more", names.join("; ")),
    }
}
