//! The `text/event-stream` format: bytes in, the data of each event out.

/// Splits a byte stream into events; holds at most what the caller has pushed since the last event ended.
#[derive(Debug, Default)]
pub(super) struct EventStream {
    pending: Vec<u8>,
    /// How much of `pending` is known to hold no line end, so that a long line is searched once.
    searched: usize,
    data: Vec<u8>,
    has_data: bool,
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

    fn line(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        if line.is_empty() {
            let complete = std::mem::take(&mut self.has_data);
            let data = std::mem::take(&mut self.data);
            return complete.then_some(data);
        }
        // Comments, event names, ids and retry hints carry nothing that a JSON-RPC reader needs.
        if let Some(rest) = line.strip_prefix(b"data:") {
            if std::mem::replace(&mut self.has_data, true) {
                self.data.push(b'\n');
            }
            self.data
                .extend_from_slice(rest.strip_prefix(b" ").unwrap_or(rest));
        }
        None
    }
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
    fn an_unfinished_event_is_held_and_counted() {
        let mut stream = EventStream::default();
        assert!(stream.push(b"data: abc\ndata: de").is_empty());
        assert!(stream.held() >= 5);
    }
}
