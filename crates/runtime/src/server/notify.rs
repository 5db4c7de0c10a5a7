//! What a running tool tells its caller: from the tool's context to events of the response stream.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use periplus_toolset::{LogLevel, Notification, NotificationSink};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::protocol::{Meta, RpcError};

/// Notifications that may wait for a slow reader; more are dropped.
const BUFFER: usize = 64;
/// Progress may be told this often at once, and thereafter once in each pause.
const PROGRESS_BURST: u32 = 10;
const PROGRESS_PAUSE: Duration = Duration::from_millis(100);

/// RFC 5424 severities under their wire names, least severe first.
const LEVELS: [(LogLevel, &str); 8] = [
    (LogLevel::Debug, "debug"),
    (LogLevel::Info, "info"),
    (LogLevel::Notice, "notice"),
    (LogLevel::Warning, "warning"),
    (LogLevel::Error, "error"),
    (LogLevel::Critical, "critical"),
    (LogLevel::Alert, "alert"),
    (LogLevel::Emergency, "emergency"),
];

/// What a caller asked to be told while its call runs.
#[derive(Debug, Default)]
pub(super) struct Wishes {
    /// The token to name in progress notifications, as it was written.
    progress_token: Option<String>,
    /// The least severe log lines wanted.
    log_level: Option<LogLevel>,
}

impl Wishes {
    /// Reads them from a request's `_meta`; with `always_log`, lines from `info` on are wanted in any case.
    ///
    /// # Errors
    /// If the token is neither string nor number, or there is no such level.
    pub(super) fn of(meta: Option<&Meta<'_>>, always_log: bool) -> Result<Self, RpcError> {
        let unasked = always_log.then_some(LogLevel::Info);
        let Some(meta) = meta else {
            return Ok(Self {
                progress_token: None,
                log_level: unasked,
            });
        };
        let progress_token = meta.progress_token.map(|token| token.get());
        let is_token = |token: &str| token.starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit());
        if progress_token.is_some_and(|token| !is_token(token)) {
            return Err(RpcError::invalid_params(
                "`progressToken` must be a string or a number",
            ));
        }
        let log_level = match meta.log_level {
            Some(_) => Some(parse_level(meta.log_level().as_deref().unwrap_or_default())?),
            None => unasked,
        };
        Ok(Self {
            progress_token: progress_token.map(str::to_owned),
            log_level,
        })
    }

    /// Whether anything was asked for.
    pub(super) fn any(&self) -> bool {
        self.progress_token.is_some() || self.log_level.is_some()
    }

    /// A channel for what was asked for: messages ready to be sent come out of its end.
    pub(super) fn channel(self, logger: &str) -> (Sink, mpsc::Receiver<Value>) {
        let (messages, received) = mpsc::channel(BUFFER);
        (
            Sink {
                wishes: self,
                logger: logger.to_owned(),
                messages,
                told: Mutex::new(Told::default()),
            },
            received,
        )
    }
}

/// The level of that name.
///
/// # Errors
/// There is none.
pub(super) fn parse_level(name: &str) -> Result<LogLevel, RpcError> {
    let names = LEVELS.map(|(_, name)| name).join(", ");
    LEVELS
        .iter()
        .find_map(|(level, known)| (*known == name).then_some(*level))
        .ok_or_else(|| RpcError::invalid_params(format!("there is no such log level; these are: {names}")))
}

/// Turns a tool's notifications into messages, leaving out what was not asked for.
#[derive(Debug)]
pub(super) struct Sink {
    wishes: Wishes,
    logger: String,
    messages: mpsc::Sender<Value>,
    told: Mutex<Told>,
}

/// What progress was told.
#[derive(Debug, Default)]
struct Told {
    /// The furthest.
    progress: Option<f64>,
    /// Until when the burst is used up, if it goes on like this.
    used_until: Option<Instant>,
}

impl NotificationSink for Sink {
    fn send(&self, notification: Notification) {
        let message = match notification {
            Notification::Progress {
                progress,
                total,
                message,
            } => self.progress(progress, total, message),
            Notification::Log { level, data } => self.log(level, &data),
        };
        if let Some(message) = message {
            // A reader that does not keep up misses notifications, never the result.
            let _ = self.messages.try_send(message);
        }
    }
}

impl Sink {
    /// Where messages go beside the tool's notifications.
    pub(super) fn messages(&self) -> mpsc::Sender<Value> {
        self.messages.clone()
    }

    fn progress(&self, progress: f64, total: Option<f64>, text: Option<String>) -> Option<Value> {
        let token = self.wishes.progress_token.as_deref()?;
        if !self.is_news(progress, total) {
            return None;
        }
        let token: Value = serde_json::from_str(token).ok()?;
        let mut params = json!({ "progressToken": token, "progress": progress });
        if let Some(total) = total {
            params["total"] = total.into();
        }
        if let Some(text) = text {
            params["message"] = text.into();
        }
        Some(notification("notifications/progress", &params))
    }

    /// Whether the progress grew, and was not told too often; reaching the total is always told.
    fn is_news(&self, progress: f64, total: Option<f64>) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let used_until = told.used_until.unwrap_or(now).max(now) + PROGRESS_PAUSE;
        let has_room = used_until <= now + PROGRESS_PAUSE * PROGRESS_BURST;
        let is_news = progress.is_finite()
            && told.progress.is_none_or(|before| progress > before)
            && (has_room || total.is_some_and(|total| progress >= total));
        if is_news {
            *told = Told {
                progress: Some(progress),
                used_until: Some(used_until),
            };
        }
        is_news
    }

    fn log(&self, level: LogLevel, data: &Value) -> Option<Value> {
        if level < self.wishes.log_level? {
            return None;
        }
        let name = LEVELS
            .iter()
            .find_map(|(known, name)| (*known == level).then_some(*name))?;
        Some(notification(
            "notifications/message",
            &json!({ "level": name, "logger": self.logger, "data": data }),
        ))
    }
}

fn notification(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(progress: f64, total: Option<f64>) -> Notification {
        Notification::Progress {
            progress,
            total,
            message: None,
        }
    }

    #[test]
    fn progress_only_grows_and_is_told_at_a_bounded_rate() {
        let wishes = Wishes {
            progress_token: Some("\"t\"".to_owned()),
            log_level: None,
        };
        let (sink, mut messages) = wishes.channel("x");
        for n in [1.0, 1.0, 0.5, f64::NAN, 2.0] {
            sink.send(progress(n, Some(1000.0)));
        }
        for n in 3..=1000 {
            sink.send(progress(n.into(), Some(1000.0)));
        }
        let told: Vec<f64> = std::iter::from_fn(|| messages.try_recv().ok())
            .map(|message| message["params"]["progress"].as_f64().unwrap())
            .collect();
        assert_eq!((told[0], told[1], told.last()), (1.0, 2.0, Some(&1000.0)));
        assert!((PROGRESS_BURST..20).contains(&(told.len() as u32)), "{told:?}");
    }

    #[test]
    fn a_reader_that_does_not_keep_up_does_not_hold_the_tool() {
        let wishes = Wishes {
            progress_token: None,
            log_level: Some(LogLevel::Warning),
        };
        let (sink, mut messages) = wishes.channel("x");
        for n in 0..1000 {
            sink.send(Notification::Log {
                level: LogLevel::Error,
                data: n.into(),
            });
            sink.send(Notification::Log {
                level: LogLevel::Info,
                data: n.into(),
            });
            sink.send(progress(n.into(), None));
        }
        let told: Vec<Value> = std::iter::from_fn(|| messages.try_recv().ok()).collect();
        assert_eq!(told.len(), BUFFER);
        assert!(told.iter().all(|message| message["params"]["level"] == "error"));
    }
}
