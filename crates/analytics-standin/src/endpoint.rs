//! The analyses of the contract, by the name in their path.

/// One kind of analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Endpoint {
    DistAlerts,
    IntegratedAlerts,
    LandCoverChange,
    LandCoverComposition,
    Grasslands,
    NaturalLands,
    TreeCoverLoss,
    TreeCoverGain,
    TreeCover,
    CarbonFlux,
    EmissionFactors,
    LandInventory,
}

impl Endpoint {
    pub(crate) const ALL: [Self; 12] = [
        Self::DistAlerts,
        Self::IntegratedAlerts,
        Self::LandCoverChange,
        Self::LandCoverComposition,
        Self::Grasslands,
        Self::NaturalLands,
        Self::TreeCoverLoss,
        Self::TreeCoverGain,
        Self::TreeCover,
        Self::CarbonFlux,
        Self::EmissionFactors,
        Self::LandInventory,
    ];

    /// The path segment.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::DistAlerts => "dist_alerts",
            Self::IntegratedAlerts => "integrated_alerts",
            Self::LandCoverChange => "land_cover_change",
            Self::LandCoverComposition => "land_cover_composition",
            Self::Grasslands => "grasslands",
            Self::NaturalLands => "natural_lands",
            Self::TreeCoverLoss => "tree_cover_loss",
            Self::TreeCoverGain => "tree_cover_gain",
            Self::TreeCover => "tree_cover",
            Self::CarbonFlux => "carbon_flux",
            Self::EmissionFactors => "deforestation_luc_emissions_factor",
            Self::LandInventory => "land_ghg_inventory",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|endpoint| endpoint.name() == name)
    }

    /// What is held for it, for messages and the index.
    pub(crate) fn holdings(self) -> &'static str {
        match self {
            Self::DistAlerts => {
                "Costa Rica (CRI) in 2024 without a layer; IDN.24.9 and the key biodiversity area 8111 without a layer, \
                 and TZA.24.3 by grasslands or land_cover, each on 2024-08-15 and 2024-08-16"
            }
            Self::IntegratedAlerts => "Costa Rica (CRI) from 2024-01-03 to 2024-10-13",
            Self::LandCoverChange => "NGA.20.31",
            Self::LandCoverComposition => "Costa Rica (CRI) and NGA.20.31",
            Self::Grasslands => "Kenya (KEN) from 2000 to 2022",
            Self::NaturalLands => {
                "Costa Rica (CRI), BRA.1.1, IDN.14.13, IDN.24.9 and the key biodiversity area 8111"
            }
            Self::TreeCoverLoss => {
                "countries by year from 2001, at canopy 30 to 2024 and at 10, 15, 20, 25, 50 and 75 to 2022; first-level units \
                 to 2022 at the same thresholds; districts of Bolivia, Canada, Colombia, India and Indonesia at canopy 30; \
                 Bolivia to 2025; primary forest at canopy 30 for tropical countries and for all levels of Bolivia from 2002; \
                 drivers at canopy 30 for countries to 2024 and for all levels of Bolivia; fires at canopy 30 for countries from \
                 2010 to 2020; Costa Rica at canopy 75 by year, driver and fire; nothing for intact forest"
            }
            Self::TreeCoverGain => {
                "countries, first-level units and some districts as one total for 2000 to 2020; Costa Rica (CRI) by period"
            }
            Self::TreeCover => {
                "countries and first-level units at canopy 10, 15, 20, 25, 30, 50 and 75, districts of Bolivia, Canada, \
                 Colombia, India and Indonesia at 30, primary forest of tropical countries at 30"
            }
            Self::CarbonFlux => {
                "countries and first-level units at canopy 30, 50 and 75, districts of Bolivia at 30, IDN.25.3 and NGA.20.31 at 30"
            }
            Self::EmissionFactors => "Costa Rica (CRI) from 2020 to 2024, for a part of the crops",
            Self::LandInventory => "nothing",
        }
    }
}
