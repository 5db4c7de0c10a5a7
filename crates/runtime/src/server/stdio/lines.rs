//! Lines of bounded length from a stream of bytes.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// One line of input, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Message(Vec<u8>),
    /// It was longer than allowed and was skipped.
    TooLong,
}

/// Reads lines; a line that is interrupted in the middle is kept for the next call.
pub(super) struct Lines<I> {
    input: BufReader<I>,
    max_bytes: usize,
    begun: Vec<u8>,
    is_too_long: bool,
}

impl<I: AsyncRead + Unpin> Lines<I> {
    pub(super) fn new(input: I, max_bytes: usize) -> Self {
        Self {
            input: BufReader::new(input),
            max_bytes,
            begun: Vec::new(),
            is_too_long: false,
        }
    }

    /// The next line, or `None` at the end. A last line needs no line break.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let available = self.input.fill_buf().await?;
            if available.is_empty() {
                let is_end = self.begun.is_empty() && !self.is_too_long;
                return Ok((!is_end).then(|| self.take()));
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = available
                .get(..end.unwrap_or(available.len()))
                .unwrap_or(available);
            if self.begun.len() + part.len() > self.max_bytes {
                self.is_too_long = true;
                self.begun = Vec::new();
            }
            if !self.is_too_long {
                self.begun.extend_from_slice(part);
            }
            let read = part.len() + usize::from(end.is_some());
            self.input.consume(read);
            if end.is_some() {
                return Ok(Some(self.take()));
            }
        }
    }

    fn take(&mut self) -> Line {
        let line = std::mem::take(&mut self.begun);
        if std::mem::take(&mut self.is_too_long) {
            Line::TooLong
        } else {
            Line::Message(line)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(text: &str, max_bytes: usize) -> Vec<Line> {
        let mut lines = Lines::new(text.as_bytes(), max_bytes);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            all.push(line);
        }
        all
    }

    fn message(text: &str) -> Line {
        Line::Message(text.into())
    }

    #[tokio::test]
    async fn the_last_line_needs_no_line_break() {
        assert_eq!(
            read("a\n\nbc", 10).await,
            [message("a"), message(""), message("bc")]
        );
        assert_eq!(read("a\n", 10).await, [message("a")]);
        assert_eq!(read("", 10).await, []);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_skipped_and_the_next_one_read() {
        let text = format!("{}\nok\n{}", "x".repeat(100_000), "y".repeat(11));
        assert_eq!(
            read(&text, 10).await,
            [Line::TooLong, message("ok"), Line::TooLong]
        );
        assert_eq!(read("0123456789\n", 10).await, [message("0123456789")]);
    }
}
