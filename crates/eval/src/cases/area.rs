//! Requests with the areas they mean.

use futures::{FutureExt as _, future::BoxFuture};

use super::{Case, Kind, each, line};
use crate::{
    EvalError, Verdict, Zeno,
    areas::{Expected, Picked, plain},
    table::Row,
};

pub(crate) const KIND: Kind = Kind {
    name: "areas",
    columns: &[
        "question",
        "places",
        "subregion",
        "expected_src_id",
        "expected_count",
    ],
    read: |rows| each(rows, Area::read),
};

/// What stands in place of an id where the user has to choose.
const AMBIGUOUS: &str = "ambiguous";
/// What stands in place of an id where all countries are meant.
const WORLD: &str = "all countries";

#[derive(Debug)]
struct Area {
    id: String,
    question: String,
    expected: Expected,
}

impl Area {
    fn read(row: &Row) -> Result<Self, EvalError> {
        let id = row.required("expected_src_id", "area id")?;
        let count = || row.parse("expected_count", "count");
        let expected = match id.strip_suffix(".*") {
            Some(parent) => Expected::Within {
                parent: plain(parent).to_owned(),
                count: count()?,
            },
            None if id == AMBIGUOUS => Expected::Question { countries: count()? },
            None if id == WORLD => Expected::World,
            // Lands of peoples and communities are numbered by country without a dot.
            None => Expected::ids([id], None),
        };
        Ok(Self {
            id: line(row),
            question: question(row)?,
            expected,
        })
    }
}

/// The question; where units are compared, the place and the units, because not every question says which units.
fn question(row: &Row) -> Result<String, EvalError> {
    match row.some("subregion") {
        None => Ok(row.required("question", "question")?.to_owned()),
        Some(unit) => {
            let units =
                plural(unit).ok_or_else(|| row.wrong("subregion", "unit such as state or district"))?;
            Ok(format!("{units} in {}", row.required("places", "place")?))
        }
    }
}

/// Units in words.
pub(super) fn plural(unit: &str) -> Option<&'static str> {
    Some(match unit {
        "country" => "countries",
        "state" => "states",
        "district" => "districts",
        "municipality" => "municipalities",
        "locality" => "localities",
        "neighbourhood" => "neighbourhoods",
        "kba" => "key biodiversity areas",
        "wdpa" => "protected areas",
        "landmark" => "indigenous lands",
        _ => return None,
    })
}

impl Case for Area {
    fn id(&self) -> &str {
        &self.id
    }

    fn question(&self) -> String {
        self.question.clone()
    }

    fn ask<'a>(&'a self, zeno: &'a Zeno) -> BoxFuture<'a, Verdict> {
        async move {
            match Picked::of(zeno.pick_aoi(&self.question).await) {
                Ok(picked) => self.expected.compare(&picked, zeno.catalogue()),
                Err(refusal) => Verdict::failed(&self.expected, &refusal),
            }
        }
        .boxed()
    }
}
