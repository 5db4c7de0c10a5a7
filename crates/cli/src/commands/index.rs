//! `index`: the directory of toolsets that other processes serve.

use periplus_runtime::{
    directory::{Cluster, DirectoryError, Index, IndexOptions, Place, Source},
    server::Server,
};
use url::Url;

use super::{
    App,
    serve::{Address, serve, server_config},
};
use crate::{
    config::{Settings, keys},
    exit::{CliError, Outcome},
};

pub(crate) fn run(app: &App) -> Outcome {
    let config = server_config(&app.settings)?;
    let source = source(&app.settings)?;
    let options = IndexOptions {
        public_url: config.public_url.clone(),
        ..IndexOptions::default()
    };
    let (address, of) = (Address::of(&config), describe(&source));
    serve(config.drain, move || {
        let server = Server::index(config, Index::start(source, &options)?)?;
        Ok((
            server,
            Box::new(move |port| announcement(&address.base(port), &of)),
        ))
    })
}

/// The list that the settings have, else the cluster that this runs in.
fn source(settings: &Settings) -> Result<Source, CliError> {
    let list = settings.list(&keys::TOOLSETS_STATIC);
    if !list.is_empty() {
        let places: Result<Vec<Place>, DirectoryError> = list.iter().map(|entry| entry.parse()).collect();
        return Ok(Source::Fixed(places?));
    }
    let server = settings
        .parse::<Url>(&keys::KUBERNETES_URL, "URL")?
        .expect("the API server has a default");
    let folder = settings
        .path(&keys::SERVICE_ACCOUNT_DIR)
        .expect("the folder of the service account has a default");
    Ok(Source::Kubernetes(Box::new(Cluster::of_account(
        &folder, server,
    )?)))
}

fn describe(source: &Source) -> String {
    match source {
        Source::Fixed(places) => {
            let names: Vec<&str> = places.iter().map(Place::name).collect();
            format!("of {}", names.join(", "))
        }
        Source::Kubernetes(cluster) => format!("of the toolsets in namespace {}", cluster.namespace),
    }
}

fn announcement(base: &str, of: &str) -> String {
    format!(
        "Periplus {} serves at {base}\n\n  the directory {of}\n  its HTTP interface is described at {base}/docs\n\n\
         In a second terminal: periplus list {base}",
        env!("CARGO_PKG_VERSION")
    )
}
