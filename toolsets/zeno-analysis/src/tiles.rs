//! Addresses of map tiles; `{z}`, `{x}` and `{y}` stay for the map to fill in.

use url::form_urlencoded::byte_serialize;

use crate::{
    catalogue::{Dataset, Legend},
    choice::DEFAULT_CANOPY,
    dates::Period,
    record::{ChosenParameter, MapLayer},
};

/// The threshold of a choice: the largest value, or the usual one.
pub(crate) fn canopy(parameters: &[ChosenParameter]) -> u32 {
    parameters
        .iter()
        .filter(|parameter| parameter.name == "canopy_cover")
        .flat_map(|parameter| &parameter.values)
        .copied()
        .max()
        .unwrap_or(DEFAULT_CANOPY)
}

/// The dataset's own tiles, empty if it has no map.
pub(crate) fn tile_url(
    dataset: &Dataset,
    parameters: &[ChosenParameter],
    period: Period,
    base: &str,
) -> String {
    let Some(template) = &dataset.tile_url else {
        return String::new();
    };
    let (start_year, end_year) = period.years();
    let path = fill(template, canopy(parameters))
        .replace("{colormap}", &colormap(dataset))
        .replace("{year}", &end_year.to_string())
        .replace("{start_year}", &start_year.to_string())
        .replace("{end_year}", &end_year.to_string())
        .replace("{start_date}", &period.start.to_string())
        .replace("{end_date}", &period.end.to_string());
    if path.starts_with("http") {
        path
    } else {
        format!("{}{path}", base.trim_end_matches('/'))
    }
}

/// What the colours of the dataset's map mean, for the time that its tiles show.
pub(crate) fn legend(dataset: &Dataset, period: Period) -> Option<Legend> {
    let (legend, tiles) = (dataset.legend.as_ref()?, dataset.tile_url.as_deref()?);
    let time = if tiles.contains("{start_date}") {
        period.to_string()
    } else if tiles.contains("{year}") {
        period.years().1.to_string()
    } else if tiles.contains("{start_year}") {
        years(period)
    } else {
        // These tiles show everything, whatever was asked for.
        let end = dataset.end_date.unwrap_or(period.end);
        years(Period {
            start: dataset.start_date,
            end,
        })
    };
    Some(Legend {
        title: format!("{} ({time})", legend.title),
        entries: dataset.legend_entries(),
        ..legend.clone()
    })
}

fn years(period: Period) -> String {
    match period.years() {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}-{last}"),
    }
}

/// The tiles of the chosen layer, then those of the parameters that have a map.
pub(crate) fn map_layers(
    dataset: &Dataset,
    layer: Option<&str>,
    parameters: &[ChosenParameter],
) -> Vec<MapLayer> {
    let layer = layer.map(|value| {
        let known = dataset.layer(value);
        MapLayer {
            name: value.to_owned(),
            tile_url: known.and_then(|layer| layer.tile_url.clone()),
            legend: known.and_then(|layer| layer.legend.clone()),
        }
    });
    let parameters = dataset.parameters.iter().filter_map(|parameter| {
        Some(MapLayer {
            name: parameter.name.clone(),
            tile_url: Some(fill(parameter.tile_url.as_deref()?, canopy(parameters))),
            legend: None,
        })
    });
    layer.into_iter().chain(parameters).collect()
}

fn fill(template: &str, threshold: u32) -> String {
    template.replace("{threshold}", &threshold.to_string())
}

fn colormap(dataset: &Dataset) -> String {
    let json = serde_json::to_string(&dataset.colormap).expect("a map of texts to numbers is JSON");
    byte_serialize(json.as_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    fn canopy_of(values: &[u32]) -> Vec<ChosenParameter> {
        vec![ChosenParameter {
            name: "canopy_cover".to_owned(),
            description: String::new(),
            values: values.to_vec(),
        }]
    }

    fn tiles(id: u32, parameters: &[ChosenParameter], years: (i32, i32)) -> String {
        let catalogue = Catalogue::load(&[]).unwrap();
        let period = Period::of_years(years.0, years.1).unwrap();
        tile_url(
            catalogue.find(id).unwrap(),
            parameters,
            period,
            "https://tiles.example.org/",
        )
    }

    #[test]
    fn loss_and_fire_tiles_have_their_threshold_and_years() {
        assert_eq!(
            tiles(4, &[], (2015, 2024)),
            "https://tiles.globalforestwatch.org/umd_tree_cover_loss/v1.13/dynamic/{z}/{x}/{y}.png\
             ?tree_cover_density_threshold=30&render_type=true_color&start_year=2015&end_year=2024"
        );
        let fires = tiles(10, &canopy_of(&[30, 75, 50]), (2001, 2025));
        assert!(fires.ends_with(
            "?tree_cover_density_threshold=75&render_type=true_color&start_year=2001&end_year=2025"
        ));
    }

    #[test]
    fn alert_tiles_have_days() {
        for id in [0, 11] {
            let tiles = tiles(id, &[], (2024, 2024));
            assert!(
                tiles.ends_with("render_type=true_color&start_date=2024-01-01&end_date=2024-12-31"),
                "{tiles}"
            );
        }
    }

    #[test]
    fn catalogue_tiles_have_the_configured_host_the_year_and_an_encoded_colour_map() {
        let land_cover = tiles(1, &[], (2015, 2024));
        assert!(land_cover.starts_with(
            "https://tiles.example.org/raster/collections/global-land-cover-v-2/items/global-land-cover-2024/tiles/WebMercatorQuad/{z}/{x}/{y}.png?colormap=%7B%221%22%3A%5B254%2C254%2C204%2C255%5D%2C%222%22"
        ), "{land_cover}");
        assert!(land_cover.ends_with(
            "&assets=asset&expression=asset%2A%28asset%3C10%29%2A%28asset%3E0%29&asset_as_band=True"
        ));
        assert!(tiles(2, &[], (2000, 2022)).contains("/items/grasslands-2022/"));
        assert!(tiles(3, &[], (2020, 2020)).contains("/natural-lands-v-1-1/tiles/"));
    }

    #[test]
    fn thresholds_are_part_of_paths_too_and_tables_have_no_map() {
        assert!(tiles(7, &canopy_of(&[50]), (2000, 2000)).contains("/tcd_50/{z}/{x}/{y}.png"));
        assert!(tiles(6, &[], (2001, 2025)).ends_with("tree_cover_density_threshold=30"));
        assert_eq!(
            (tiles(9, &[], (2020, 2024)), tiles(12, &[], (2016, 2024))),
            (String::new(), String::new())
        );
    }

    #[test]
    fn the_legend_names_the_time_that_the_tiles_show() {
        let catalogue = Catalogue::load(&[]).unwrap();
        let asked = Period::of_years(2016, 2018).unwrap();
        for (id, title) in [
            (0, "Disturbance alerts (DIST-ALERT) (2016-01-01 to 2018-12-31)"),
            (1, "Global land cover (2018)"),
            (2, "Global grasslands (2018)"),
            (3, "SBTN natural lands (2020)"),
            (4, "Tree cover loss (2016-2018)"),
            (5, "Tree cover gain (2000-2020)"),
            (6, "Forest greenhouse gas net flux (2001-2025)"),
            (7, "Tree cover (2000)"),
            (8, "Tree cover loss by dominant driver (2001-2025)"),
            (10, "Tree cover loss due to fires (2016-2018)"),
            (11, "Integrated deforestation alerts (2016-01-01 to 2018-12-31)"),
        ] {
            let legend = legend(catalogue.find(id).unwrap(), asked).unwrap();
            assert_eq!(legend.title, title);
        }
        for id in [9, 12] {
            assert_eq!(
                legend(catalogue.find(id).unwrap(), asked),
                None,
                "there is no map"
            );
        }
    }

    #[test]
    fn the_legend_lists_what_the_map_draws_and_no_class_that_is_left_out() {
        let catalogue = Catalogue::load(&[]).unwrap();
        let entries = |id: u32| {
            let period = Period::of_years(2020, 2020).unwrap();
            let entries = legend(catalogue.find(id).unwrap(), period).unwrap().entries;
            entries
                .into_iter()
                .map(|entry| (entry.label, entry.color))
                .collect::<Vec<_>>()
        };
        assert_eq!((entries(1).len(), entries(8).len()), (9, 7));
        let natural = entries(3);
        assert_eq!(natural.len(), 11);
        assert_eq!(natural[10], ("Non-natural".to_owned(), "#D3D3D3".to_owned()));
        assert_eq!(entries(11)[2], ("Highest".to_owned(), "#C92A6D".to_owned()));
        // A ramp keeps its own colours, whatever the colours of its charts are.
        assert_eq!(entries(6).first().unwrap().0, "<-1500 (sink)");
    }

    #[test]
    fn no_placeholder_but_those_of_the_map_is_left() {
        for id in 0..13 {
            let tiles = tiles(id, &[], (2020, 2020)).replace("{z}/{x}/{y}", "");
            assert!(!tiles.contains(['{', '}']), "{tiles}");
        }
    }

    #[test]
    fn a_layer_comes_first_and_the_canopy_map_after_it_except_for_the_canopy_itself() {
        let catalogue = Catalogue::load(&[]).unwrap();
        let names = |id: u32, layer: Option<&str>| {
            let layers = map_layers(catalogue.find(id).unwrap(), layer, &[]);
            layers
                .into_iter()
                .map(|layer| (layer.name, layer.tile_url.is_some()))
                .collect::<Vec<_>>()
        };
        let canopy = ("canopy_cover".to_owned(), true);
        assert_eq!(
            names(4, Some("primary_forest")),
            [("primary_forest".to_owned(), true), canopy.clone()]
        );
        assert_eq!(
            names(8, Some("driver")),
            [("driver".to_owned(), false), canopy.clone()]
        );
        assert_eq!(names(6, None), [canopy]);
        assert_eq!(names(7, None), []);
        assert_eq!(names(0, Some("grasslands")), [("grasslands".to_owned(), false)]);
    }
}
