//! The same areas in a real PostGIS: `cargo xtask postgres -- cargo nextest run -p periplus-zeno-aoi` provides the server.

use std::sync::Arc;

use periplus_zeno_aoi::catalogue::{embedded::Embedded, postgis::PostGis};
use tokio_postgres::{Client, NoTls};

const VARIABLE: &str = "PERIPLUS_TEST_POSTGRES";

/// One database for all tests: loading it takes seconds, and nothing but the loading writes.
const DATABASE: &str = "areas_of_the_suite";

/// Any number; whoever holds this lock may make the database.
const LOCK: &str = "select pg_advisory_lock(4117)";

/// The address of the server, if there is one.
#[expect(clippy::print_stdout, reason = "a skipped check says that it was skipped")]
pub(crate) fn server() -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "a test has no settings to take it from")]
    let server = std::env::var(VARIABLE).ok();
    if server.is_none() {
        #[expect(clippy::disallowed_methods, reason = "a test has no settings to take it from")]
        let is_checked = std::env::var_os("CI").is_some();
        assert!(
            !is_checked,
            "{VARIABLE} is not set: `cargo xtask test` starts a server"
        );
        println!("skipped on PostGIS: {VARIABLE} is not set");
    }
    server
}

/// A new and empty database of the server, for one test.
pub(crate) async fn made(name: &str) -> Option<String> {
    let server = server()?;
    let admin = connect(&server).await;
    let database = format!("{name}_{}", std::process::id());
    admin
        .batch_execute(&format!("create database {database}"))
        .await
        .expect("a database can be made");
    Some(address_of(&server, &database))
}

pub(crate) async fn connect(address: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(address, NoTls)
        .await
        .expect("the server answers");
    tokio::spawn(connection);
    client
}

/// The address of another database of the server.
pub(crate) fn address_of(server: &str, database: &str) -> String {
    let (base, rest) = server
        .rsplit_once('/')
        .expect("an address ends with its database");
    let parameters = rest.split_once('?').map_or("", |(_, parameters)| parameters);
    format!("{base}/{database}?{parameters}")
}

/// The catalogue in the database, loaded by whichever test comes first.
pub(crate) async fn catalogue() -> Option<Arc<PostGis>> {
    let server = server()?;
    let admin = connect(&server).await;
    admin.batch_execute(LOCK).await.expect("the lock is given");
    let address = address_of(&server, DATABASE);
    let exists = format!("select 1 from pg_database where datname = '{DATABASE}'");
    let is_there = !admin
        .simple_query(&exists)
        .await
        .expect("databases can be listed")
        .iter()
        .all(|message| !matches!(message, tokio_postgres::SimpleQueryMessage::Row(_)));
    if !is_there {
        let create = format!("create database {DATABASE}");
        admin
            .batch_execute(&create)
            .await
            .expect("a database can be made");
        let catalogue = PostGis::new(&address).expect("the address is one");
        catalogue
            .load(&Embedded::shipped(), false)
            .await
            .expect("the areas are loaded");
    }
    Some(Arc::new(PostGis::new(&address).expect("the address is one")))
}
