//! Prompts: messages that a person starts a conversation with.

use std::{collections::BTreeMap, fmt, sync::Arc};

use futures::future::BoxFuture;

use crate::{Block, Context, ToolError};

/// Who says a message of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptMessage {
    /// Who says it.
    pub speaker: Speaker,
    /// What is said.
    pub content: Block,
}

impl PromptMessage {
    /// A message of the person.
    #[must_use]
    pub fn user(content: Block) -> Self {
        Self {
            speaker: Speaker::User,
            content,
        }
    }
}

/// An argument that a person fills in.
#[derive(Clone)]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// What to write, for the person.
    pub description: String,
    /// Whether the prompt makes no sense without it.
    pub required: bool,
    suggest: Option<Arc<Suggest>>,
}

type Suggest = dyn Fn(&str) -> Vec<String> + Send + Sync;
/// The arguments of one use of a prompt.
pub type PromptArguments = BTreeMap<String, String>;
type Write = dyn for<'a> Fn(PromptArguments, &'a Context) -> BoxFuture<'a, Result<Vec<PromptMessage>, ToolError>>
    + Send
    + Sync;

/// A named template of messages.
#[derive(Clone)]
pub struct Prompt {
    /// Machine name, unique within the toolset.
    pub name: String,
    /// What it is good for, for people.
    pub description: String,
    /// What it asks for, in the order in which it asks.
    pub arguments: Vec<PromptArgument>,
    write: Arc<Write>,
}

impl Prompt {
    /// A prompt; `write` makes its messages from the arguments, of which the required ones are there.
    pub fn new<F>(name: &str, description: &str, write: F) -> Self
    where
        F: for<'a> Fn(PromptArguments, &'a Context) -> BoxFuture<'a, Result<Vec<PromptMessage>, ToolError>>
            + Send
            + Sync
            + 'static,
    {
        Self {
            name: name.to_owned(),
            description: description.to_owned(),
            arguments: Vec::new(),
            write: Arc::new(write),
        }
    }

    /// A prompt that is always the same text.
    #[must_use]
    pub fn fixed(name: &str, description: &str, text: &str) -> Self {
        let text = text.to_owned();
        Self::new(name, description, move |_, _| {
            let message = PromptMessage::user(Block::Text(text.clone()));
            Box::pin(async { Ok(vec![message]) })
        })
    }

    /// Asks for an argument.
    #[must_use]
    pub fn argument(mut self, name: &str, description: &str) -> Self {
        self.arguments.push(PromptArgument {
            name: name.to_owned(),
            description: description.to_owned(),
            required: true,
            suggest: None,
        });
        self
    }

    /// Suggests values for the argument that was added last, from what is written so far.
    #[must_use]
    pub fn suggest<F>(mut self, suggest: F) -> Self
    where
        F: Fn(&str) -> Vec<String> + Send + Sync + 'static,
    {
        if let Some(argument) = self.arguments.last_mut() {
            argument.suggest = Some(Arc::new(suggest));
        }
        self
    }

    /// The messages.
    ///
    /// # Errors
    /// An argument is missing, or the prompt itself fails or asks something.
    pub async fn messages(
        &self,
        arguments: PromptArguments,
        cx: &Context,
    ) -> Result<Vec<PromptMessage>, ToolError> {
        for argument in self.arguments.iter().filter(|argument| argument.required) {
            if !arguments.contains_key(&argument.name) {
                return Err(ToolError::invalid_argument(
                    format!("/{}", argument.name),
                    "is required",
                ));
            }
        }
        (self.write)(arguments, cx).await
    }

    /// Values that an argument may have, given what is written so far; `None` if there is no such argument.
    #[must_use]
    pub fn suggestions(&self, argument: &str, written: &str) -> Option<Vec<String>> {
        let argument = self.arguments.iter().find(|known| known.name == argument)?;
        Some(
            argument
                .suggest
                .as_ref()
                .map_or_else(Vec::new, |suggest| suggest(written)),
        )
    }

    /// Whether any argument has suggestions.
    #[must_use]
    pub fn suggests(&self) -> bool {
        self.arguments.iter().any(|argument| argument.suggest.is_some())
    }
}

impl fmt::Debug for PromptArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptArgument")
            .field("name", &self.name)
            .field("required", &self.required)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prompt")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
