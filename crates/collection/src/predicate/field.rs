//! What a condition can be about, and which operators fit.

use crate::StringField;

/// A field that predicates know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// Recorded strings, one or several a record.
    Text(TextField),
    /// A recorded yes or no.
    Flag(FlagField),
    /// The recorded interval of years.
    ObjectDate,
}

/// A field of strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextField {
    /// One recorded field.
    Column(StringField),
    /// Everything recorded that is worth searching, as one text.
    MetadataText,
}

/// A field of booleans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlagField {
    /// Whether the source states that the object is in the public domain.
    IsPublicDomain,
    /// Whether some source shows that an image exists.
    HasKnownImage,
}

/// How a condition tests its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// Some recorded value is exactly this one.
    Eq,
    /// Some recorded value is exactly one of these.
    OneOf,
    /// Some recorded value contains this text, both normalised.
    ContainsNormalized,
    /// The recorded interval and this one share a year.
    Overlaps,
    /// The recorded interval lies wholly inside this one.
    ContainedWithin,
    /// Nothing is recorded.
    IsMissing,
}

/// A field with its name and whether its values can be listed.
#[derive(Debug, Clone, Copy)]
struct Entry(Field, &'static str, bool);

/// Every field, in the order capabilities list them.
const TABLE: [Entry; 20] = {
    const fn text(field: StringField) -> Entry {
        Entry(Field::Text(TextField::Column(field)), field.name(), false)
    }
    const fn facet(field: StringField) -> Entry {
        Entry(Field::Text(TextField::Column(field)), field.name(), true)
    }
    [
        facet(StringField::Department),
        facet(StringField::ObjectName),
        facet(StringField::Classification),
        text(StringField::Title),
        Entry(Field::Text(TextField::MetadataText), "metadata_text", false),
        facet(StringField::Culture),
        facet(StringField::Medium),
        facet(StringField::Tags),
        text(StringField::ArtistName),
        facet(StringField::ArtistRole),
        text(StringField::Attribution),
        text(StringField::GeographyCity),
        text(StringField::GeographyState),
        facet(StringField::GeographyCountry),
        text(StringField::GeographyRegion),
        text(StringField::GeographyType),
        facet(StringField::DataQuality),
        Entry(Field::Flag(FlagField::IsPublicDomain), "is_public_domain", false),
        Entry(Field::Flag(FlagField::HasKnownImage), "has_known_image", false),
        Entry(Field::ObjectDate, "object_date", false),
    ]
};

impl Field {
    /// Every field, in the order capabilities list them.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|entry| entry.0)
    }

    /// The field of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        TABLE.iter().find(|entry| entry.1 == name).map(|entry| entry.0)
    }

    /// The name users know it by.
    #[must_use]
    pub fn name(self) -> &'static str {
        TABLE
            .iter()
            .find(|entry| entry.0 == self)
            .map_or("", |entry| entry.1)
    }

    /// The operators that fit.
    #[must_use]
    pub const fn operators(self) -> &'static [Operator] {
        match self {
            Self::Text(_) => &[
                Operator::Eq,
                Operator::OneOf,
                Operator::ContainsNormalized,
                Operator::IsMissing,
            ],
            Self::Flag(_) => &[Operator::Eq, Operator::IsMissing],
            Self::ObjectDate => &[Operator::Overlaps, Operator::ContainedWithin, Operator::IsMissing],
        }
    }

    /// The column to list, for fields whose recorded values can be listed.
    #[must_use]
    pub fn facet(self) -> Option<StringField> {
        match self {
            Self::Text(TextField::Column(field)) => TABLE
                .iter()
                .any(|entry| entry.0 == self && entry.2)
                .then_some(field),
            Self::Text(TextField::MetadataText) | Self::Flag(_) | Self::ObjectDate => None,
        }
    }
}

impl Operator {
    /// Every operator.
    pub const ALL: [Self; 6] = [
        Self::Eq,
        Self::OneOf,
        Self::ContainsNormalized,
        Self::Overlaps,
        Self::ContainedWithin,
        Self::IsMissing,
    ];

    /// The operator of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operator| operator.name() == name)
    }

    /// The name users know it by.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Eq => "eq",
            Self::OneOf => "one_of",
            Self::ContainsNormalized => "contains_normalized",
            Self::Overlaps => "overlaps",
            Self::ContainedWithin => "contained_within",
            Self::IsMissing => "is_missing",
        }
    }
}

/// The names of some operators.
pub(crate) fn operator_names(operators: &[Operator]) -> Vec<&'static str> {
    operators.iter().map(|operator| operator.name()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_found_by_its_name() {
        for field in Field::all() {
            assert_eq!(Field::parse(field.name()), Some(field));
        }
        assert_eq!(Field::parse("period"), None);
    }

    #[test]
    fn nine_fields_can_be_listed() {
        let names: Vec<_> = Field::all()
            .filter(|field| field.facet().is_some())
            .map(Field::name)
            .collect();
        assert_eq!(
            names,
            [
                "department",
                "object_name",
                "classification",
                "culture",
                "medium",
                "tags",
                "artist_role",
                "geography_country",
                "data_quality"
            ]
        );
    }
}
