//! Who comes to a server: the many who behave, and the few of every kind who do not.

use std::{
    io,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    Site,
    connection::{Answer, Connection},
    tally::Tally,
};

/// Larger than the body that the server takes.
const TOO_MUCH: usize = 5 * 1024 * 1024;
/// What is sent of such a body at once.
const PIECE: usize = 64 * 1024;
/// The pause that an overloaded server asks for.
const AFTER_BUSY: Duration = Duration::from_secs(1);

/// What a client does over and over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Calls `hello` with a name of its own.
    Hello,
    /// Asks `met` a question whose answer is known.
    Question,
    /// Asks the same and reads the answer a little at a time.
    SlowReader,
    /// Asks and leaves, sometimes in the middle of asking.
    Leaver,
    /// Announces a body that is too large.
    Announced,
    /// Sends a body that is too large without announcing its size.
    Unannounced,
    /// Sends half a body and waits.
    Stalled,
    /// Calls a tool that panics, then one that does not.
    Panic,
    /// Reads an answer of a megabyte a little at a time.
    SlowReaderOfMuch,
}

/// How one round went.
enum Seen {
    Right,
    Busy,
    Refused,
    Left,
    Wrong(String),
}

impl Role {
    pub(super) fn is_slow_reader(self) -> bool {
        matches!(self, Self::SlowReader | Self::SlowReaderOfMuch)
    }

    /// A request that is always answered in the same way.
    pub(super) fn probe(self) -> (&'static str, String) {
        match self {
            Self::Hello => ("/hello/mcp", call("hello", &json!({ "name": "dev" }))),
            Self::Panic => ("/mcp", call("echo", &json!({ "text": "dev" }))),
            Self::SlowReaderOfMuch => ("/mcp", call("much", &json!({}))),
            _ => (
                "/met/mcp",
                call(
                    "collection_facets",
                    &json!({ "field": "medium", "pageSize": 100 }),
                ),
            ),
        }
    }

    /// Think time, different from client to client.
    fn pause(self, number: u64) -> Duration {
        let spread = Duration::from_millis(number * 7 % 100);
        match self {
            Self::Question => Duration::from_millis(400) + spread * 4,
            Self::Leaver | Self::Unannounced => Duration::from_millis(300) + spread,
            _ => Duration::from_millis(50) + spread,
        }
    }

    async fn open(self, site: &Site) -> io::Result<Connection> {
        if self.is_slow_reader() {
            Connection::open_slow(site.address).await
        } else {
            Connection::open(site.address).await
        }
    }

    async fn round(
        self,
        connection: &mut Connection,
        site: &Site,
        number: u64,
        round: u64,
    ) -> io::Result<Seen> {
        match self {
            Self::Hello => hello(connection, &format!("{number}-{round}")).await,
            Self::Question | Self::SlowReader | Self::SlowReaderOfMuch => {
                let (path, body) = self.probe();
                connection.post(path, &body).await?;
                Ok(like_the_reference(&connection.answer().await?, &site.reference))
            }
            Self::Leaver => leave(connection, number + round).await,
            Self::Announced => {
                connection
                    .post_head("/hello/mcp", &format!("content-length: {TOO_MUCH}"))
                    .await?;
                early_refusal(connection, 413).await
            }
            Self::Unannounced => unannounced(connection).await,
            Self::Stalled => {
                connection.post_head("/hello/mcp", "content-length: 1000").await?;
                // A busy server refuses by the head alone, and does not wait for what is sent after it.
                drop(connection.write(b"{\"jsonrpc\":\"2.0\",").await);
                early_refusal(connection, 408).await
            }
            Self::Panic => panic(connection, round).await,
        }
    }
}

/// Plays a role until the end; what the client saw.
pub(super) async fn play(site: Arc<Site>, role: Role, number: u64) -> Tally {
    let mut tally = Tally::default();
    let mut kept = None;
    let mut round = 0;
    while Instant::now() < site.end {
        let begun = Instant::now();
        let attempt = async {
            let mut connection = match kept.take() {
                Some(connection) => connection,
                None => role.open(&site).await?,
            };
            let seen = role.round(&mut connection, &site, number, round).await?;
            Ok::<_, io::Error>((seen, connection))
        };
        let Ok(outcome) = tokio::time::timeout_at(site.end.into(), attempt).await else {
            break;
        };
        round += 1;
        match outcome {
            Ok((Seen::Right, connection)) => {
                tally.right(matches!(role, Role::Hello | Role::Panic).then(|| begun.elapsed()));
                kept = Some(connection);
            }
            Ok((Seen::Busy, connection)) => {
                tally.busy();
                kept = Some(connection);
                tokio::time::sleep(AFTER_BUSY).await;
            }
            Ok((Seen::Refused, _)) => tally.refused(),
            Ok((Seen::Left, _)) => tally.left(),
            Ok((Seen::Wrong(what), _)) => tally.wrong(format!("{role:?}: {what}")),
            // A server that stops may close what it is not answering.
            Err(_) if site.is_stopping.load(Ordering::Relaxed) => break,
            Err(error) => tally.wrong(format!("{role:?}: {error}")),
        }
        tokio::time::sleep(role.pause(number)).await;
    }
    tally
}

fn call(tool: &str, arguments: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
        .to_string()
}

async fn hello(connection: &mut Connection, name: &str) -> io::Result<Seen> {
    connection
        .post("/hello/mcp", &call("hello", &json!({ "name": name })))
        .await?;
    let answer = connection.answer().await?;
    Ok(judge(&answer, |result| {
        result["structuredContent"]["message"] == format!("Hello, {name}!") && result["isError"] == false
    }))
}

async fn leave(connection: &mut Connection, variant: u64) -> io::Result<Seen> {
    let (path, body) = Role::Question.probe();
    if variant.is_multiple_of(2) {
        connection.post(path, &body).await?;
    } else {
        connection
            .post_head(path, &format!("content-length: {}", body.len()))
            .await?;
        connection.write(&body.as_bytes()[..body.len() / 2]).await?;
    }
    Ok(Seen::Left)
}

/// Sends chunks until the server has had enough; it answers, and may close while the rest is still coming.
async fn unannounced(connection: &mut Connection) -> io::Result<Seen> {
    connection
        .post_head("/hello/mcp", "transfer-encoding: chunked")
        .await?;
    let mut chunk = format!("{PIECE:x}\r\n").into_bytes();
    chunk.resize(chunk.len() + PIECE, b' ');
    chunk.extend_from_slice(b"\r\n");
    for _ in 0..TOO_MUCH / PIECE {
        if connection.write(&chunk).await.is_err() {
            break;
        }
    }
    early_refusal(connection, 413).await
}

/// The answer to a request of which the server has not read everything.
async fn early_refusal(connection: &mut Connection, status: u16) -> io::Result<Seen> {
    match connection.answer().await {
        Ok(answer) => Ok(refused_with(status, &answer)),
        // The answer is lost if the peer resets the connection before it was read, which TCP allows.
        Err(error) if is_reset(&error) => Ok(Seen::Refused),
        Err(error) => Err(error),
    }
}

fn is_reset(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe | io::ErrorKind::UnexpectedEof
    )
}

/// A panic ends its own call; the connection and the tools beside it go on.
async fn panic(connection: &mut Connection, round: u64) -> io::Result<Seen> {
    connection.post("/mcp", &call("panics", &json!({}))).await?;
    let answer = connection.answer().await?;
    let seen = judge(&answer, |result| {
        result["isError"] == true && !answer.text().contains("kaboom")
    });
    if !matches!(seen, Seen::Right) {
        return Ok(seen);
    }
    let text = format!("still here {round}");
    connection
        .post("/mcp", &call("echo", &json!({ "text": text })))
        .await?;
    let answer = connection.answer().await?;
    Ok(judge(&answer, |result| {
        result["structuredContent"]["message"] == text
    }))
}

fn like_the_reference(answer: &Answer, reference: &[u8]) -> Seen {
    if answer.status == 200 && answer.body == reference {
        Seen::Right
    } else {
        judge(answer, |_| false)
    }
}

fn judge(answer: &Answer, is_right: impl FnOnce(&Value) -> bool) -> Seen {
    let document: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let is_busy = answer.status == 503
        || (document["result"]["isError"] == true && answer.text().contains("SERVER_BUSY"));
    if is_busy {
        Seen::Busy
    } else if answer.status == 200 && document["id"] == 1 && is_right(&document["result"]) {
        Seen::Right
    } else {
        Seen::Wrong(shown(answer))
    }
}

fn refused_with(status: u16, answer: &Answer) -> Seen {
    match answer.status {
        503 => Seen::Busy,
        // On a machine that is busy enough, five megabytes take longer than a body may.
        408 => Seen::Refused,
        found if found == status => Seen::Refused,
        _ => Seen::Wrong(shown(answer)),
    }
}

fn shown(answer: &Answer) -> String {
    let text: String = answer.text().chars().take(300).collect();
    format!("status {}: {text}", answer.status)
}
