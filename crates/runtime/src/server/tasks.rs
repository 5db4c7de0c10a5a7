//! Calls whose callers were let go: kept in this process until their results are fetched or expire.
//!
//! Another replica does not know them, so a server of several replicas offers none.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, SystemTime},
};

use chrono::{DateTime, SecondsFormat, Utc};
use futures::future::BoxFuture;
use periplus_toolset::{Answers, InputRequest, Line};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use super::{
    call::{Call, Ended},
    protocol::RpcError,
    stream::Outcome,
};

/// How long a task is kept, from its beginning.
const LIFETIME: Duration = Duration::from_secs(2 * 60 * 60);
/// How often clients are advised to look.
const POLL_PAUSE: Duration = Duration::from_millis(500);

/// The tasks of one toolset.
#[derive(Debug)]
pub(super) struct Tasks {
    limit: usize,
    by_id: Mutex<HashMap<String, Arc<Task>>>,
}

/// One call that may become, or has become, a task.
#[derive(Debug)]
pub(super) struct Task {
    id: String,
    /// Who may ask for it.
    caller: [u8; 32],
    created: SystemTime,
    state: Mutex<State>,
    /// Told when answers come in.
    answered: Notify,
    cancel: CancellationToken,
}

#[derive(Debug)]
struct State {
    updated: SystemTime,
    status: Status,
}

#[derive(Debug)]
enum Status {
    Working,
    InputRequired { open: Vec<InputRequest>, given: Answers },
    Completed(String),
    Failed(RpcError),
    Cancelled,
}

impl Tasks {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            by_id: Mutex::default(),
        }
    }

    /// The task of that id, if it is the caller's.
    ///
    /// # Errors
    /// There is none for this caller.
    pub(super) fn find(&self, id: &str, caller: &[u8; 32]) -> Result<Arc<Task>, RpcError> {
        let found = self.lock().get(id).cloned();
        found
            .filter(|task| task.caller == *caller && !task.is_expired())
            .ok_or_else(|| RpcError::unknown_task(id))
    }

    /// Keeps a task, unless there are as many as may be.
    fn keep(&self, task: &Arc<Task>) -> bool {
        let mut tasks = self.lock();
        tasks.retain(|_, task| !task.is_expired());
        if tasks.len() >= self.limit {
            return false;
        }
        tasks.insert(task.id.clone(), Arc::clone(task));
        true
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Task>>> {
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Task {
    pub(super) fn new(caller: [u8; 32]) -> Arc<Self> {
        let now = SystemTime::now();
        Arc::new(Self {
            id: uuid::Uuid::new_v4().to_string(),
            caller,
            created: now,
            state: Mutex::new(State {
                updated: now,
                status: Status::Working,
            }),
            answered: Notify::new(),
            cancel: CancellationToken::new(),
        })
    }

    /// The task as JSON text: its fields, and what its status has to show.
    ///
    /// `tail` ends the object, as it ends every result.
    pub(super) fn describe(&self, tail: &str) -> String {
        let state = self.lock();
        let fields = self.fields(&state);
        let more = match &state.status {
            Status::Working | Status::Cancelled => String::new(),
            Status::InputRequired { open, .. } => format!(r#","inputRequests":{}"#, input_requests(open)),
            Status::Completed(result) => format!(r#","result":{result}"#),
            Status::Failed(error) => {
                let error = serde_json::to_string(error).expect("an error is serialisable");
                format!(r#","error":{error}"#)
            }
        };
        format!("{{{fields}{more},{tail}}}")
    }

    /// The answer to the call that became this task.
    fn announcement(&self, meta: &str) -> String {
        let fields = self.fields(&self.lock());
        format!(r#"{{"resultType":"task",{fields},"_meta":{meta}}}"#)
    }

    /// The fields that are always there, without the braces.
    fn fields(&self, state: &State) -> String {
        let status = match state.status {
            Status::Working => "working",
            Status::InputRequired { .. } => "input_required",
            Status::Completed(_) => "completed",
            Status::Failed(_) => "failed",
            Status::Cancelled => "cancelled",
        };
        let fields = json!({
            "taskId": self.id,
            "status": status,
            "createdAt": time(self.created),
            "lastUpdatedAt": time(state.updated),
            "ttlMs": LIFETIME.as_millis() as u64,
            "pollIntervalMs": POLL_PAUSE.as_millis() as u64,
        });
        fields.to_string().trim_matches(['{', '}']).to_owned()
    }

    /// Takes answers; what is not asked is ignored.
    pub(super) fn answer(&self, answers: Answers) {
        let mut state = self.lock();
        let Status::InputRequired { open, given } = &mut state.status else {
            return;
        };
        for (key, answer) in answers {
            if let Some(place) = open.iter().position(|request| request.key == key) {
                open.remove(place);
                given.insert(key, answer);
            }
        }
        state.updated = SystemTime::now();
        drop(state);
        self.answered.notify_one();
    }

    /// Ends the task, unless it has ended.
    pub(super) fn cancel(&self) {
        if self.settle(Status::Cancelled) {
            self.cancel.cancel();
        }
    }

    fn finish(&self, ended: Ended) {
        self.settle(match ended.into_task_end() {
            Ok(result) => Status::Completed(result),
            Err(error) => Status::Failed(error),
        });
    }

    /// Sets a last status; the first one stays.
    fn settle(&self, status: Status) -> bool {
        let mut state = self.lock();
        let is_running = matches!(state.status, Status::Working | Status::InputRequired { .. });
        if is_running {
            state.status = status;
            state.updated = SystemTime::now();
        }
        is_running
    }

    /// Puts questions, and waits until all are answered.
    async fn ask(&self, requests: Vec<InputRequest>) -> Answers {
        {
            let mut state = self.lock();
            if matches!(state.status, Status::Working) {
                state.status = Status::InputRequired {
                    open: requests,
                    given: Answers::new(),
                };
                state.updated = SystemTime::now();
            }
        }
        loop {
            let answered = self.answered.notified();
            if let Some(answers) = self.take_answers() {
                return answers;
            }
            answered.await;
        }
    }

    fn take_answers(&self) -> Option<Answers> {
        let mut state = self.lock();
        let Status::InputRequired { open, given } = &mut state.status else {
            return None;
        };
        if !open.is_empty() {
            return None;
        }
        let given = std::mem::take(given);
        state.status = Status::Working;
        Some(given)
    }

    fn is_expired(&self) -> bool {
        self.created.elapsed().is_ok_and(|age| age > LIFETIME)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn time(time: SystemTime) -> String {
    DateTime::<Utc>::from(time).to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Questions as clients get them.
pub(super) fn input_requests(requests: &[InputRequest]) -> Value {
    requests
        .iter()
        .map(|request| {
            let question = json!({ "method": request.method, "params": request.params });
            (request.key.clone(), question)
        })
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// The line of a call that may become a task.
pub(super) struct TaskLine {
    tasks: Arc<Tasks>,
    task: Arc<Task>,
    is_detached: AtomicBool,
    detached: Notify,
}

impl TaskLine {
    pub(super) fn new(tasks: Arc<Tasks>, caller: [u8; 32]) -> Arc<Self> {
        Arc::new(Self {
            tasks,
            task: Task::new(caller),
            is_detached: AtomicBool::new(false),
            detached: Notify::new(),
        })
    }

    fn is_detached(&self) -> bool {
        self.is_detached.load(Ordering::Acquire)
    }
}

impl Line for TaskLine {
    fn ask(&self, requests: Vec<InputRequest>) -> Option<BoxFuture<'_, Result<Answers, String>>> {
        // While the caller waits for this very call, questions end it, as they do for any other tool.
        self.is_detached()
            .then(|| Box::pin(async { Ok(self.task.ask(requests).await) }) as _)
    }

    fn detach(&self) -> BoxFuture<'_, ()> {
        // The task can be found before its id is told; where there is no place for it, the caller simply waits.
        if !self.is_detached() && self.tasks.keep(&self.task) {
            self.is_detached.store(true, Ordering::Release);
            self.detached.notify_one();
        }
        Box::pin(async {})
    }
}

/// Runs a call whose caller is answered when it ends or detaches, whichever is first.
///
/// Dropping the future before that ends the call.
pub(super) async fn run(mut call: Call, line: Arc<TaskLine>) -> Outcome {
    // The request's place is free once the caller is answered; what is detached is bounded by its own limit.
    let _permit = call.permit.take();
    let meta = call.endpoint.published.meta.to_string();
    let work = tokio::spawn({
        let line = Arc::clone(&line);
        async move {
            let ended = tokio::select! {
                biased;
                () = line.task.cancel.cancelled() => return None,
                ended = call.run() => ended,
            };
            if line.is_detached() {
                line.task.finish(ended);
                return None;
            }
            Some(ended)
        }
    });
    let mut work = AbortOnDropHandle::new(work);
    let ended = tokio::select! {
        biased;
        () = line.detached.notified() => None,
        ended = &mut work => ended.map_err(|_aborted| RpcError::shutting_down())?,
    };
    match ended {
        Some(ended) => ended.into_answer(),
        None => {
            work.detach();
            Ok(line.task.announcement(&meta))
        }
    }
}
