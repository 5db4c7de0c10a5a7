//! The settings of the area toolset, turned into its configuration, and the work behind `aoi`.

use std::{path::Path, sync::Arc};

use anyhow::{Context as _, Result};
use periplus_cli::{
    Purpose, Toolset,
    areas::{AreaImport, AreaReport, AreaRow, AreaSearch, Areas},
    config::{Settings, keys},
    zeno,
};
use periplus_zeno_aoi::{
    Config, Place, Source,
    catalogue::{AreaCatalogue, Page, embedded::Embedded, postgis::PostGis},
    import::{self, Imported, Inputs},
    listing::Listing,
    toolset as area_toolset,
};
use serde_json::json;

/// The toolset `zeno-aoi` as the settings want it; nothing is opened or connected before the first call.
pub(crate) fn toolset(settings: &Settings, purpose: Purpose) -> Result<Toolset> {
    let mut config = Config::default();
    if purpose == Purpose::Calls {
        config.catalogue = catalogue(settings)?;
        config.model = zeno::chat(settings)?;
    }
    Ok(area_toolset(config))
}

/// What `periplus aoi` does.
pub(crate) const AREAS: Areas = Areas {
    search: |settings, asked| {
        let catalogue = catalogue(settings)?;
        let source = asked.source.as_deref().map(source).transpose()?;
        Ok(Box::pin(search(catalogue, asked, source)))
    },
    import: |settings, asked| {
        let database = asked.to_postgis.then(|| database(settings)).transpose()?;
        Ok(Box::pin(import(asked, database)))
    },
};

/// The catalogue that the settings name: a database before a file; none for the embedded one.
fn catalogue(settings: &Settings) -> Result<Option<Arc<dyn AreaCatalogue>>> {
    if settings.text(&keys::DATABASE_URL).is_some() {
        return Ok(Some(Arc::new(database(settings)?)));
    }
    let Some(path) = settings.path(&keys::AOI_FILE) else {
        return Ok(None);
    };
    let name = || format!("the area catalogue {} ({})", path.display(), keys::AOI_FILE.env);
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", name()))?;
    let opened = Embedded::open(bytes).with_context(|| format!("cannot use {}", name()))?;
    Ok(Some(Arc::new(opened)))
}

fn database(settings: &Settings) -> Result<PostGis> {
    let address = settings
        .text(&keys::DATABASE_URL)
        .context("set DATABASE_URL to the address of the database")?;
    Ok(PostGis::new(address)?)
}

fn source(name: &str) -> Result<Source> {
    Source::parse(name).with_context(|| {
        let known: Vec<&str> = Source::ALL.into_iter().map(Source::name).collect();
        format!("there is no source {name:?}; there are {}", known.join(", "))
    })
}

async fn search(
    catalogue: Option<Arc<dyn AreaCatalogue>>,
    asked: AreaSearch,
    source: Option<Source>,
) -> Result<Vec<AreaRow>> {
    let catalogue = catalogue.unwrap_or_else(|| Embedded::shipped());
    let sources: Vec<Source> = source.into_iter().collect();
    let listing = Listing {
        name: asked.name.as_deref().map(Place::parse),
        sources,
        page: Page::new(asked.limit, asked.offset),
    };
    let found = listing.of(&*catalogue).await?;
    let rows = found.into_iter().map(|(area, similarity)| AreaRow {
        similarity,
        source: area.source.to_string(),
        id: area.id,
        name: area.name,
        subtype: area.subtype.to_string(),
        bbox: area.bounds.into(),
    });
    Ok(rows.collect())
}

async fn import(asked: AreaImport, database: Option<PostGis>) -> Result<AreaReport> {
    let mut report = AreaReport {
        lines: Vec::new(),
        json: json!({}),
    };
    let mut catalogue = None;
    if let Some(folder) = asked.geojson {
        let inputs = Inputs {
            folder,
            codes: asked.codes,
        };
        let imported = match &asked.output {
            Some(output) => import::import_to(&inputs, output)?,
            None => import::import(&inputs)?,
        };
        if let Some(path) = &asked.unmatched {
            write_unmatched(&imported, path)?;
        }
        tell(&imported, asked.output.as_deref(), &mut report);
        catalogue = Some(Arc::new(Embedded::open(imported.bytes)?));
    }
    if let Some(database) = database {
        let catalogue = catalogue.unwrap_or_else(Embedded::shipped);
        let loaded = database.load(&catalogue, asked.replace).await?;
        report.lines.push(format!(
            "loaded {} areas with a GADM id and {} of Natural Earth into the database",
            loaded.gadm, loaded.natural_earth
        ));
        report.json["loaded"] = json!({ "gadm": loaded.gadm, "naturalearth": loaded.natural_earth });
    }
    Ok(report)
}

fn tell(imported: &Imported, output: Option<&Path>, report: &mut AreaReport) {
    let ties = imported
        .misses
        .iter()
        .filter(|miss| miss.reason == import::Reason::Tie)
        .count();
    let place = output.map_or_else(String::new, |output| format!(" in {}", output.display()));
    report.lines.push(format!(
        "{} countries, {} units and {} regions in {} bytes{place}",
        imported.countries,
        imported.units,
        imported.regions,
        imported.bytes.len()
    ));
    report.lines.push(format!(
        "{} of them carry the id of a first-level unit of GADM; {} ids match no unit, {ties} of these match several",
        imported.coded,
        imported.misses.len()
    ));
    report.json["catalogue"] = json!({
        "countries": imported.countries,
        "units": imported.units,
        "regions": imported.regions,
        "bytes": imported.bytes.len(),
        "coded": imported.coded,
        "unmatched": imported.misses,
    });
}

fn write_unmatched(imported: &Imported, path: &Path) -> Result<()> {
    let mut text = "gadm_id\tname\treason\tunits\n".to_owned();
    for miss in &imported.misses {
        let line = format!(
            "{}\t{}\t{}\t{}\n",
            miss.id,
            miss.name,
            miss.reason,
            miss.units.join(" ")
        );
        text.push_str(&line);
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
