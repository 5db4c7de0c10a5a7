//! Units that a deployment's database lists inside an area: a row is a unit that has to be among those found.

use futures::{FutureExt as _, future::BoxFuture};

use super::{Case, Kind, area::plural, each};
use crate::{
    EvalError, Verdict, Zeno,
    areas::{Expected, Picked, plain},
    table::Row,
};

pub(crate) const KIND: Kind = Kind {
    name: "units",
    columns: &["parent_id", "subregion", "src_id", "name", "subtype"],
    read: |rows| each(rows, Unit::read),
};

#[derive(Debug)]
struct Unit {
    id: String,
    question: String,
    unit: Expected,
}

impl Unit {
    fn read(row: &Row) -> Result<Self, EvalError> {
        let id = plain(row.required("src_id", "area id")?).to_owned();
        let name = row.required("name", "name with what it lies in")?;
        let (_, parent) = name
            .split_once(',')
            .ok_or_else(|| row.wrong("name", "name with what it lies in"))?;
        let units = plural(row.text("subregion"))
            .ok_or_else(|| row.wrong("subregion", "unit such as state or district"))?;
        Ok(Self {
            question: format!("{units} in {}", parent.trim()),
            unit: Expected::ids([id.as_str()], None),
            id,
        })
    }
}

impl Case for Unit {
    fn id(&self) -> &str {
        &self.id
    }

    fn question(&self) -> String {
        self.question.clone()
    }

    fn ask<'a>(&'a self, zeno: &'a Zeno) -> BoxFuture<'a, Verdict> {
        async move {
            match Picked::of(zeno.pick_aoi(&self.question).await) {
                Ok(Picked::Areas { ids, .. }) if ids.contains(&self.id) => Verdict::Passed,
                Ok(picked) => self.unit.compare(&picked, zeno.catalogue()),
                Err(refusal) => Verdict::failed(&self.unit, &refusal),
            }
        }
        .boxed()
    }
}
