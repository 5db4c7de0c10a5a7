//! A turn on the screen, as it goes.

use periplus_agent::{TurnEvent, TurnOutcome, TurnResult};

use super::{Markdown, finished, started};
use crate::{exit::CliError, printer, wrap::Wrap};

/// What of a turn is on the screen.
pub(crate) struct Screen {
    markdown: Markdown,
    wrap: Wrap,
}

impl Default for Screen {
    fn default() -> Self {
        Self {
            markdown: Markdown::default(),
            wrap: Wrap::new(printer::width()),
        }
    }
}

impl Screen {
    /// Shows a moment of the turn.
    pub(crate) fn show(&mut self, event: TurnEvent) -> Result<(), CliError> {
        match event {
            TurnEvent::AnswerChunk { text, .. } => {
                self.wrap.resize(printer::width());
                let drawn = self.markdown.push(&printer::printable(&text));
                printer::text(&self.wrap.push(&drawn))?;
            }
            TurnEvent::ToolStarted { name, arguments, .. } => {
                self.flush()?;
                printer::note(&started(&name, &arguments));
            }
            TurnEvent::ToolFinished {
                content,
                is_error,
                artifact,
                ..
            } => {
                for line in finished(&content, is_error, &artifact) {
                    printer::note(&line);
                }
            }
            TurnEvent::Retrying { attempt, reason, .. } => {
                self.flush()?;
                printer::note(&format!("asking the model again (attempt {attempt}): {reason}"));
            }
            _ => {}
        }
        Ok(())
    }

    /// Ends the line that is being written.
    pub(crate) fn flush(&mut self) -> Result<(), CliError> {
        let drawn = self.markdown.finish();
        Ok(printer::text(&(self.wrap.push(&drawn) + &self.wrap.finish()))?)
    }

    /// Says how the turn ended, if not by answering.
    pub(crate) fn end(&mut self, result: &TurnResult) -> Result<(), CliError> {
        self.flush()?;
        if !result.citations.is_empty() {
            printer::prose(&format!("Sources: {}", result.citations.join(", ")))?;
        }
        match &result.outcome {
            Some(TurnOutcome::Cancelled) => printer::note("cancelled; what was finished is kept"),
            Some(TurnOutcome::Stopped { reason }) => printer::note(&format!("note: {reason}")),
            _ => {}
        }
        Ok(())
    }
}
