//! Names with the rows that a deployment's database gave for them.
//!
//! The rows of one name are one question: the best row is meant, of equally good ones the largest unit; where places of
//! other countries are called the same, the user has to be asked.

use std::collections::BTreeSet;

use futures::{FutureExt as _, future::BoxFuture};

use super::{Case, Cases, Kind};
use crate::{
    EvalError, Verdict, Zeno,
    areas::{Expected, Picked},
    table::Row,
};

pub(crate) const KIND: Kind = Kind {
    name: "area-search",
    columns: &[
        "query",
        "rank",
        "src_id",
        "name",
        "subtype",
        "source",
        "similarity",
    ],
    read,
};

#[derive(Debug)]
struct Search {
    query: String,
    expected: Expected,
}

/// One row that was found.
#[derive(Debug)]
struct Found<'a> {
    id: &'a str,
    source: &'a str,
    first_name: &'a str,
    similarity: f64,
}

fn read(rows: &[Row]) -> Result<Cases, EvalError> {
    let mut cases = Cases::new();
    for group in rows.chunk_by(|one, other| one.text("query") == other.text("query")) {
        let Some(first) = group.first() else { continue };
        let query = first.required("query", "name to search for")?.to_owned();
        let found: Vec<Found<'_>> = group.iter().map(found).collect::<Result<_, _>>()?;
        let expected = expected(&found).ok_or_else(|| first.wrong("similarity", "likeness"))?;
        cases.push(Box::new(Search { query, expected }));
    }
    Ok(cases)
}

fn found(row: &Row) -> Result<Found<'_>, EvalError> {
    let name = row.required("name", "name of an area")?;
    Ok(Found {
        id: row.required("src_id", "area id")?,
        source: row.required("source", "source of areas")?,
        first_name: name.split(',').next().unwrap_or(name),
        similarity: row.parse("similarity", "likeness between 0 and 1")?,
    })
}

fn expected(rows: &[Found<'_>]) -> Option<Expected> {
    let best = rows.iter().map(|row| row.similarity).reduce(f64::max)?;
    let meant = rows
        .iter()
        .filter(|row| row.similarity >= best)
        .min_by_key(|row| row.id.matches('.').count())?;
    let namesakes: BTreeSet<&str> = rows
        .iter()
        .filter(|row| row.source == "gadm" && row.first_name == meant.first_name)
        .filter_map(|row| row.id.get(..3))
        .collect();
    Some(if meant.id.contains('.') && namesakes.len() > 1 {
        Expected::Question {
            countries: namesakes.len(),
        }
    } else {
        Expected::ids([meant.id], Some(meant.source))
    })
}

impl Case for Search {
    fn id(&self) -> &str {
        &self.query
    }

    fn question(&self) -> String {
        self.query.clone()
    }

    fn ask<'a>(&'a self, zeno: &'a Zeno) -> BoxFuture<'a, Verdict> {
        async move {
            match Picked::of(zeno.pick_aoi(&self.query).await) {
                Ok(picked) => self.expected.compare(&picked, zeno.catalogue()),
                Err(refusal) => Verdict::failed(&self.expected, &refusal),
            }
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row<'a>(id: &'a str, first_name: &'a str, similarity: f64) -> Found<'a> {
        Found {
            id,
            source: "gadm",
            first_name,
            similarity,
        }
    }

    #[test]
    fn the_largest_of_equally_good_rows_is_meant() {
        let rows = [row("PRT.12.7_1", "Lisboa", 0.28), row("PRT.12_1", "Lisboa", 0.28)];
        assert_eq!(expected(&rows), Some(Expected::ids(["PRT.12"], Some("gadm"))));
    }

    #[test]
    fn namesakes_in_two_countries_are_a_question() {
        let rows = [row("AGO.17.11_1", "Puri", 0.29), row("IND.26.26_1", "Puri", 0.28)];
        assert_eq!(expected(&rows), Some(Expected::Question { countries: 2 }));
    }
}
