//! The fields a record has, as the catalogue's users name them.

/// Fields whose values are recorded strings, one or several a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "each is the recorded field of that name")]
pub enum StringField {
    Department,
    ObjectName,
    Classification,
    Title,
    Culture,
    Medium,
    Tags,
    ArtistName,
    ArtistRole,
    Attribution,
    GeographyCity,
    GeographyState,
    GeographyCountry,
    GeographyRegion,
    GeographyType,
    DataQuality,
    // Kept for ranking, not offered to predicates.
    Period,
    GeographyCounty,
    GeographySubregion,
    GeographyLocale,
}

impl StringField {
    /// Every field, in the order the columns are stored.
    pub const ALL: [Self; 20] = [
        Self::Department,
        Self::ObjectName,
        Self::Classification,
        Self::Title,
        Self::Culture,
        Self::Medium,
        Self::Tags,
        Self::ArtistName,
        Self::ArtistRole,
        Self::Attribution,
        Self::GeographyCity,
        Self::GeographyState,
        Self::GeographyCountry,
        Self::GeographyRegion,
        Self::GeographyType,
        Self::DataQuality,
        Self::Period,
        Self::GeographyCounty,
        Self::GeographySubregion,
        Self::GeographyLocale,
    ];

    /// The name in predicates, facets and stored columns.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Department => "department",
            Self::ObjectName => "object_name",
            Self::Classification => "classification",
            Self::Title => "title",
            Self::Culture => "culture",
            Self::Medium => "medium",
            Self::Tags => "tags",
            Self::ArtistName => "artist_name",
            Self::ArtistRole => "artist_role",
            Self::Attribution => "attribution",
            Self::GeographyCity => "geography_city",
            Self::GeographyState => "geography_state",
            Self::GeographyCountry => "geography_country",
            Self::GeographyRegion => "geography_region",
            Self::GeographyType => "geography_type",
            Self::DataQuality => "data_quality",
            Self::Period => "period",
            Self::GeographyCounty => "geography_county",
            Self::GeographySubregion => "geography_subregion",
            Self::GeographyLocale => "geography_locale",
        }
    }
}
