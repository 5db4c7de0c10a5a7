//! `aoi search`, `aoi import`: catalogues of areas.

use comfy_table::{ContentArrangement, Table, presets};
use serde_json::{Value, json};

use super::{App, list::plain};
use crate::{
    areas::{AreaImport, AreaRow, AreaSearch, Areas},
    args::aoi::{Aoi, AoiImport, AoiSearch},
    exit::{CliError, Exit, Outcome},
    printer,
};

pub(crate) fn run(app: &App, command: Aoi) -> Outcome {
    let areas = app
        .areas
        .ok_or_else(|| CliError::usage("this binary has no catalogue of areas"))?;
    match command {
        Aoi::Search(args) => search(app, areas, args),
        Aoi::Import(args) => import(app, areas, args),
    }
}

fn search(app: &App, areas: Areas, args: AoiSearch) -> Outcome {
    let as_json = args.json;
    let asked = AreaSearch {
        name: args.name,
        source: args.source,
        limit: args.limit,
        offset: args.offset,
    };
    let work = (areas.search)(&app.settings, asked).map_err(|error| CliError::usage(format!("{error:#}")))?;
    super::block_on(async move {
        let rows = work
            .await
            .map_err(|error| CliError::answer(format!("{error:#}")))?;
        if as_json {
            let rows: Vec<Value> = rows.iter().map(row_json).collect();
            printer::data(&Value::from(rows).to_string())?;
            return Ok(Exit::Success);
        }
        if rows.is_empty() {
            printer::note("there is no such area");
            return Ok(Exit::Answer);
        }
        printer::data(&table(&rows))?;
        Ok(Exit::Success)
    })
}

fn import(app: &App, areas: Areas, args: AoiImport) -> Outcome {
    let as_json = args.json;
    let asked = AreaImport {
        geojson: args.from_geojson,
        codes: args.gadm_codes,
        output: args.output,
        unmatched: args.unmatched,
        to_postgis: args.to_postgis,
        replace: args.replace,
    };
    let work = (areas.import)(&app.settings, asked).map_err(|error| CliError::usage(format!("{error:#}")))?;
    super::block_on(async move {
        let report = work
            .await
            .map_err(|error| CliError::answer(format!("{error:#}")))?;
        if as_json {
            printer::data(&report.json.to_string())?;
        } else {
            report.lines.iter().for_each(|line| printer::note(line));
        }
        Ok(Exit::Success)
    })
}

fn row_json(row: &AreaRow) -> Value {
    json!({
        "similarity_score": row.similarity,
        "source": row.source,
        "src_id": row.id,
        "name": row.name,
        "subtype": row.subtype,
        "bbox": row.bbox,
    })
}

fn table(rows: &[AreaRow]) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(["LIKENESS", "SOURCE", "ID", "NAME", "KIND"])
        .add_rows(rows.iter().map(|row| {
            [
                row.similarity
                    .map_or_else(|| "–".to_owned(), |similarity| format!("{similarity:.3}")),
                row.source.clone(),
                row.id.clone(),
                row.name.clone(),
                row.subtype.clone(),
            ]
        }));
    plain(&mut table)
}
