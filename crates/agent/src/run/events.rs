//! From a run to whoever listens.

use futures::{StreamExt, stream};
use tokio::sync::mpsc::{Receiver, Sender};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::{AgentError, ThreadId, TurnEvent, TurnStream};

type Item = Result<TurnEvent, AgentError>;

/// The sending end.
pub(super) struct Events {
    sender: Sender<Item>,
    cancel: CancellationToken,
}

impl Events {
    pub(super) fn new(sender: Sender<Item>, cancel: CancellationToken) -> Self {
        Self { sender, cancel }
    }

    /// Tells something. A consumer that reads slowly slows the run; once the run is cancelled nobody is waited for.
    pub(super) async fn send(&self, event: TurnEvent) {
        tokio::select! {
            biased;
            // An error means that nobody listens, and then the run is being cancelled.
            _ = self.sender.send(Ok(event)) => {}
            () = self.cancel.cancelled() => {}
        }
    }

    pub(super) fn into_sender(self) -> Sender<Item> {
        self.sender
    }
}

/// The receiving end.
struct Listening {
    events: Receiver<Item>,
    thread: ThreadId,
    is_over: bool,
    /// Cancels the run when the stream is dropped.
    _cancel: DropGuard,
}

/// The stream of a run: its last item says how the run ended, also if its task was killed.
pub(crate) fn stream(events: Receiver<Item>, cancel: CancellationToken, thread: ThreadId) -> TurnStream {
    let listening = Listening {
        events,
        thread,
        is_over: false,
        _cancel: cancel.drop_guard(),
    };
    stream::unfold(listening, |mut listening| async move {
        if listening.is_over {
            return None;
        }
        let item = listening.events.recv().await;
        let item = item.unwrap_or_else(|| Err(AgentError::BrokenOff(listening.thread.clone())));
        listening.is_over = matches!(item, Ok(TurnEvent::Finished(_)) | Err(_));
        Some((item, listening))
    })
    .boxed()
}
