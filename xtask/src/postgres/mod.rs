//! A private PostgreSQL with PostGIS for tests: installed if missing, started on a free port, gone when it is dropped.
//!
//! Nothing is shared with a server of the machine: the data lie in a folder of their own, made anew each time. Every
//! database that a test creates has PostGIS, because the template that databases are copied from has it. A pooler stands
//! in front of it for those tests that want one.

mod pooler;

use std::{
    fs::File,
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

use crate::shell;

/// Where tests find the server; without it they say that they are skipped.
pub(crate) const VARIABLE: &str = "PERIPLUS_TEST_POSTGRES";

/// Where they find its pooler.
const POOLED_VARIABLE: &str = "PERIPLUS_TEST_POSTGRES_POOLED";

const BIN: &str = "/usr/lib/postgresql/15/bin";

/// There once PostGIS is.
const POSTGIS: &str = "/usr/share/postgresql/15/extension/postgis.control";

const PACKAGES: [&str; 4] = [
    "pgbouncer",
    "postgresql-15",
    "postgresql-15-postgis-3",
    "postgresql-15-postgis-3-scripts",
];

/// The database that the address names.
const DATABASE: &str = "periplus";

/// The account that Debian's package makes; PostgreSQL refuses to run as root.
const ACCOUNT: &str = "postgres";

/// Tests run as fast as they can be: nothing they store has to survive the machine.
const SETTINGS: [&str; 6] = [
    "listen_addresses=127.0.0.1",
    "fsync=off",
    "full_page_writes=off",
    "shared_buffers=32MB",
    "jit=off",
    "max_connections=200",
];

/// The certificate for `localhost` that Debian makes for every machine, and its key.
const CERTIFICATE: [&str; 2] = [
    "/etc/ssl/certs/ssl-cert-snakeoil.pem",
    "/etc/ssl/private/ssl-cert-snakeoil.key",
];

/// A start takes a fifth of a second; a machine that is busy compiling takes longer.
const START_DEADLINE: Duration = Duration::from_secs(60);

/// `cargo xtask postgres -- COMMAND…`: runs a command with the address of a private server in its environment.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let words = match arguments {
        [first, rest @ ..] if first == "--" => rest,
        all => all,
    };
    let Some((program, rest)) = words.split_first() else {
        bail!("say what to run: `cargo xtask postgres -- cargo nextest run -p periplus-agent`");
    };
    let server = Server::start()?;
    shell::run(server.beside(Command::new(program).args(rest)))
}

/// A running server and its pooler; dropping it stops both processes and removes their data.
pub(crate) struct Server {
    pub(crate) url: String,
    pooled_url: String,
    folder: PathBuf,
    process: Child,
    pooler: Child,
}

impl Server {
    /// Installs PostgreSQL and PostGIS if they are missing, and starts a server with an empty database.
    pub(crate) fn start() -> Result<Self> {
        install()?;
        let made = shell::read(as_account("mktemp")?.args(["-d", "-t", "periplus-postgres-XXXXXX"]))?;
        let folder = PathBuf::from(made.trim_end());
        let mut initdb = as_account(program("initdb"))?;
        initdb
            .args([
                "-U",
                ACCOUNT,
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--locale=C",
                "--no-sync",
                "-D",
            ])
            .arg(folder.join("data"));
        shell::read(&mut initdb)?;
        let [port, pooler_port] = free_ports()?;
        let url = |port| format!("postgresql://{ACCOUNT}@127.0.0.1:{port}/{DATABASE}");
        let server = Self {
            process: spawn(&folder, port)?,
            pooler: pooler::spawn(&folder, pooler_port, port)?,
            url: url(port),
            pooled_url: url(pooler_port),
            folder,
        };
        server
            .fill(port)
            .and_then(|()| ready(pooler_port))
            .with_context(|| {
                let log = std::fs::read_to_string(server.folder.join("log")).unwrap_or_default();
                format!("cannot start a private PostgreSQL; it said:\n{log}")
            })?;
        println!("a private PostgreSQL runs at {}", server.url);
        Ok(server)
    }

    /// Tells a command where the server is.
    pub(crate) fn beside<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env(VARIABLE, &self.url)
            .env(POOLED_VARIABLE, &self.pooled_url)
    }

    /// Waits for the server, then gives its template the extensions that tests use.
    fn fill(&self, port: u16) -> Result<()> {
        ready(port)?;
        let mut psql = client("psql", port)?;
        psql.args(["-q", "-v", "ON_ERROR_STOP=1", "-d", "template1"]);
        for extension in ["postgis", "pg_trgm", "unaccent"] {
            psql.arg("-c").arg(format!("create extension {extension}"));
        }
        shell::read(&mut psql)?;
        shell::read(client("createdb", port)?.arg(DATABASE))?;
        Ok(())
    }
}

/// Waits until connections are accepted.
fn ready(port: u16) -> Result<()> {
    let started = Instant::now();
    while shell::read(client("pg_isready", port)?.arg("-q")).is_err() {
        ensure!(
            started.elapsed() < START_DEADLINE,
            "no connections are accepted after {START_DEADLINE:?}"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// One of PostgreSQL's own clients, for a port.
fn client(name: &str, port: u16) -> Result<Command> {
    let mut command = as_account(program(name))?;
    command.args(["-h", "127.0.0.1", "-U", ACCOUNT, "-p", &port.to_string()]);
    Ok(command)
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.pooler.kill();
        let _ = self.pooler.wait();
        // By the process id that the server wrote into its folder: no other server is meant.
        let stop = as_account(program("pg_ctl")).and_then(|mut command| {
            command.args(["stop", "-s", "-m", "immediate", "-D"]);
            shell::read(command.arg(self.folder.join("data")))
        });
        if stop.is_err() {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The server as a child: it ends with this process, however this process ends.
fn spawn(folder: &Path, port: u16) -> Result<Child> {
    let log = folder.join("log");
    let log = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
    let mut command = account(&["--pdeathsig=INT"])?;
    command
        .arg(program("postgres"))
        .arg("-D")
        .arg(folder.join("data"));
    command.arg("-k").arg(folder).arg("-p").arg(port.to_string());
    for setting in SETTINGS {
        command.arg("-c").arg(setting);
    }
    let [certificate, key] = CERTIFICATE;
    // Only root can see whether the key is there, and the server's account may read it.
    if Path::new(certificate).exists() && Path::new(key).exists() {
        command.args(["-c", "ssl=on", "-c", &format!("ssl_cert_file={certificate}")]);
        command.args(["-c", &format!("ssl_key_file={key}")]);
    }
    command
        .stdin(Stdio::null())
        .stdout(log.try_clone().context("cannot share the log of the server")?)
        .stderr(log)
        .spawn()
        .context("cannot start the PostgreSQL server")
}

/// A program run as the account of the server where this process is root, else as who we are.
fn as_account(program: impl AsRef<std::ffi::OsStr>) -> Result<Command> {
    let mut command = account(&[])?;
    command.arg(program);
    Ok(command)
}

fn account(options: &[&str]) -> Result<Command> {
    let mut command = Command::new("setpriv");
    if is_root()? {
        let group = format!("--regid={ACCOUNT}");
        command.args([&format!("--reuid={ACCOUNT}"), &group, "--init-groups"]);
    }
    // Its messages are read by nobody but us, and its folder is not ours to be in.
    command
        .args(options)
        .env_clear()
        .env("LC_ALL", "C")
        .current_dir("/");
    Ok(command)
}

fn is_root() -> Result<bool> {
    Ok(shell::read(Command::new("id").arg("-u"))?.trim_end() == "0")
}

fn program(name: &str) -> PathBuf {
    Path::new(BIN).join(name)
}

fn is_installed() -> bool {
    [
        &program("postgres"),
        Path::new(POSTGIS),
        Path::new(pooler::PROGRAM),
    ]
    .iter()
    .all(|path| path.exists())
}

/// Installs Debian's packages, as root or with a `sudo` that asks nothing.
fn install() -> Result<()> {
    if is_installed() {
        return Ok(());
    }
    let packages = PACKAGES.join(" ");
    ensure!(
        shell::is_installed("apt-get"),
        "PostgreSQL 15 with PostGIS is not in {BIN}: install it there (Debian packages {packages}), or set {VARIABLE} to the address of a server that tests may fill"
    );
    println!("installing {packages} with apt-get");
    let apt = |arguments: &[&str]| -> Result<()> {
        let mut command = Command::new(if is_root()? { "env" } else { "sudo" });
        if !is_root()? {
            command.args(["-n", "env"]);
        }
        command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]);
        command.args(["-o", "DPkg::Lock::Timeout=300"]).args(arguments);
        shell::read(&mut command).map(drop)
    };
    apt(&["update"])?;
    let mut arguments = vec!["install", "-y", "--no-install-recommends"];
    arguments.extend(PACKAGES);
    apt(&arguments)?;
    ensure!(
        is_installed(),
        "{packages} are installed, but {BIN}, {POSTGIS} or {} is not there",
        pooler::PROGRAM
    );
    Ok(())
}

/// Two ports that were free a moment ago.
fn free_ports() -> Result<[u16; 2]> {
    let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("cannot find a free port");
    let (one, other) = (listen()?, listen()?);
    Ok([one.local_addr()?.port(), other.local_addr()?.port()])
}
