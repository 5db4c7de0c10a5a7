//! HTTP/1.1 by hand: tests send what no well-behaved client would, and see every byte that comes back.

use std::{net::SocketAddr, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// No answer of these tests takes this long, on however busy a machine.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    pub(crate) fn result(&self) -> Value {
        let mut body = self.json();
        assert_eq!(body["jsonrpc"], "2.0", "{body}");
        assert!(body.get("error").is_none(), "{body}");
        body["result"].take()
    }

    /// The code of a JSON-RPC error.
    pub(crate) fn code(&self) -> i64 {
        let body = self.json();
        assert_eq!(self.header("content-type"), Some("application/json"), "{body}");
        body["error"]["code"]
            .as_i64()
            .unwrap_or_else(|| panic!("no error: {body}"))
    }

    /// The text of the one content block.
    pub(crate) fn content(&self) -> String {
        let result = self.result();
        result["content"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("no text: {result}"))
            .to_owned()
    }

    /// The messages of an event stream.
    pub(crate) fn events(&self) -> Vec<Value> {
        assert_eq!(self.header("content-type"), Some("text/event-stream"), "{self:?}");
        self.text()
            .split("\n\n")
            .filter_map(|event| event.strip_prefix("data: "))
            .map(|data| serde_json::from_str(data).unwrap())
            .collect()
    }
}

/// A kept-alive connection.
pub(crate) struct Connection {
    stream: TcpStream,
    host: String,
    unread: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        // Head and body are written one after the other; the second would wait for an acknowledgement.
        stream.set_nodelay(true).unwrap();
        Self {
            stream,
            host: address.to_string(),
            unread: Vec::new(),
        }
    }

    pub(crate) async fn post(&mut self, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        self.write_post(path, headers, body).await;
        self.read().await
    }

    /// Calls the tool of [`probe`](super::probe) that never answers, and reads nothing.
    pub(crate) async fn write_hanging_call(&mut self) {
        let call = super::request("tools/call", serde_json::json!({ "name": "hangs" }));
        self.write_post("/mcp", &[], call.to_string().as_bytes()).await;
    }

    /// Sends a POST and reads nothing.
    pub(crate) async fn write_post(&mut self, path: &str, headers: &[(&str, &str)], body: &[u8]) {
        let defaults = [
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ];
        let is_replaced = |name: &str| headers.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
        let all: Vec<(&str, &str)> = defaults
            .into_iter()
            .filter(|(name, _)| !is_replaced(name))
            .chain(headers.iter().copied())
            .collect();
        self.write("POST", path, &all, body).await;
    }

    pub(crate) async fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        self.write(method, path, headers, body).await;
        let mut reply = self.read_head().await;
        if method != "HEAD" {
            self.read_body(&mut reply).await;
        }
        reply
    }

    /// Header values `-` leave the header out.
    async fn write(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            head += &format!("host: {}\r\n", self.host);
        }
        if !headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        {
            head += &format!("content-length: {}\r\n", body.len());
        }
        for (name, value) in headers.iter().filter(|(_, value)| *value != "-") {
            head += &format!("{name}: {value}\r\n");
        }
        head += "\r\n";
        self.write_raw(head.as_bytes()).await;
        // A server that refuses a body early may close before all of it is written.
        let _ = self.stream.write_all(body).await;
    }

    pub(crate) async fn write_raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    pub(crate) async fn read(&mut self) -> Reply {
        let mut reply = self.read_head().await;
        self.read_body(&mut reply).await;
        reply
    }

    pub(crate) async fn read_head(&mut self) -> Reply {
        let end = loop {
            if let Some(end) = find(&self.unread, b"\r\n\r\n") {
                break end;
            }
            assert!(self.fill().await, "the connection closed before an answer");
        };
        let head: Vec<u8> = self.unread.drain(..end + 4).collect();
        let head = String::from_utf8(head).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect();
        Reply {
            status,
            headers,
            body: Vec::new(),
        }
    }

    async fn read_body(&mut self, reply: &mut Reply) {
        if reply.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.read_chunk().await {
                reply.body.extend(chunk);
            }
        } else if let Some(length) = reply.header("content-length") {
            let length: usize = length.parse().unwrap();
            self.fill_to(length).await;
            reply.body = self.unread.drain(..length).collect();
        }
    }

    /// One chunk of a chunked body, which the server writes per event; `None` at the end.
    pub(crate) async fn read_chunk(&mut self) -> Option<Vec<u8>> {
        let end = loop {
            if let Some(end) = find(&self.unread, b"\r\n") {
                break end;
            }
            assert!(self.fill().await, "the connection closed inside a stream");
        };
        let size: Vec<u8> = self.unread.drain(..end + 2).collect();
        let size = usize::from_str_radix(std::str::from_utf8(&size).unwrap().trim(), 16).unwrap();
        self.fill_to(size + 2).await;
        let mut chunk: Vec<u8> = self.unread.drain(..size + 2).collect();
        chunk.truncate(size);
        (size > 0).then_some(chunk)
    }

    /// Whether the server closes the connection without another byte.
    pub(crate) async fn is_closed(&mut self) -> bool {
        !self.fill().await
    }

    async fn fill_to(&mut self, length: usize) {
        while self.unread.len() < length {
            assert!(self.fill().await, "the connection closed inside a body");
        }
    }

    async fn fill(&mut self) -> bool {
        let mut buffer = [0; 4096];
        let read = tokio::time::timeout(PATIENCE, self.stream.read(&mut buffer))
            .await
            .expect("no answer in time");
        let count = read.unwrap_or(0);
        self.unread.extend_from_slice(&buffer[..count]);
        count > 0
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
