//! Column names as people read them, with their units.

/// Endings of columns and the units they mean, the most specific first.
const UNITS: &[(&str, &str)] = &[
    ("_tCO2e_per_tonne_production", "tCO₂e/t"),
    ("_tco2e_per_tonne", "tCO₂e/t"),
    ("_Mg_CO2e", "MgCO₂e"),
    ("_MgCO2e", "MgCO₂e"),
    ("_MgCO2", "MgCO₂"),
    ("_mgco2e", "MgCO₂e"),
    ("_tCO2e", "tCO₂e"),
    ("_tco2e", "tCO₂e"),
    ("_co2e", "CO₂e"),
    ("_km2", "km²"),
    ("_ha", "ha"),
    ("_mt", "Mt"),
    ("_tonnes", "t"),
    ("_t", "t"),
    ("_pct", "%"),
    ("_percent", "%"),
    ("_percentage", "%"),
];

/// The unit a column's name ends with, if it names one.
#[must_use]
pub fn unit(column: &str) -> Option<&'static str> {
    split(column).map(|(_, unit)| unit)
}

fn split(column: &str) -> Option<(&str, &'static str)> {
    UNITS
        .iter()
        .find_map(|(ending, unit)| Some((column.strip_suffix(ending)?, *unit)))
}

/// A column's name in words, its unit in parentheses: `tree_cover_loss_ha` is "Tree cover loss (ha)".
#[must_use]
pub fn label(column: &str) -> String {
    match split(column) {
        Some((name, unit)) => format!("{} ({unit})", sentence(name)),
        None => sentence(column),
    }
}

/// Underscores and camel case as words, the first with a capital.
fn sentence(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    let mut before_is_lower = false;
    for character in name.chars() {
        match character {
            '_' | '-' => words.push(' '),
            upper if upper.is_uppercase() && before_is_lower => {
                words.push(' ');
                words.extend(upper.to_lowercase());
            }
            other => words.push(other),
        }
        before_is_lower = character.is_lowercase();
    }
    let mut characters = words.trim().chars();
    characters
        .next()
        .map(|first| first.to_uppercase().chain(characters).collect())
        .unwrap_or_default()
}

/// Whether a column is for machines: ids, types and slugs.
#[must_use]
pub fn is_hidden(column: &str) -> bool {
    column.ends_with("__slug") || matches!(column, "aoi_id" | "aoi_type")
}

/// Whether a column holds years, months, dates or periods.
#[must_use]
pub fn is_time(column: &str) -> bool {
    ["year", "month", "date", "period"]
        .iter()
        .any(|time| column == *time || column.strip_suffix(time).is_some_and(|rest| rest.ends_with('_')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_words_with_their_unit() {
        for (column, expected) in [
            ("tree_cover_loss_ha", "Tree cover loss (ha)"),
            ("carbon_net_flux_Mg_CO2e", "Carbon net flux (MgCO₂e)"),
            ("carbon_emissions_MgCO2e", "Carbon emissions (MgCO₂e)"),
            ("gross_removals_MgCO2", "Gross removals (MgCO₂)"),
            (
                "emissions_factor_tCO2e_per_tonne_production",
                "Emissions factor (tCO₂e/t)",
            ),
            ("emissions_tCO2e", "Emissions (tCO₂e)"),
            ("production_tonnes", "Production (t)"),
            ("share_pct", "Share (%)"),
            ("tree_cover_loss_year", "Tree cover loss year"),
            ("areaKm", "Area km"),
            ("name", "Name"),
        ] {
            assert_eq!(label(column), expected);
        }
    }

    #[test]
    fn machine_columns_are_hidden_and_times_are_known() {
        assert!(is_hidden("driver__slug") && is_hidden("aoi_id") && !is_hidden("name"));
        for time in [
            "year",
            "tree_cover_loss_year",
            "month",
            "alert_date",
            "tree_cover_gain_period",
        ] {
            assert!(is_time(time), "{time}");
        }
        assert!(!is_time("yearly_ha") && !is_time("update"));
    }
}
