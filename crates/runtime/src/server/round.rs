//! One round of a call that asks its caller: the answers that came with it, and the questions it ends with.

use std::time::SystemTime;

use http::HeaderMap;
use periplus_toolset::{Answers, Asked, ClientCapabilities, ContextBuilder, JsonObject};
use serde_json::json;

use super::{
    endpoint::Endpoint,
    protocol::{Era, Params, RpcError},
    seal::{self, Binding},
    tasks::input_requests,
};

/// What a request says about the conversation that it is part of.
pub(super) struct Round {
    capabilities: ClientCapabilities,
    answers: Answers,
    binding: Binding,
    /// A digest of who calls.
    caller: [u8; 32],
}

impl Round {
    /// Reads it from a request that calls `name` with these arguments.
    ///
    /// # Errors
    /// A malformed answer, or a state that was not sealed for this call.
    pub(super) fn of(
        endpoint: &Endpoint,
        era: Era,
        params: &Params<'_>,
        name: &str,
        arguments: &JsonObject,
        headers: &HeaderMap,
    ) -> Result<Self, RpcError> {
        let caller = seal::caller(endpoint.toolset.credential_headers(), headers);
        let binding = Binding::of(endpoint.name(), name, arguments, &caller);
        let mut round = Self {
            capabilities: ClientCapabilities::default(),
            answers: Answers::new(),
            binding,
            caller,
        };
        if era == Era::Modern {
            round.capabilities = params
                .meta
                .as_ref()
                .map(super::protocol::Meta::capabilities)
                .unwrap_or_default();
            round.answers = params.input_responses()?;
            if let Some(state) = params.request_state()? {
                // What was accepted in an earlier round is settled.
                round
                    .answers
                    .extend(endpoint.shared.seal.open(binding, &state, SystemTime::now())?);
            }
        } else if endpoint.asks_legacy_clients() {
            // A legacy client has said what it can do once, to nobody who remembers: it is asked and may refuse.
            round.capabilities = ClientCapabilities {
                tasks: false,
                ..ClientCapabilities::ALL
            };
        }
        Ok(round)
    }

    pub(super) fn capabilities(&self) -> ClientCapabilities {
        self.capabilities
    }

    pub(super) fn caller(&self) -> [u8; 32] {
        self.caller
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
        let state = endpoint
            .shared
            .seal
            .close(self.binding, asked.answered, SystemTime::now())?;
        let questions = json!({
            "resultType": "input_required",
            "inputRequests": input_requests(&asked.requests),
            "requestState": state,
            "_meta": endpoint.published.meta,
        });
        Ok(questions.to_string())
    }
}
