//! A server under measurement: started on a free port, watched, stopped by its process id.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};

/// Longest wait for a server's first answer.
const READY_TIMEOUT: Duration = Duration::from_secs(60);

/// A running server.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    /// From starting the program to its first good answer.
    pub(crate) ready: Duration,
}

impl Server {
    /// Starts a program that listens on the given port, and waits until `body` gets a 200 from `path`.
    pub(crate) fn start(
        command: &mut Command,
        address: SocketAddr,
        path: &str,
        body: &str,
    ) -> anyhow::Result<Self> {
        let started = Instant::now();
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("starting {:?}", command.get_program()))?;
        let mut server = Self {
            child,
            address,
            ready: Duration::ZERO,
        };
        while !answers(address, path, body) {
            if let Some(status) = server.child.try_wait()? {
                bail!(
                    "{:?} ended with {status} before it answered",
                    command.get_program()
                );
            }
            if started.elapsed() > READY_TIMEOUT {
                bail!(
                    "{:?} did not answer within {READY_TIMEOUT:?}",
                    command.get_program()
                );
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        server.ready = started.elapsed();
        Ok(server)
    }

    /// Tells the process to stop and waits for its end, at most twice as long as it may take. How long it took, and
    /// whether it ended with success.
    pub(crate) fn stop(&mut self, patience: Duration) -> anyhow::Result<(Duration, bool)> {
        let told = Instant::now();
        let status = Command::new("kill")
            .args(["-TERM", &self.child.id().to_string()])
            .status()
            .context("starting kill")?;
        anyhow::ensure!(status.success(), "the server is gone before it was told to stop");
        while told.elapsed() < patience * 2 {
            if let Some(status) = self.child.try_wait()? {
                return Ok((told.elapsed(), status.success()));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok((told.elapsed(), false))
    }

    /// Memory that the process holds now, in MB.
    pub(crate) fn resident_megabytes(&self) -> anyhow::Result<f64> {
        status_megabytes(&self.child.id().to_string(), "VmRSS:")
    }
}

/// A figure of a process's status, in MB; `self` is this process.
pub(crate) fn status_megabytes(pid: &str, figure: &str) -> anyhow::Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(figure));
    let kilobytes: f64 = line
        .with_context(|| format!("no {figure} in /proc"))?
        .trim()
        .trim_end_matches(" kB")
        .parse()?;
    Ok(kilobytes / 1024.0)
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended already; there is nothing else to do about either error.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A port that was free a moment ago.
pub(crate) fn free_address() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}

fn answers(address: SocketAddr, path: &str, body: &str) -> bool {
    post(address, path, body).is_ok_and(|answer| answer.starts_with("HTTP/1.1 200"))
}

fn post(address: SocketAddr, path: &str, body: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(1))?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}
