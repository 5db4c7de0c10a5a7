//! One round of a call that asks its caller: the answers that came with it, and the questions it ends with.

use std::time::SystemTime;

use http::HeaderMap;
use periplus_toolset::{Answers, Asked, ClientCapabilities, ContextBuilder};
use serde_json::{json, value::RawValue};

use super::{
    endpoint::Endpoint,
    protocol::{Era, Meta, Params, RpcError},
    seal::{self, Binding},
    tasks::input_requests,
};

/// What a request says about the conversation that it is part of.
#[derive(Default)]
pub(super) struct Round {
    capabilities: ClientCapabilities,
    answers: Answers,
    /// `None` if nothing can be asked, as for most calls: nothing is copied or digested for them.
    conversation: Option<Conversation>,
}

/// What the state of a conversation is bound to.
struct Conversation {
    name: String,
    /// The arguments as they were written.
    arguments: String,
    /// A digest of who calls.
    caller: [u8; 32],
}

impl Round {
    /// Reads it from a request that calls `name`.
    ///
    /// # Errors
    /// A malformed answer, or a state that was not sealed for this call.
    pub(super) fn of(
        endpoint: &Endpoint,
        era: Era,
        params: &Params<'_>,
        name: &str,
        headers: &HeaderMap,
    ) -> Result<Self, RpcError> {
        if era == Era::Legacy {
            return Ok(Self::legacy(endpoint));
        }
        let mut round = Self {
            capabilities: params.meta.as_ref().map(Meta::capabilities).unwrap_or_default(),
            answers: params.input_responses()?,
            conversation: None,
        };
        let state = params.request_state()?;
        if round.capabilities == ClientCapabilities::default() && state.is_none() {
            return Ok(round);
        }
        let conversation = Conversation {
            name: name.to_owned(),
            arguments: params.arguments.map(RawValue::get).unwrap_or("{}").to_owned(),
            caller: seal::caller(endpoint.toolset.credential_headers(), headers),
        };
        if let Some(state) = state {
            let binding = conversation.binding(endpoint);
            // What was accepted in an earlier round is settled.
            round
                .answers
                .extend(endpoint.shared.seal.open(binding, &state, SystemTime::now())?);
        }
        round.conversation = Some(conversation);
        Ok(round)
    }

    /// A legacy client has said what it can do once, to nobody who remembers: where it may be asked at all, it is asked
    /// and may refuse.
    fn legacy(endpoint: &Endpoint) -> Self {
        let mut round = Self::default();
        if endpoint.asks_legacy_clients() {
            round.capabilities = ClientCapabilities {
                tasks: false,
                ..ClientCapabilities::ALL
            };
        }
        round
    }

    pub(super) fn capabilities(&self) -> ClientCapabilities {
        self.capabilities
    }

    /// A digest of who calls, of a client that declares anything.
    pub(super) fn caller(&self) -> Option<[u8; 32]> {
        Some(self.conversation.as_ref()?.caller)
    }

    /// Tells a context of it; what is left is needed to ask on.
    pub(super) fn inform(&mut self, context: ContextBuilder) -> ContextBuilder {
        context
            .client(self.capabilities)
            .answers(std::mem::take(&mut self.answers))
    }

    /// The result that puts questions.
    ///
    /// # Errors
    /// There are more answers than a state may carry.
    pub(super) fn ask(&self, endpoint: &Endpoint, asked: Asked) -> Result<String, RpcError> {
        let conversation = self.conversation.as_ref();
        let binding = conversation
            .ok_or_else(|| RpcError::internal("a client that declares nothing was asked something"))?
            .binding(endpoint);
        let state = endpoint
            .shared
            .seal
            .close(binding, asked.answered, SystemTime::now())?;
        let questions = json!({
            "resultType": "input_required",
            "inputRequests": input_requests(&asked.requests),
            "requestState": state,
            "_meta": endpoint.published.meta,
        });
        Ok(questions.to_string())
    }
}

impl Conversation {
    fn binding(&self, endpoint: &Endpoint) -> Binding {
        Binding::of(endpoint.name(), &self.name, &self.arguments, &self.caller)
    }
}
