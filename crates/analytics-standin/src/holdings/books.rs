//! The statistics books: loss, extent and gain by canopy threshold in one sheet, carbon in a second.

use super::{country_of, level_of, sheet};
use crate::{
    sheet::{Row, Rows, Sheet},
    source::{self, Source},
};

/// Two sheets of one edition for the areas of one level.
#[derive(Debug)]
pub(super) struct Book {
    /// The one country it is about, or all of them.
    country: Option<&'static str>,
    level: usize,
    /// One row an area and threshold.
    loss: Sheet,
    /// One row an area and threshold of 30, 50 or 75.
    carbon: Option<Sheet>,
    /// Years of loss and emissions.
    pub(super) years: (i32, i32),
    pub(super) source: Source,
    pub(super) carbon_source: Source,
}

const fn book(
    country: &'static str,
    level: usize,
    loss: Sheet,
    carbon: Option<Sheet>,
    last: i32,
    source: Source,
) -> Book {
    Book {
        country: Some(country),
        level,
        loss,
        carbon,
        years: (2001, last),
        source,
        carbon_source: source::of_carbon(source),
    }
}

/// Single-country books first: they are newer, or have the boundaries of today.
static BOOKS: [Book; 17] = [
    book(
        "BOL",
        0,
        sheet!("country/BOL_v20260427__adm0_tree_cover_loss.csv"),
        Some(sheet!("country/BOL_v20260427__adm0_carbon.csv")),
        2025,
        source::BOLIVIA,
    ),
    book(
        "BOL",
        1,
        sheet!("country/BOL_v20260427__adm1_tree_cover_loss.csv"),
        Some(sheet!("country/BOL_v20260427__adm1_carbon.csv")),
        2025,
        source::BOLIVIA,
    ),
    book(
        "BOL",
        2,
        sheet!("country/BOL_v20260427__adm2_tree_cover_loss_tcd30.csv"),
        Some(sheet!("country/BOL_v20260427__adm2_carbon_tcd30.csv")),
        2025,
        source::BOLIVIA,
    ),
    book(
        "IDN",
        0,
        sheet!("country/IDN_2001-2024__adm0_tree_cover_loss.csv"),
        Some(sheet!("country/IDN_2001-2024__adm0_carbon.csv")),
        2024,
        source::INDONESIA,
    ),
    book(
        "IDN",
        1,
        sheet!("country/IDN_2001-2024__adm1_tree_cover_loss.csv"),
        Some(sheet!("country/IDN_2001-2024__adm1_carbon.csv")),
        2024,
        source::INDONESIA,
    ),
    book(
        "IDN",
        2,
        sheet!("country/IDN_2001-2024__adm2_tree_cover_loss_tcd30.csv"),
        None,
        2024,
        source::INDONESIA,
    ),
    book(
        "IND",
        0,
        sheet!("country/IND_2001-2023__adm0_tree_cover_loss.csv"),
        Some(sheet!("country/IND_2001-2023__adm0_carbon.csv")),
        2023,
        source::INDIA,
    ),
    book(
        "IND",
        1,
        sheet!("country/IND_2001-2023__adm1_tree_cover_loss.csv"),
        Some(sheet!("country/IND_2001-2023__adm1_carbon.csv")),
        2023,
        source::INDIA,
    ),
    book(
        "IND",
        2,
        sheet!("country/IND_2001-2023__adm2_tree_cover_loss_tcd30.csv"),
        None,
        2023,
        source::INDIA,
    ),
    book(
        "CAN",
        0,
        sheet!("country/CAN_2001-2023__adm0_tree_cover_loss.csv"),
        Some(sheet!("country/CAN_2001-2023__adm0_carbon.csv")),
        2023,
        source::CANADA,
    ),
    book(
        "CAN",
        1,
        sheet!("country/CAN_2001-2023__adm1_tree_cover_loss.csv"),
        Some(sheet!("country/CAN_2001-2023__adm1_carbon.csv")),
        2023,
        source::CANADA,
    ),
    book(
        "CAN",
        2,
        sheet!("country/CAN_2001-2023__adm2_tree_cover_loss_tcd30.csv"),
        None,
        2023,
        source::CANADA,
    ),
    book(
        "COL",
        0,
        sheet!("country/COL_2001-2022__adm0_tree_cover_loss.csv"),
        Some(sheet!("country/COL_2001-2022__adm0_carbon.csv")),
        2022,
        source::COLOMBIA,
    ),
    book(
        "COL",
        1,
        sheet!("country/COL_2001-2022__adm1_tree_cover_loss.csv"),
        Some(sheet!("country/COL_2001-2022__adm1_carbon.csv")),
        2022,
        source::COLOMBIA,
    ),
    book(
        "COL",
        2,
        sheet!("country/COL_2001-2022__adm2_tree_cover_loss_tcd30.csv"),
        None,
        2022,
        source::COLOMBIA,
    ),
    Book {
        country: None,
        level: 0,
        loss: sheet!("tree_cover_loss__country_all_thresholds.csv"),
        carbon: Some(sheet!("carbon_flux__country.csv")),
        years: (2001, 2022),
        source: source::STATISTICS_2022,
        carbon_source: source::CARBON_2022,
    },
    Book {
        country: None,
        level: 1,
        loss: sheet!("tree_cover_loss__adm1_all_thresholds.csv"),
        carbon: Some(sheet!("carbon_flux__adm1.csv")),
        years: (2001, 2022),
        source: source::STATISTICS_2022,
        carbon_source: source::CARBON_2022,
    },
];

/// The books that may have an area, best first.
pub(super) fn books_for(id: &str) -> impl Iterator<Item = &'static Book> {
    let (country, level) = (country_of(id).to_owned(), level_of(id));
    BOOKS
        .iter()
        .filter(move |book| book.level == level && book.country.is_none_or(|only| only == country))
}

impl Book {
    /// The area's rows of the loss sheet, one for each threshold.
    pub(super) fn loss_rows(&self, id: &str) -> Rows {
        self.rows(&self.loss, id)
    }

    /// The area's rows of the carbon sheet, one for each threshold.
    pub(super) fn carbon_rows(&self, id: &str) -> Option<Rows> {
        Some(self.rows(self.carbon.as_ref()?, id))
    }

    /// Books of one country begin with the area's id, those of all countries with the country's code.
    fn rows(&self, sheet: &Sheet, id: &str) -> Rows {
        if self.country.is_some() || self.level == 0 {
            sheet.rows(id)
        } else {
            sheet.rows(&format!("{},{id}", country_of(id)))
        }
    }
}

/// Whether a row is of this area and threshold.
pub(super) fn is_at(row: Row<'_>, id: &str, column: &str, threshold: i32) -> bool {
    is_of(row, id) && row.integer(column) == Some(threshold)
}

/// Whether a row is of this area: sheets of countries have no id beside the code.
pub(super) fn is_of(row: Row<'_>, id: &str) -> bool {
    row.text("aoi_id")
        .or(row.text("iso").filter(|_| level_of(id) == 0))
        == Some(id)
}

#[cfg(test)]
pub(super) fn sheets() -> impl Iterator<Item = &'static Sheet> {
    BOOKS
        .iter()
        .flat_map(|book| std::iter::once(&book.loss).chain(&book.carbon))
}
