//! Looks at raw frames for what the library's events leave out: how much came, and refusals.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use genai::chat::{ChatFrameSink, FrameCtx, RawFrameRef};
use serde_json::Value;

/// Longest refusal kept.
const MAX_REFUSAL_BYTES: usize = 2000;

/// What the frames of one attempt showed.
#[derive(Debug, Default)]
pub(super) struct FrameWatch {
    bytes: AtomicUsize,
    refusal: Mutex<String>,
}

impl FrameWatch {
    /// Bytes of all frames so far.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The refusal the frames spelled out, if they did.
    pub(super) fn refusal(&self) -> Option<String> {
        let refusal = self.refusal.lock().unwrap_or_else(PoisonError::into_inner);
        (!refusal.is_empty()).then(|| refusal.clone())
    }

    fn note_refusal(&self, text: &str) {
        let mut refusal = self.refusal.lock().unwrap_or_else(PoisonError::into_inner);
        if refusal.len() + text.len() <= MAX_REFUSAL_BYTES {
            refusal.push_str(text);
        }
    }
}

impl ChatFrameSink for FrameWatch {
    fn on_frame(&self, _cx: &FrameCtx, frame: RawFrameRef<'_>) {
        self.bytes.fetch_add(frame.data.len(), Ordering::Relaxed);
        // Parsing every frame twice would double the work of a long answer; these words are rare in one.
        if !frame.data.contains("\"refusal\"") && !frame.data.contains("\"blockReason\"") {
            return;
        }
        let Some(frame) = frame.json() else { return };
        let spoken = frame.pointer("/choices/0/delta/refusal").and_then(Value::as_str);
        let blocked = frame
            .pointer("/promptFeedback/blockReason")
            .and_then(Value::as_str);
        if let Some(text) = spoken.or(blocked) {
            self.note_refusal(text);
        }
    }
}
