//! A running server: started, waited for, ended by its process id, its log shown if the test fails.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::{Arc, Condvar, Mutex},
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// Longest wait for a server to be up; the first start may build a catalogue on a busy machine.
const START_DEADLINE: Duration = Duration::from_secs(90);

/// Longest wait for a server to end once it was told to.
const STOP_DEADLINE: Duration = Duration::from_secs(30);

/// The words before the address.
const ANNOUNCEMENT: &str = " serves at ";

/// A running server.
#[derive(Debug)]
pub struct Server {
    child: Child,
    log: Arc<Log>,
    reader: Option<JoinHandle<()>>,
    url: String,
}

#[derive(Debug, Default)]
struct Log {
    lines: Mutex<Vec<String>>,
    grown: Condvar,
}

impl Log {
    fn text(&self) -> String {
        self.lines.lock().expect("no reader panics").join("\n")
    }

    /// Waits for a line that `pick` finds something in; `None` at the deadline or when the output ends.
    fn wait_for<T>(
        &self,
        deadline: Duration,
        child: &mut Child,
        pick: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let end = Instant::now() + deadline;
        let mut lines = self.lines.lock().expect("no reader panics");
        loop {
            if let Some(found) = lines.iter().find_map(|line| pick(line)) {
                return Some(found);
            }
            let has_ended = child.try_wait().is_ok_and(|status| status.is_some());
            if has_ended || Instant::now() >= end {
                return lines.iter().find_map(|line| pick(line));
            }
            (lines, _) = self
                .grown
                .wait_timeout(lines, Duration::from_millis(50))
                .expect("no reader panics");
        }
    }
}

impl Server {
    /// Starts a server and waits until it says where it is.
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let log: Arc<Log> = Arc::default();
        let stderr = child.stderr.take().expect("standard error is piped");
        let writer = Arc::clone(&log);
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                writer.lines.lock().expect("no reader panics").push(line);
                writer.grown.notify_all();
            }
        });
        let url = log.wait_for(START_DEADLINE, &mut child, |line| {
            line.split_once(ANNOUNCEMENT)
                .map(|(_, url)| url.trim().to_owned())
        });
        let Some(url) = url else {
            let _ = child.kill();
            panic!("the server did not start:\n{}", log.text());
        };
        Self {
            child,
            log,
            reader: Some(reader),
            url,
        }
    }

    /// The address it announced, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Everything it has written so far.
    #[must_use]
    pub fn log(&self) -> String {
        self.log.text()
    }

    /// Waits until a line of the log contains a text.
    ///
    /// # Panics
    /// If no such line appears.
    #[track_caller]
    pub fn wait_for_log(&mut self, text: &str) {
        let found = self.log.wait_for(STOP_DEADLINE, &mut self.child, |line| {
            line.contains(text).then_some(())
        });
        assert!(found.is_some(), "no line with {text:?}");
    }

    /// Sends a signal, such as `TERM`.
    ///
    /// # Panics
    /// If there is no such process any more.
    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill")
            .args([&format!("-{name}"), &id])
            .status()
            .expect("kill starts");
        assert!(status.success(), "the server is gone");
    }

    /// Waits for the end; the exit code and the whole log.
    ///
    /// # Panics
    /// If the server does not end.
    #[must_use]
    pub fn wait(mut self) -> (Option<i32>, String) {
        let end = Instant::now() + STOP_DEADLINE;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("the process can be waited for") {
                break status;
            }
            assert!(Instant::now() < end, "the server does not end");
            std::thread::sleep(Duration::from_millis(10));
        };
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
        (status.code(), self.log.text())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
        if std::thread::panicking() {
            show(&self.log.text());
        }
    }
}

#[expect(
    clippy::print_stderr,
    reason = "the log of a failed test belongs into its output"
)]
fn show(log: &str) {
    eprintln!("--- log of the server ---\n{log}\n---");
}
