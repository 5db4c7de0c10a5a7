//! The three wires: how each says the same things.

use std::sync::Arc;

use periplus_llm::{ChatModel, ModelSettings, connect};
use serde_json::{Value, json};

use crate::fake::Fake;

pub(crate) const KEY: &str = "sk-test-do-not-print";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    OpenAi,
    Anthropic,
    Gemini,
}

impl Wire {
    pub(crate) const ALL: [Self; 3] = [Self::OpenAi, Self::Anthropic, Self::Gemini];

    pub(crate) fn model_name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai:gpt-4o-mini",
            Self::Anthropic => "anthropic:claude-haiku-4-5",
            Self::Gemini => "google:gemini-2.5-flash",
        }
    }

    pub(crate) fn settings(self, fake: &Fake) -> ModelSettings {
        let path = if self == Self::Gemini { "v1beta" } else { "v1" };
        let mut settings = ModelSettings {
            api_key: Some(KEY.into()),
            base_url: Some(fake.url(path)),
            ..Default::default()
        };
        settings.retries.base_delay = std::time::Duration::from_millis(1);
        settings
    }

    pub(crate) fn connect(self, fake: &Fake) -> Arc<dyn ChatModel> {
        self.connect_with(self.settings(fake))
    }

    pub(crate) fn connect_with(self, settings: ModelSettings) -> Arc<dyn ChatModel> {
        connect(&self.model_name().parse().unwrap(), settings).unwrap()
    }

    /// A complete answer of text.
    pub(crate) fn text(self, parts: &[&str]) -> Vec<u8> {
        let mut events = self.text_begun(parts);
        events.extend(self.end("stop"));
        events
    }

    /// The beginning of an answer of text.
    pub(crate) fn text_begun(self, parts: &[&str]) -> Vec<u8> {
        let mut events = self.start();
        if self == Self::Anthropic {
            let block = json!({"type": "text", "text": ""});
            events.extend(anthropic(
                json!({"type": "content_block_start", "index": 0, "content_block": block}),
            ));
        }
        for part in parts {
            events.extend(match self {
                Self::OpenAi => openai_delta(json!({"content": part})),
                Self::Anthropic => anthropic_delta(json!({"type": "text_delta", "text": part})),
                Self::Gemini => gemini(json!({"candidates": [{"content": {"parts": [{"text": part}]}}]})),
            });
        }
        events
    }

    /// A complete answer that calls one tool; the arguments come in these fragments (Gemini sends them whole).
    pub(crate) fn call(self, tool: &str, fragments: &[&str]) -> Vec<u8> {
        let mut events = self.start();
        match self {
            Self::OpenAi => {
                let call = json!({"index": 0, "id": "call_A", "type": "function",
                    "function": {"name": tool, "arguments": ""}});
                events.extend(openai_delta(json!({"tool_calls": [call]})));
                for fragment in fragments {
                    let call = json!({"index": 0, "function": {"arguments": fragment}});
                    events.extend(openai_delta(json!({"tool_calls": [call]})));
                }
            }
            Self::Anthropic => {
                let block = json!({"type": "tool_use", "id": "call_A", "name": tool, "input": {}});
                events.extend(anthropic(
                    json!({"type": "content_block_start", "index": 0, "content_block": block}),
                ));
                for fragment in fragments {
                    events.extend(anthropic_delta(
                        json!({"type": "input_json_delta", "partial_json": fragment}),
                    ));
                }
                events.extend(anthropic(json!({"type": "content_block_stop", "index": 0})));
            }
            Self::Gemini => {
                let mut call = json!({"id": "call_A", "name": tool});
                if let Ok(arguments) = serde_json::from_str::<Value>(&fragments.concat()) {
                    call["args"] = arguments;
                }
                let parts = json!([{"functionCall": call}]);
                events.extend(gemini(json!({"candidates": [{"content": {"parts": parts}}]})));
            }
        }
        events.extend(self.end("tool_calls"));
        events
    }

    /// The end of an answer: why, and 12 tokens in, 5 out.
    pub(crate) fn end(self, reason: &str) -> Vec<u8> {
        match self {
            Self::OpenAi => {
                let mut events =
                    data(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}));
                events.extend(data(
                    json!({"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 5}}),
                ));
                events.extend(b"data: [DONE]\n\n");
                events
            }
            Self::Anthropic => {
                let reason = match reason {
                    "stop" => "end_turn",
                    "tool_calls" => "tool_use",
                    "length" => "max_tokens",
                    other => other,
                };
                let delta = json!({"stop_reason": reason});
                let mut events = anthropic(
                    json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 5}}),
                );
                events.extend(anthropic(json!({"type": "message_stop"})));
                events
            }
            Self::Gemini => {
                let reason = match reason {
                    "stop" | "tool_calls" => "STOP",
                    "length" => "MAX_TOKENS",
                    other => other,
                };
                gemini(json!({
                    "candidates": [{"content": {"role": "model"}, "finishReason": reason}],
                    "usageMetadata": {"promptTokenCount": 12, "candidatesTokenCount": 5},
                }))
            }
        }
    }

    fn start(self) -> Vec<u8> {
        match self {
            Self::OpenAi => openai_delta(json!({"role": "assistant", "content": ""})),
            Self::Anthropic => {
                let usage = json!({"input_tokens": 12, "output_tokens": 1});
                let mut events = anthropic(json!({"type": "message_start", "message": {"usage": usage}}));
                events.extend(anthropic(json!({"type": "ping"})));
                events
            }
            Self::Gemini => Vec::new(),
        }
    }
}

pub(crate) fn data(event: Value) -> Vec<u8> {
    format!("data: {event}\n\n").into_bytes()
}

pub(crate) fn openai_delta(delta: Value) -> Vec<u8> {
    data(json!({"choices": [{"index": 0, "delta": delta}]}))
}

pub(crate) fn anthropic(event: Value) -> Vec<u8> {
    format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()).into_bytes()
}

pub(crate) fn anthropic_delta(delta: Value) -> Vec<u8> {
    anthropic(json!({"type": "content_block_delta", "index": 0, "delta": delta}))
}

pub(crate) fn gemini(event: Value) -> Vec<u8> {
    // Google ends its lines with CR LF.
    format!("data: {event}\r\n\r\n").into_bytes()
}
