//! Agreeing with a server on an era: asked once for each set of credentials, and again when it stops holding.

use std::sync::atomic::Ordering;

use ::http::HeaderMap;
use serde_json::json;

use super::{
    ClientError, Connection, Credentials,
    connection::parse,
    rpc::Request,
    session::{self, Discovered, Era, Initialized, Session},
    stream::Expecting,
};

/// Sessions kept per connection: one per set of credentials. Beyond it all are forgotten and agreed anew.
const MAX_SESSIONS: usize = 64;

impl Connection {
    pub(super) async fn session(&self, credentials: &Credentials) -> Result<Session, ClientError> {
        Ok(self.known_session(credentials).await?.0)
    }

    /// The session with the server, and whether it was agreed just now.
    pub(super) async fn known_session(
        &self,
        credentials: &Credentials,
    ) -> Result<(Session, bool), ClientError> {
        let mut sessions = self.sessions.lock().await;
        if let Some(session) = sessions.get(credentials) {
            return Ok((session.clone(), false));
        }
        let session = self.agree(credentials).await?;
        self.client.remember_era(&self.url, Some(session.era));
        if sessions.len() >= MAX_SESSIONS {
            sessions.clear();
        }
        sessions.insert(credentials.clone(), session.clone());
        Ok((session, true))
    }

    pub(super) async fn forget(&self, credentials: &Credentials) {
        self.sessions.lock().await.remove(credentials);
        self.client.remember_era(&self.url, None);
    }

    async fn agree(&self, credentials: &Credentials) -> Result<Session, ClientError> {
        if self.client.era_of(&self.url) != Some(Era::Legacy)
            && let Some(session) = self.discover(credentials).await?
        {
            return Ok(session);
        }
        self.initialize(credentials).await
    }

    /// Asks in the modern era. `None` means that the server does not speak it.
    async fn discover(&self, credentials: &Credentials) -> Result<Option<Session>, ClientError> {
        match self.discover_once(credentials).await {
            // It names the very version that it refused: it may have been starting, and deserves another try.
            Err(ClientError::Rpc { data, .. }) if data.as_deref().is_some_and(session::supports_modern) => {
                self.discover_once(credentials).await
            }
            outcome => outcome,
        }
    }

    async fn discover_once(&self, credentials: &Credentials) -> Result<Option<Session>, ClientError> {
        const METHOD: &str = "server/discover";
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let modern = Session::modern();
        let params = modern.params(json!({}), self.client.options());
        let body = Request::new(Some(id), METHOD, &params).to_bytes();
        let answer = self
            .post(
                modern.headers(METHOD, None),
                body,
                Some(Expecting { id, listener: None }),
                credentials,
            )
            .await?;
        if answer.status.is_server_error() {
            return Err(self.refusal(&answer));
        }
        match self.reply(&answer, id) {
            Ok(Ok(result)) => Ok(parse::<Discovered>(&result).ok().and_then(Discovered::session)),
            Ok(Err(error)) if session::is_modern_error(&error) => Err(self.rpc_error(METHOD, error)),
            Ok(Err(_)) | Err(ClientError::Status { .. } | ClientError::Protocol { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn initialize(&self, credentials: &Credentials) -> Result<Session, ClientError> {
        const METHOD: &str = "initialize";
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let params = session::initialize_params(self.client.options());
        let body = Request::new(Some(id), METHOD, &params).to_bytes();
        let expecting = Some(Expecting { id, listener: None });
        let answer = self.post(HeaderMap::new(), body, expecting, credentials).await?;
        let result = self
            .reply(&answer, id)?
            .map_err(|error| self.rpc_error(METHOD, error))?;
        let initialized: Initialized = parse(&result).map_err(|reason| self.protocol(reason))?;
        let session_id = answer.header("mcp-session-id").map(str::to_owned);
        let session = initialized
            .session(session_id)
            .map_err(|reason| self.protocol(reason))?;
        self.notify_initialized(&session, credentials).await?;
        Ok(session)
    }

    async fn notify_initialized(
        &self,
        session: &Session,
        credentials: &Credentials,
    ) -> Result<(), ClientError> {
        const METHOD: &str = "notifications/initialized";
        let body = Request::new(None, METHOD, &json!({})).to_bytes();
        let answer = self
            .post(session.headers(METHOD, None), body, None, credentials)
            .await?;
        if answer.status.is_success() {
            Ok(())
        } else {
            Err(self.refusal(&answer))
        }
    }
}
