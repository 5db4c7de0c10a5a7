//! The progress of an import, as a bar on a terminal and as nothing elsewhere.

use std::{
    io::IsTerminal,
    sync::{Mutex, PoisonError},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use periplus_collection_import::{Phase, Progress};

/// A bar on standard error.
#[derive(Debug)]
pub(crate) struct Bar {
    bar: ProgressBar,
    phase: Mutex<Option<Phase>>,
}

impl Bar {
    pub(crate) fn new() -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        let target = if is_terminal {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        Self {
            bar: ProgressBar::with_draw_target(None, target),
            phase: Mutex::new(None),
        }
    }

    fn begin(&self, phase: Phase, total: u64) {
        // A phase that counts nothing has no end to draw.
        let template = if total == 0 {
            "{msg:18} {spinner}"
        } else {
            "{msg:18} {bar:40} {percent:>3} %"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        self.bar.set_message(phase.name());
    }
}

impl Progress for Bar {
    fn report(&self, phase: Phase, done: u64, total: u64) {
        let mut current = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        if *current != Some(phase) {
            *current = Some(phase);
            self.begin(phase, total);
        }
        self.bar.set_length(total);
        self.bar.set_position(done);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
