//! `hello` under load: Periplus, the bare protocol SDK, and the Python SDK, one after another.

use std::{net::SocketAddr, process::Command};

use anyhow::{Context as _, bail, ensure};
use serde::Deserialize;

use crate::{Options, process, process::Server, table};

const PATH: &str = "/mcp";
const CALL: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hello","arguments":{"name":"dev"}}}"#;
/// Open connections: one caller, and as many as a busy host keeps.
const CONNECTIONS: [u32; 2] = [1, 16];
/// Whole rounds over all servers; the median round counts.
const ROUNDS: usize = 3;

/// What the load generator reports.
#[derive(Debug, Clone, Deserialize)]
struct Load {
    requests: u64,
    seconds: f64,
    p50_us: u64,
    p99_us: u64,
    wrong: u64,
    socket_errors: u64,
}

impl Load {
    fn per_second(&self) -> f64 {
        self.requests as f64 / self.seconds
    }
}

/// One server in one round.
#[derive(Debug)]
struct Figures {
    ready_ms: f64,
    idle_mb: f64,
    loaded_mb: f64,
    loads: Vec<Load>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut servers: Vec<(&str, Vec<Figures>)> = vec![("periplus", Vec::new()), ("bare rmcp", Vec::new())];
    if options.python.is_some() {
        servers.push(("python sdk", Vec::new()));
    }
    for round in 1..=ROUNDS {
        for (name, figures) in &mut servers {
            table::note(&format!("round {round} of {ROUNDS}: {name}"));
            figures.push(measure(name, options).with_context(|| format!("measuring {name}"))?);
        }
    }
    let mut rows = Vec::new();
    let reference = summary(&servers[0].1);
    for (name, figures) in &servers {
        rows.push(row(name, &summary(figures), &reference));
    }
    let header = [
        "server",
        "ready ms",
        "idle MB",
        "MB after load",
        "req/s ×1",
        "p50 µs ×1",
        "req/s ×16",
        "p50 µs ×16",
        "p99 µs ×16",
        "periplus/this ×1",
        "periplus/this ×16",
    ];
    table::print(
        "hello tools/call: medians of three rounds; ×n is the number of connections",
        &header,
        &rows,
    );
    Ok(())
}

fn measure(name: &str, options: &Options) -> anyhow::Result<Figures> {
    let address = process::free_address()?;
    let server = Server::start(&mut command(name, address, options)?, address, PATH, CALL)?;
    let idle_mb = server.resident_megabytes()?;
    let loads = CONNECTIONS
        .iter()
        .map(|&connections| load(&server, connections, options))
        .collect::<anyhow::Result<Vec<_>>>()?;
    Ok(Figures {
        ready_ms: server.ready.as_secs_f64() * 1e3,
        idle_mb,
        loaded_mb: server.resident_megabytes()?,
        loads,
    })
}

fn command(name: &str, address: SocketAddr, options: &Options) -> anyhow::Result<Command> {
    let port = address.port().to_string();
    Ok(match name {
        "periplus" => {
            let mut command = Command::new(&options.periplus);
            command.args(["serve", "hello", "--port", &port]);
            command
        }
        "bare rmcp" => {
            let mut command = Command::new(&options.bare);
            command.arg(&port);
            command
        }
        "python sdk" => {
            let mut command = Command::new(options.python.as_ref().context("no Python was given")?);
            command.arg(options.peers.join("hello_server.py")).arg(&port);
            command
        }
        other => bail!("no server is called {other}"),
    })
}

fn load(server: &Server, connections: u32, options: &Options) -> anyhow::Result<Load> {
    let output = Command::new("wrk")
        .args(["--threads", if connections == 1 { "1" } else { "2" }])
        .args(["--connections", &connections.to_string()])
        .args(["--duration", &format!("{}s", options.seconds)])
        .arg("--script")
        .arg(options.peers.join("tools_call.lua"))
        .arg(format!("http://{}{PATH}", server.address))
        .args(["--", "hello", r#"{"name":"dev"}"#, "Hello, dev!"])
        .output()
        .context("starting wrk, the load generator (Debian package `wrk`)")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let result = text
        .lines()
        .find_map(|line| line.strip_prefix("RESULT "))
        .with_context(|| format!("wrk said: {text}"))?;
    let load: Load = serde_json::from_str(result)?;
    ensure!(
        load.wrong == 0 && load.socket_errors == 0,
        "wrong answers under load: {load:?}"
    );
    Ok(load)
}

/// Medians over the rounds, figure by figure.
fn summary(rounds: &[Figures]) -> Vec<f64> {
    let median = |figure: &dyn Fn(&Figures) -> f64| {
        let mut values: Vec<f64> = rounds.iter().map(figure).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    vec![
        median(&|figures| figures.ready_ms),
        median(&|figures| figures.idle_mb),
        median(&|figures| figures.loaded_mb),
        median(&|figures| figures.loads[0].per_second()),
        median(&|figures| figures.loads[0].p50_us as f64),
        median(&|figures| figures.loads[1].per_second()),
        median(&|figures| figures.loads[1].p50_us as f64),
        median(&|figures| figures.loads[1].p99_us as f64),
    ]
}

fn row(name: &str, figures: &[f64], reference: &[f64]) -> Vec<String> {
    let mut cells = vec![name.to_owned()];
    cells.extend(figures.iter().map(|figure| format!("{figure:.0}")));
    cells.extend([3, 5].map(|figure| format!("{:.2}", reference[figure] / figures[figure])));
    cells
}
