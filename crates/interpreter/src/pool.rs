//! The parent's side: workers started ahead of need, each given one program and a time to live.

use std::{
    ffi::OsString,
    io,
    path::PathBuf,
    process::{ExitStatus, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    process::{Child, Command},
    sync::Semaphore,
};

use crate::{
    Confinement, Error, Limits, Program,
    protocol::{self, Ending, REPLY_OVERHEAD_BYTES, REQUEST_BYTES, Reply},
    worker,
};

/// How long a worker may outlive its program's time limit: what an operation that looks at no clock gets.
const GRACE: Duration = Duration::from_secs(1);

/// Bytes of a worker's last words that are kept.
const STDERR_BYTES: u64 = 8 << 10;

/// How workers are started, and how many run.
#[derive(Debug, Clone)]
pub struct Config {
    /// The binary that offers the worker; normally this one.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Workers kept ready.
    pub prewarmed: usize,
    /// Programs that run at once.
    pub running: usize,
    /// Programs that may wait for their turn.
    pub waiting: usize,
}

impl Config {
    /// One worker of `program` kept ready, two programs at once, sixteen waiting.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            arguments: vec![worker::ARGUMENT.into()],
            prewarmed: 1,
            running: 2,
            waiting: 16,
        }
    }

    /// Workers of the running binary.
    ///
    /// # Errors
    /// If the system does not say which binary this is.
    pub fn of_this_binary() -> io::Result<Self> {
        Ok(Self::new(std::env::current_exe()?))
    }
}

/// Runs programs; a clone shares workers and limits.
#[derive(Debug, Clone)]
pub struct Interpreter(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: Config,
    ready: Mutex<Vec<Child>>,
    running: Semaphore,
    waiting: AtomicUsize,
    told_of_gaps: AtomicBool,
}

/// What a program left.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Its result.
    pub result: Value,
    /// What it printed.
    pub output: String,
    /// Whether it printed more than was kept.
    pub output_truncated: bool,
    /// From handing the program over to having the answer.
    pub elapsed: Duration,
    /// The guards it ran behind.
    pub confinement: Confinement,
}

impl Interpreter {
    /// Starts nothing yet: the first program starts the first workers.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self(Arc::new(Inner {
            ready: Mutex::new(Vec::new()),
            running: Semaphore::new(config.running.max(1)),
            waiting: AtomicUsize::new(0),
            told_of_gaps: AtomicBool::new(false),
            config,
        }))
    }

    /// Starts the workers that are kept ready. A worker that cannot be started shows when a program needs one.
    pub fn warm(&self) {
        let missing = self.0.config.prewarmed.saturating_sub(self.ready().len());
        for _ in 0..missing {
            match self.spawn() {
                Ok(child) => self.keep(child),
                Err(error) => return tracing::warn!(%error, "no worker is ready"),
            }
        }
    }

    /// Keeps a worker ready, unless others were faster; then it ends.
    fn keep(&self, child: Child) {
        let mut ready = self.ready();
        if ready.len() < self.0.config.prewarmed {
            ready.push(child);
        }
    }

    /// Runs a program. Dropping the future kills it.
    ///
    /// # Errors
    /// Every way not to get a result; none of them means that a number may be made up.
    pub async fn run(&self, program: Program) -> Result<Outcome, Error> {
        protocol::admit(&program)?;
        let _turn = self.turn().await?;
        let request = serde_json::to_vec(&program).expect("tables and limits are JSON");
        if request.len() >= REQUEST_BYTES {
            return Err(Error::TooLarge {
                what: "the program with its tables",
                limit: REQUEST_BYTES,
            });
        }
        let started = Instant::now();
        let exchange = match self.exchange_with_ready(&request, &program.limits).await {
            Some(exchange) => exchange,
            None => exchange(self.spawn()?, &request, &program.limits).await,
        };
        // The next one is started behind the caller's back, who waits for the answer only.
        let next = self.clone();
        drop(tokio::task::spawn_blocking(move || next.warm()));
        let reply = read_reply(exchange, &program.limits)?;
        self.tell_of_gaps(&reply.confinement);
        outcome(reply, &program, started.elapsed())
    }

    /// A place among the running programs.
    async fn turn(&self) -> Result<tokio::sync::SemaphorePermit<'_>, Error> {
        let inner = &*self.0;
        if let Ok(turn) = inner.running.try_acquire() {
            return Ok(turn);
        }
        let queue = Waiting::enter(&inner.waiting);
        if queue.before >= inner.config.waiting {
            return Err(Error::Busy {
                running: inner.config.running,
                waiting: queue.before,
            });
        }
        Ok(inner
            .running
            .acquire()
            .await
            .expect("the semaphore is never closed"))
    }

    /// Gives the program to a worker that was kept ready; none if there is none, or if it died while it waited.
    async fn exchange_with_ready(&self, request: &[u8], limits: &Limits) -> Option<Exchange> {
        let child = self.ready().pop()?;
        let exchange = exchange(child, request, limits).await;
        (!matches!(exchange, Exchange::NotTaken)).then_some(exchange)
    }

    fn ready(&self) -> std::sync::MutexGuard<'_, Vec<Child>> {
        self.0
            .ready
            .lock()
            .expect("nothing panics while it holds the list")
    }

    fn spawn(&self) -> Result<Child, Error> {
        let config = &self.0.config;
        Command::new(&config.program)
            .args(&config.arguments)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|source| Error::Spawn {
                program: config.program.clone(),
                source,
            })
    }

    /// Once per interpreter: a machine does not change, and a log line a program would be noise.
    fn tell_of_gaps(&self, confinement: &Confinement) {
        let gaps = confinement.gaps();
        if !gaps.is_empty() && !self.0.told_of_gaps.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                gaps = gaps.join("; "),
                "analysis programs run with fewer guards than intended"
            );
        }
    }
}

/// One more in the queue, until dropped.
struct Waiting<'a> {
    count: &'a AtomicUsize,
    before: usize,
}

impl<'a> Waiting<'a> {
    fn enter(count: &'a AtomicUsize) -> Self {
        let before = count.fetch_add(1, Ordering::Relaxed);
        Self { count, before }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What came of giving a program to a worker.
enum Exchange {
    /// The worker was gone before it read the program.
    NotTaken,
    /// It was killed when its time was over.
    Killed,
    /// It ended, with what it wrote.
    Ended {
        status: io::Result<ExitStatus>,
        reply: Vec<u8>,
        stderr: String,
    },
}

async fn exchange(mut child: Child, request: &[u8], limits: &Limits) -> Exchange {
    let (Some(mut stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Exchange::NotTaken;
    };
    // One byte more than allowed tells a full reply from one that was cut.
    let most = (limits.result_bytes + limits.output_bytes * 6 + REPLY_OVERHEAD_BYTES) as u64 + 1;
    let talk = async {
        if stdin.write_all(request).await.is_err() {
            return Exchange::NotTaken;
        }
        drop(stdin);
        let (reply, stderr) = tokio::join!(read(stdout, most), read(stderr, STDERR_BYTES));
        Exchange::Ended {
            status: child.wait().await,
            reply,
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
        }
    };
    // Dropping the child kills it; the runtime reaps it.
    tokio::time::timeout(limits.time + GRACE, talk)
        .await
        .unwrap_or(Exchange::Killed)
}

async fn read(pipe: impl AsyncRead + Unpin, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A broken pipe shows as an answer that is none.
    let _ = pipe.take(most).read_to_end(&mut bytes).await;
    bytes
}

fn read_reply(exchange: Exchange, limits: &Limits) -> Result<Reply, Error> {
    match exchange {
        Exchange::NotTaken => Err(Error::Crashed {
            detail: "before it had read the program".to_owned(),
        }),
        Exchange::Killed => Err(Error::Time { limit: limits.time }),
        Exchange::Ended {
            status,
            reply,
            stderr,
        } => match serde_json::from_slice(&reply) {
            Ok(reply) => Ok(reply),
            Err(_) => Err(death(&status, &stderr, limits)),
        },
    }
}

/// How a worker died that did not answer.
fn death(status: &io::Result<ExitStatus>, stderr: &str, limits: &Limits) -> Error {
    if stderr.contains("memory allocation of") {
        return Error::Memory {
            limit: limits.memory_bytes,
        };
    }
    let ended = match status {
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    };
    // SIGXCPU, and SIGKILL at the hard limit of processor time.
    if ended.contains("SIGXCPU") || ended.contains("SIGKILL") {
        return Error::Time { limit: limits.time };
    }
    let last = stderr.lines().rfind(|line| !line.trim().is_empty());
    Error::Crashed {
        detail: last.map_or(ended.clone(), |line| format!("{ended}: {line}")),
    }
}

fn outcome(reply: Reply, program: &Program, elapsed: Duration) -> Result<Outcome, Error> {
    let result = match reply.ending {
        Ending::Result(result) => serde_json::from_str(result.get()).map_err(|error| Error::Crashed {
            detail: format!("its result is no JSON: {error}"),
        })?,
        Ending::Refused(findings) => return Err(Error::Refused(findings)),
        Ending::Failed(message) => {
            return Err(Error::Failed {
                engine: program.engine,
                message,
                output: reply.output,
            });
        }
        Ending::Time => {
            return Err(Error::Time {
                limit: program.limits.time,
            });
        }
        Ending::Memory => {
            return Err(Error::Memory {
                limit: program.limits.memory_bytes,
            });
        }
    };
    Ok(Outcome {
        result,
        output: reply.output,
        output_truncated: reply.output_truncated,
        elapsed,
        confinement: reply.confinement,
    })
}
