//! One HTTP/1.1 connection by hand: it can stall, read slowly, and leave in the middle.

use std::{io, net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
};

/// What a slow reader takes at once, and the pause after it.
const SIP_BYTES: usize = 2048;
const SIP_PAUSE: Duration = Duration::from_millis(5);
/// A small window, so that what is not read stays with the server.
const SLOW_WINDOW_BYTES: u32 = 4096;

/// A whole answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl Answer {
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

pub(super) struct Connection {
    stream: TcpStream,
    address: SocketAddr,
    unread: Vec<u8>,
    is_slow: bool,
}

impl Connection {
    pub(super) async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self::of(stream, address, false))
    }

    /// A connection that takes what comes a little at a time.
    pub(super) async fn open_slow(address: SocketAddr) -> io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(SLOW_WINDOW_BYTES)?;
        Ok(Self::of(socket.connect(address).await?, address, true))
    }

    fn of(stream: TcpStream, address: SocketAddr, is_slow: bool) -> Self {
        Self {
            stream,
            address,
            unread: Vec::new(),
            is_slow,
        }
    }

    pub(super) async fn post(&mut self, path: &str, body: &str) -> io::Result<()> {
        let head = self.head(path, &format!("content-length: {}", body.len()));
        self.stream.write_all(format!("{head}{body}").as_bytes()).await
    }

    /// Sends the head of a POST with one header more.
    pub(super) async fn post_head(&mut self, path: &str, header: &str) -> io::Result<()> {
        let head = self.head(path, header);
        self.stream.write_all(head.as_bytes()).await
    }

    pub(super) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await
    }

    fn head(&self, path: &str, header: &str) -> String {
        format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\naccept: application/json\r\n{header}\r\n\r\n",
            self.address
        )
    }

    pub(super) async fn answer(&mut self) -> io::Result<Answer> {
        let end = loop {
            if let Some(end) = self.unread.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            self.fill().await?;
        };
        let head = String::from_utf8_lossy(&self.unread[..end]).to_ascii_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
        let (Some(status), Some(length)) = (status, length) else {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("an answer without status or length: {head}"),
            ));
        };
        while self.unread.len() < end + length {
            self.fill().await?;
        }
        let rest = self.unread.split_off(end + length);
        let mut body = std::mem::replace(&mut self.unread, rest);
        body.drain(..end);
        Ok(Answer { status, body })
    }

    async fn fill(&mut self) -> io::Result<()> {
        let mut buffer = [0; 16 * 1024];
        let room = if self.is_slow { SIP_BYTES } else { buffer.len() };
        let count = self.stream.read(&mut buffer[..room]).await?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.unread.extend_from_slice(&buffer[..count]);
        if self.is_slow {
            tokio::time::sleep(SIP_PAUSE).await;
        }
        Ok(())
    }
}
