//! Servers under everything at once: two thousand connections, slow readers, stalled and oversized bodies, callers that
//! leave, a tool that panics. What counts is that no answer is wrong, that memory stays bounded, and that the server
//! stops promptly in the middle of it.

mod clients;
mod connection;
mod faulty;
mod tally;

use std::{
    net::SocketAddr,
    path::Path,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};

pub(crate) use self::faulty::{SUBJECT as FAULTY_SERVER, serve as serve_faulty};
use self::{clients::Role, connection::Connection, tally::Tally};
use crate::{Options, process, process::Server, table};

/// How often memory is looked at.
const SAMPLE_PAUSE: Duration = Duration::from_millis(50);
/// How long a server may rest before its memory is looked at again.
const REST: Duration = Duration::from_secs(2);
/// How long the load goes on before the server is told to stop.
const BEFORE_STOP: Duration = Duration::from_secs(2);
/// The time that the server gives running calls.
const DRAIN_SECONDS: u64 = 5;
/// What stopping may take beyond that.
const STOP_GRACE: Duration = Duration::from_millis(1500);
/// Pause between the starts of two clients, so that the queue of new connections never overflows.
const START_PAUSE: Duration = Duration::from_micros(300);

/// Room for the request line and headers of one connection, as the server is configured.
const CONNECTION_KB: u64 = 64;
/// The largest body that the server takes, as it is configured.
const BODY_KB: u64 = 4 * 1024;

/// A server with who comes to it.
struct Scenario {
    name: &'static str,
    command: Command,
    address: SocketAddr,
    /// Roles, and how many of a hundred clients play each.
    cast: &'static [(Role, u64)],
    clients: u64,
}

/// What every client of a scenario knows.
pub(super) struct Site {
    pub(super) address: SocketAddr,
    pub(super) end: Instant,
    /// Set when the server was told to stop: from then on a connection may end.
    pub(super) is_stopping: AtomicBool,
    /// The answer to the question that is asked over and over, as an idle server gave it.
    pub(super) reference: Vec<u8>,
}

const PRODUCT: &[(Role, u64)] = &[
    (Role::Hello, 50),
    (Role::Question, 25),
    (Role::SlowReader, 10),
    (Role::Leaver, 5),
    (Role::Announced, 3),
    (Role::Unannounced, 2),
    (Role::Stalled, 5),
];
const FAULTY: &[(Role, u64)] = &[(Role::Panic, 50), (Role::SlowReaderOfMuch, 50)];

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut rows = Vec::new();
    let mut problems = Vec::new();
    for scenario in [product(options)?, faulty()?] {
        let name = scenario.name;
        table::note(&format!(
            "{name}: {} connections for {} s",
            scenario.clients, options.seconds
        ));
        let (row, found) = runtime
            .block_on(measure(scenario, Duration::from_secs(options.seconds)))
            .with_context(|| format!("loading {name}"))?;
        rows.push(row);
        problems.extend(found.into_iter().map(|problem| format!("{name}: {problem}")));
    }
    let header = [
        "server",
        "connections",
        "answers/s",
        "p50 ms",
        "p99 ms",
        "busy",
        "refused",
        "left",
        "wrong",
        "idle MB",
        "peak MB",
        "allowed MB",
        "after MB",
        "stop s",
    ];
    table::print("everything at once", &header, &rows);
    ensure!(
        problems.is_empty(),
        "the server did not hold:\n{}",
        problems.join("\n")
    );
    Ok(())
}

fn product(options: &Options) -> anyhow::Result<Scenario> {
    let address = process::free_address()?;
    let mut command = Command::new(&options.periplus);
    command
        .args([
            "serve",
            "hello",
            "met",
            "--log",
            "error",
            "--port",
            &address.port().to_string(),
        ])
        .args(["--drain-seconds", &DRAIN_SECONDS.to_string()])
        .env("XDG_CACHE_HOME", &options.cache);
    warm_up(&options.periplus, &options.cache)?;
    Ok(Scenario {
        name: "periplus serve hello met",
        command,
        address,
        cast: PRODUCT,
        clients: 2000,
    })
}

/// Builds the embedded catalogue, so that the measured server only opens it.
fn warm_up(periplus: &Path, cache: &Path) -> anyhow::Result<()> {
    let status = Command::new(periplus)
        .args(["call", "--local", "met/collection_capabilities", "--json"])
        .env("XDG_CACHE_HOME", cache)
        .stdout(std::process::Stdio::null())
        .status()
        .with_context(|| format!("starting {}", periplus.display()))?;
    ensure!(status.success(), "the embedded catalogue cannot be built");
    Ok(())
}

fn faulty() -> anyhow::Result<Scenario> {
    let address = process::free_address()?;
    let mut command = Command::new(std::env::current_exe().context("this program has a path")?);
    command
        .arg(FAULTY_SERVER)
        .args(["--port", &address.port().to_string()]);
    Ok(Scenario {
        name: "a server of faulty tools",
        command,
        address,
        cast: FAULTY,
        clients: 200,
    })
}

impl Scenario {
    fn roles(&self) -> impl Iterator<Item = Role> {
        let deck: Vec<Role> = self
            .cast
            .iter()
            .flat_map(|(role, share)| std::iter::repeat_n(*role, usize::try_from(*share).unwrap_or_default()))
            .collect();
        // A stride without a common factor with a hundred mixes the roles over the order of arrival.
        (0..self.clients).map(move |number| deck[usize::try_from(number * 37 % 100).unwrap_or_default()])
    }

    fn count(&self, role: Role) -> u64 {
        self.roles().filter(|played| *played == role).count() as u64
    }

    /// What the server may hold: half as much again as idle, and what its limits let this crowd make it hold.
    fn allowed_mb(&self, idle_mb: f64, answer_bytes: u64) -> f64 {
        let readers = self.count(Role::SlowReader) + self.count(Role::SlowReaderOfMuch);
        // An answer is held as a value, as text within it, and as the message.
        let unread_kb = readers * 3 * answer_bytes / 1024;
        let limits_kb = self.clients * CONNECTION_KB + self.count(Role::Unannounced) * BODY_KB + unread_kb;
        1.5 * idle_mb + limits_kb as f64 / 1024.0
    }
}

async fn measure(mut scenario: Scenario, duration: Duration) -> anyhow::Result<(Vec<String>, Vec<String>)> {
    let role = scenario.cast[0].0;
    let (path, body) = role.probe();
    let mut server = Server::start(&mut scenario.command, scenario.address, path, &body)?;
    let reference = reference(&scenario).await?;
    let answer_bytes = reference.len() as u64;
    let idle_mb = server.resident_megabytes()?;
    let site = |length: Duration| {
        Arc::new(Site {
            address: scenario.address,
            end: Instant::now() + length,
            is_stopping: AtomicBool::new(false),
            reference: reference.clone(),
        })
    };
    let crowd = tokio::spawn(load(site(duration), scenario.roles().collect()));
    let peak_mb = peak_megabytes(&server, &crowd).await?;
    let mut tally = crowd.await?;
    tokio::time::sleep(REST).await;
    let after_mb = server.resident_megabytes()?;

    let last = site(BEFORE_STOP * 2 + Duration::from_secs(DRAIN_SECONDS));
    let crowd = tokio::spawn(load(Arc::clone(&last), scenario.roles().collect()));
    tokio::time::sleep(BEFORE_STOP).await;
    last.is_stopping.store(true, Ordering::Relaxed);
    let patience = Duration::from_secs(DRAIN_SECONDS) + STOP_GRACE;
    let (stopped_in, is_clean) = tokio::task::block_in_place(|| server.stop(patience))?;
    crowd.abort();
    if let Ok(seen) = crowd.await {
        tally.add(seen);
    }

    let allowed_mb = scenario.allowed_mb(idle_mb, answer_bytes);
    let mut problems = tally.problems();
    if peak_mb > allowed_mb {
        problems.push(format!(
            "it held {peak_mb:.0} MB, more than the {allowed_mb:.0} MB that its limits allow"
        ));
    }
    if !is_clean || stopped_in > patience {
        problems.push(format!(
            "it took {:.1} s to stop, or did not end well",
            stopped_in.as_secs_f64()
        ));
    }
    let mut row = vec![scenario.name.to_owned(), scenario.clients.to_string()];
    row.extend(tally.cells(duration));
    row.extend([idle_mb, peak_mb, allowed_mb, after_mb].map(|mb| format!("{mb:.0}")));
    row.push(format!("{:.1}", stopped_in.as_secs_f64()));
    Ok((row, problems))
}

/// Asks the question of the slow readers while nobody else is there; the server has then done everything once.
async fn reference(scenario: &Scenario) -> anyhow::Result<Vec<u8>> {
    let reader = scenario.cast.iter().find(|(role, _)| role.is_slow_reader());
    let (path, body) = reader.context("every scenario has slow readers")?.0.probe();
    let mut connection = Connection::open(scenario.address).await?;
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        connection.post(path, &body).await?;
        let answer = connection.answer().await?;
        let is_right = answer.status == 200 && !answer.text().contains(r#""isError":true"#);
        if is_right {
            return Ok(answer.body);
        }
        ensure!(
            Instant::now() < end,
            "the server never became ready: {}",
            answer.text()
        );
        tokio::time::sleep(SAMPLE_PAUSE).await;
    }
}

/// Lets all clients go at the server until the end; what they saw.
async fn load(site: Arc<Site>, roles: Vec<Role>) -> Tally {
    let mut clients = tokio::task::JoinSet::new();
    for (number, role) in roles.into_iter().enumerate() {
        clients.spawn(clients::play(Arc::clone(&site), role, number as u64));
        tokio::time::sleep(START_PAUSE).await;
    }
    let mut total = Tally::default();
    while let Some(seen) = clients.join_next().await {
        match seen {
            Ok(seen) => total.add(seen),
            Err(error) => total.wrong(format!("a client failed: {error}")),
        }
    }
    total
}

async fn peak_megabytes(server: &Server, crowd: &tokio::task::JoinHandle<Tally>) -> anyhow::Result<f64> {
    let mut peak = 0_f64;
    while !crowd.is_finished() {
        peak = peak.max(server.resident_megabytes()?);
        tokio::time::sleep(SAMPLE_PAUSE).await;
    }
    Ok(peak)
}
