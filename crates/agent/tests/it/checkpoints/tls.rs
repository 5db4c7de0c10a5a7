//! Connections to PostgreSQL that are encrypted, and those that also know whom they talk to.

use std::path::Path;

use periplus_agent::{CheckpointError, Retention, ThreadId};
use tokio_postgres::NoTls;
use url::Url;

use super::place::{Place, open};

/// An authority that signed nobody's certificate.
const STRANGER: &str = concat!(
    "sslrootcert=",
    env!("CARGO_MANIFEST_DIR"),
    "/tests/it/checkpoints/stranger.pem"
);

/// The file of the server's certificate, which is for `localhost`; nothing if there is none to be had.
async fn certificate(address: &str) -> Option<String> {
    let (client, connection) = tokio_postgres::connect(address, NoTls).await.unwrap();
    tokio::spawn(connection);
    let show = async |setting: &str| -> String {
        let row = client.query_one(&format!("show {setting}"), &[]).await.unwrap();
        row.get(0)
    };
    let certificate = show("ssl_cert_file").await;
    if show("ssl").await == "on" && Path::new(&certificate).exists() {
        Some(certificate)
    } else {
        eprintln!("skipped: the server does not encrypt, or its certificate is not on this machine");
        None
    }
}

/// Whether a store at the address, with another host and these parameters, can be used.
async fn works(address: &str, host: &str, parameters: &str) -> Result<(), CheckpointError> {
    let mut address = Url::parse(address).unwrap();
    address.set_host(Some(host)).unwrap();
    address.set_query(Some(parameters));
    let store = open(address.as_str(), Retention::default());
    store.load(&ThreadId::random()).await.map(drop)
}

#[tokio::test]
async fn the_server_is_believed_as_far_as_sslmode_says() {
    let Some(place) = Place::postgres().await else {
        return;
    };
    let address = place.address();
    let Some(certificate) = certificate(&address).await else {
        return;
    };
    let authorities = format!("sslrootcert={certificate}");
    for (host, parameters) in [
        ("127.0.0.1", "sslmode=disable".to_owned()),
        ("127.0.0.1", "sslmode=prefer".to_owned()),
        ("127.0.0.1", "sslmode=require".to_owned()),
        ("127.0.0.1", format!("sslmode=require&{authorities}")),
        ("127.0.0.1", format!("sslmode=verify-ca&{authorities}")),
        ("localhost", format!("sslmode=verify-full&{authorities}")),
    ] {
        let outcome = works(&address, host, &parameters).await;
        assert!(outcome.is_ok(), "{host} {parameters}: {outcome:?}");
    }
    for (host, parameters) in [
        ("127.0.0.1", format!("sslmode=verify-full&{authorities}")),
        ("localhost", format!("sslmode=verify-full&{STRANGER}")),
        ("127.0.0.1", format!("sslmode=verify-ca&{STRANGER}")),
        ("127.0.0.1", format!("sslmode=require&{STRANGER}")),
    ] {
        let error = works(&address, host, &parameters)
            .await
            .expect_err("it is not who it should be");
        let text = error.to_string();
        assert!(text.contains("certificate"), "{host} {parameters}: {text}");
    }
    place.remove().await;
}
