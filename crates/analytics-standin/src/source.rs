//! Where figures come from, as every answer says.

use serde::Serialize;

/// One publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Source {
    /// Who published the figures.
    pub(crate) publisher: &'static str,
    /// Which edition they are of.
    pub(crate) vintage: &'static str,
    /// Which boundaries areas have.
    pub(crate) boundaries: &'static str,
    /// The terms.
    pub(crate) licence: &'static str,
    /// The line to show.
    pub(crate) attribution: &'static str,
}

const LOSS: &str = "Hansen/UMD/Google/USGS/NASA; emissions Harris et al. 2021; primary forest Turubanova et al. 2018. Accessed through Global Forest Watch, \
                    globalforestwatch.org";
const CARBON: &str =
    "Harris et al. 2021 and Gibbs et al. 2025. Accessed through Global Forest Watch, globalforestwatch.org";
const WATCH: &str = "Global Forest Watch";
const CC_BY: &str = "CC BY 4.0";

const fn watch(vintage: &'static str, boundaries: &'static str, attribution: &'static str) -> Source {
    Source {
        publisher: WATCH,
        vintage,
        boundaries,
        licence: CC_BY,
        attribution,
    }
}

pub(crate) const BUNDLE_2024: Source = watch(
    "dashboard download of October 2025, loss 2001 to 2024",
    "GADM 3.6",
    LOSS,
);
pub(crate) const STATISTICS_2022: Source =
    watch("country statistics of 2023, loss 2001 to 2022", "GADM 3.6", LOSS);
pub(crate) const CARBON_2022: Source = watch(
    "country statistics of 2023, yearly means of 2001 to 2022 times 22 years",
    "GADM 3.6",
    CARBON,
);
pub(crate) const BOLIVIA: Source = watch("workbook v20260427, loss 2001 to 2025", "GADM 4.1", LOSS);
pub(crate) const INDONESIA: Source = watch("workbook, loss 2001 to 2024", "GADM 4.1", LOSS);
pub(crate) const INDIA: Source = watch("workbook, loss 2001 to 2023", "GADM 3.6", LOSS);
pub(crate) const CANADA: Source = watch("workbook, loss 2001 to 2023", "GADM 3.6", LOSS);
pub(crate) const COLOMBIA: Source = watch("workbook, loss 2001 to 2022", "GADM 3.6", LOSS);

/// The drivers of a workbook.
pub(crate) const BOLIVIA_DRIVERS: Source = Source {
    attribution: "Sims et al. 2025, WRI/Google DeepMind. Accessed through Global Forest Watch, globalforestwatch.org",
    ..BOLIVIA
};

/// The carbon sheet of a workbook.
pub(crate) const fn of_carbon(workbook: Source) -> Source {
    Source {
        attribution: CARBON,
        ..workbook
    }
}

pub(crate) const DRIVERS: Source = Source {
    publisher: "Our World in Data, from Global Forest Watch",
    vintage: "release of 2025, loss 2001 to 2024",
    boundaries: "countries",
    licence: CC_BY,
    attribution: "Sims et al. 2025, WRI/Google DeepMind; Global Forest Watch, with processing by Our World in Data",
};
pub(crate) const FIRES: Source = Source {
    publisher: "Our World in Data, from Global Forest Watch",
    vintage: "release of 2025, loss 2010 to 2020",
    boundaries: "countries",
    licence: CC_BY,
    attribution: "Tyukavina et al. 2022; Global Forest Watch, with processing by Our World in Data",
};

/// Results of the real service, recorded.
pub(crate) const RECORDED: Source = Source {
    publisher: "Global Nature Watch",
    vintage: "recorded from the analytics service in July 2026",
    boundaries: "GADM 4.1",
    licence: CC_BY,
    attribution: "Recorded from the Global Nature Watch analytics API; land and forest data of UMD GLAD, WRI and Land & Carbon Lab",
};
/// The same, of the map whose terms ask for the same terms.
pub(crate) const RECORDED_NATURAL_LANDS: Source = Source {
    licence: "CC BY-SA 4.0",
    ..RECORDED
};
/// Figures that the service's own tests expect of it.
pub(crate) const EXPECTED: Source = Source {
    vintage: "expected by the service's integration tests of 2025",
    ..RECORDED
};
pub(crate) const EXPECTED_NATURAL_LANDS: Source = Source {
    licence: "CC BY-SA 4.0",
    ..EXPECTED
};
