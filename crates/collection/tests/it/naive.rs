//! Predicates judged one record at a time, straight from the rules: slow, and easy to believe.

use periplus_collection::{
    Merged, ObjectDate, Record, StringField,
    predicate::{DateTest, Field, FlagField, Predicate, TextField, TextTest},
    text::norm,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    True,
    False,
    Unknown,
    Conflict,
}

use State::{Conflict, False, True, Unknown};

/// A record with what it takes to judge it; normalising anew for every condition would take minutes.
pub(crate) struct Judged {
    fields: Vec<(TextField, Merged<Vec<Value>>)>,
    date: ObjectDate,
    is_public_domain: Merged<bool>,
    has_known_image: Merged<bool>,
}

struct Value {
    recorded: String,
    folded: String,
}

impl Judged {
    pub(crate) fn of(record: &Record) -> Self {
        let fields = Field::all().filter_map(|field| match field {
            Field::Text(text) => Some((text, texts(record, text))),
            Field::Flag(_) | Field::ObjectDate => None,
        });
        Self {
            fields: fields.collect(),
            date: record.object_date,
            is_public_domain: record.is_public_domain.clone(),
            has_known_image: record.has_known_image.clone(),
        }
    }

    pub(crate) fn state(&self, predicate: &Predicate) -> State {
        let states =
            |children: &[Predicate]| children.iter().map(|child| self.state(child)).collect::<Vec<_>>();
        match predicate {
            Predicate::All(children) => first_of(&[False, Conflict, Unknown, True], &states(children)),
            Predicate::Any(children) => first_of(&[True, Conflict, Unknown, False], &states(children)),
            Predicate::Not(child) => match self.state(child) {
                True => False,
                False => True,
                state => state,
            },
            Predicate::Text(field, test) => match self.texts(*field) {
                Merged::Missing => Unknown,
                Merged::Conflict => Conflict,
                Merged::Value(values) => truth(values.iter().any(|value| matches(value, test))),
            },
            Predicate::Flag(field, wanted) => match self.flag(*field) {
                Merged::Missing => Unknown,
                Merged::Conflict => Conflict,
                Merged::Value(value) => truth(value == wanted),
            },
            Predicate::Date(test, years) => match self.date {
                ObjectDate::Missing | ObjectDate::Invalid => Unknown,
                ObjectDate::Conflict => Conflict,
                ObjectDate::Valid(date) => truth(match test {
                    DateTest::Overlaps => (date.begin..=date.end).any_in(years.begin, years.end),
                    DateTest::ContainedWithin => years.begin <= date.begin && date.end <= years.end,
                }),
            },
            Predicate::Missing(field) => match field {
                Field::Text(field) => absence(self.texts(*field)),
                Field::Flag(field) => absence(self.flag(*field)),
                Field::ObjectDate => match self.date {
                    ObjectDate::Missing => True,
                    ObjectDate::Valid(_) | ObjectDate::Invalid => False,
                    ObjectDate::Conflict => Conflict,
                },
            },
        }
    }

    fn texts(&self, field: TextField) -> &Merged<Vec<Value>> {
        &self
            .fields
            .iter()
            .find(|(other, _)| *other == field)
            .expect("every field is there")
            .1
    }

    fn flag(&self, field: FlagField) -> &Merged<bool> {
        match field {
            FlagField::IsPublicDomain => &self.is_public_domain,
            FlagField::HasKnownImage => &self.has_known_image,
        }
    }
}

trait AnyIn {
    fn any_in(self, begin: i32, end: i32) -> bool;
}

impl AnyIn for std::ops::RangeInclusive<i32> {
    fn any_in(self, begin: i32, end: i32) -> bool {
        *self.start().max(&begin) <= *self.end().min(&end)
    }
}

fn matches(value: &Value, test: &TextTest) -> bool {
    match test {
        TextTest::Eq(wanted) => value.recorded == *wanted,
        TextTest::OneOf(wanted) => wanted.contains(&value.recorded),
        TextTest::Contains(wanted) => value.folded.contains(&norm(wanted)),
    }
}

fn truth(holds: bool) -> State {
    if holds { True } else { False }
}

fn absence<T>(value: &Merged<T>) -> State {
    match value {
        Merged::Missing => True,
        Merged::Value(_) => False,
        Merged::Conflict => Conflict,
    }
}

fn first_of(order: &[State], states: &[State]) -> State {
    *order
        .iter()
        .find(|state| states.contains(state))
        .expect("there is a child")
}

fn texts(record: &Record, field: TextField) -> Merged<Vec<Value>> {
    let merged = match field {
        TextField::MetadataText => list(
            vec![metadata_text(record)]
                .into_iter()
                .filter(|text| !text.is_empty()),
        ),
        TextField::Column(field) => recorded(record, field),
    };
    match merged {
        Merged::Missing => Merged::Missing,
        Merged::Conflict => Merged::Conflict,
        Merged::Value(values) => Merged::Value(
            values
                .into_iter()
                .map(|recorded| Value {
                    folded: norm(&recorded),
                    recorded,
                })
                .collect(),
        ),
    }
}

fn recorded(record: &Record, field: StringField) -> Merged<Vec<String>> {
    let artists = |part: fn(&periplus_collection::ArtistMention) -> Option<&String>| match &record.artists {
        Merged::Value(mentions) => list(mentions.iter().filter_map(part).cloned()),
        Merged::Missing => Merged::Missing,
        Merged::Conflict => Merged::Conflict,
    };
    let geography = &record.geography;
    match field {
        StringField::Department => list(record.department.clone().into_iter()),
        StringField::ObjectName => list(record.object_name.clone().into_iter()),
        StringField::Classification => list(record.classification.iter().cloned()),
        StringField::Title => match &record.title {
            Merged::Value(title) => Merged::Value(vec![title.clone()]),
            Merged::Missing => Merged::Missing,
            Merged::Conflict => Merged::Conflict,
        },
        StringField::Culture => list(record.culture.clone().into_iter()),
        StringField::Medium => list(record.medium.clone().into_iter()),
        StringField::Tags => list(record.tags.iter().cloned()),
        StringField::ArtistName => artists(|mention| Some(&mention.name)),
        StringField::ArtistRole => artists(|mention| mention.role.as_ref()),
        StringField::Attribution => artists(|mention| Some(&mention.attribution)),
        StringField::GeographyCity => list(geography.city.iter().cloned()),
        StringField::GeographyState => list(geography.state.iter().cloned()),
        StringField::GeographyCountry => list(geography.country.iter().cloned()),
        StringField::GeographyRegion => list(geography.region.iter().cloned()),
        StringField::GeographyType => list(geography.kind.iter().cloned()),
        StringField::DataQuality => list(record.data_quality.iter().cloned()),
        StringField::Period
        | StringField::GeographyCounty
        | StringField::GeographySubregion
        | StringField::GeographyLocale => unreachable!("no predicate names it"),
    }
}

fn list(values: impl Iterator<Item = String>) -> Merged<Vec<String>> {
    let values: Vec<_> = values.collect();
    if values.is_empty() {
        Merged::Missing
    } else {
        Merged::Value(values)
    }
}

fn metadata_text(record: &Record) -> String {
    let geography = &record.geography;
    let mut parts: Vec<&str> = Vec::new();
    parts.extend(record.title.value().map(String::as_str));
    parts.extend(record.department.as_deref());
    parts.extend(record.object_name.as_deref());
    parts.extend(record.classification.iter().map(String::as_str));
    parts.extend(record.culture.as_deref());
    parts.extend(record.medium.as_deref());
    parts.extend(record.object_date_text.as_deref());
    parts.extend(record.tags.iter().map(String::as_str));
    parts.extend(
        record
            .artist_mentions()
            .iter()
            .map(|mention| mention.attribution.as_str()),
    );
    for level in [
        &geography.city,
        &geography.state,
        &geography.country,
        &geography.region,
    ] {
        parts.extend(level.iter().map(String::as_str));
    }
    parts.join("\n")
}
