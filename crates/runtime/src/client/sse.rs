//! The `text/event-stream` format: bytes in, the data of each event out.

use std::time::Duration;

/// Splits a byte stream into events; holds at most what the caller has pushed since the last event ended.
#[derive(Debug, Default)]
pub(super) struct EventStream {
    pending: Vec<u8>,
    /// How much of `pending` is known to hold no line end, so that a long line is searched once.
    searched: usize,
    data: Vec<u8>,
    has_data: bool,
    last_id: Option<String>,
    retry: Option<Duration>,
}

impl EventStream {
    /// Takes more bytes and returns the data of the events they complete.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        self.pending.extend_from_slice(bytes);
        let mut events = Vec::new();
        while let Some(length) = self.pending[self.searched..]
            .iter()
            .position(|byte| *byte == b'\n')
        {
            let rest = self.pending.split_off(self.searched + length + 1);
            let line = std::mem::replace(&mut self.pending, rest);
            self.searched = 0;
            let line = line.strip_suffix(b"\n").unwrap_or(&line);
            events.extend(self.line(line.strip_suffix(b"\r").unwrap_or(line)));
        }
        self.searched = self.pending.len();
        events
    }

    /// Bytes held for events that are not complete yet.
    pub(super) fn held(&self) -> usize {
        self.pending.len() + self.data.len()
    }

    /// The id of the last event that had one, with which the rest of the stream can be asked for.
    pub(super) fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref()
    }

    /// How long the server wants to be left alone before that.
    pub(super) fn retry(&self) -> Option<Duration> {
        self.retry
    }

    fn line(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        if line.is_empty() {
            let complete = std::mem::take(&mut self.has_data);
            let data = std::mem::take(&mut self.data);
            return complete.then_some(data);
        }
        // Comments and event names carry nothing that a JSON-RPC reader needs.
        if let Some(rest) = line.strip_prefix(b"data:") {
            if std::mem::replace(&mut self.has_data, true) {
                self.data.push(b'\n');
            }
            self.data
                .extend_from_slice(rest.strip_prefix(b" ").unwrap_or(rest));
        } else if let Some(id) = field(line, b"id:") {
            self.last_id = Some(id.to_owned()).filter(|id| !id.is_empty());
        } else if let Some(retry) = field(line, b"retry:") {
            self.retry = retry.parse().ok().map(Duration::from_millis);
        }
        None
    }
}

/// The text of a field.
fn field<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a str> {
    let value = line.strip_prefix(name)?;
    std::str::from_utf8(value.strip_prefix(b" ").unwrap_or(value)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(chunks: &[&str]) -> Vec<String> {
        let mut stream = EventStream::default();
        chunks
            .iter()
            .flat_map(|chunk| stream.push(chunk.as_bytes()))
            .map(|event| String::from_utf8(event).unwrap())
            .collect()
    }

    #[test]
    fn events_survive_any_chunking_and_both_line_ends() {
        let text =
            ": hello\r\nevent: message\r\nid: 1\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\ndata:second\n\n: bye\n\n";
        let expected = ["{\"a\":\n1}", "second"];
        assert_eq!(events(&[text]), expected);
        for cut in 1..text.len() {
            let (head, tail) = text.split_at(cut);
            assert_eq!(events(&[head, tail]), expected, "cut at {cut}");
        }
    }

    #[test]
    fn a_stream_says_how_to_go_on_with_it() {
        let mut stream = EventStream::default();
        stream.push(b"id: 7\nretry: 250\ndata: \n\nid\ndata: x\n\n");
        assert_eq!(stream.last_id(), Some("7"));
        assert_eq!(stream.retry(), Some(Duration::from_millis(250)));
    }

    #[test]
    fn an_unfinished_event_is_held_and_counted() {
        let mut stream = EventStream::default();
        assert!(stream.push(b"data: abc\ndata: de").is_empty());
        assert!(stream.held() >= 5);
    }
}
