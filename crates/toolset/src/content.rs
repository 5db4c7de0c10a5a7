//! What a result, a prompt or a resource holds when it is no structured value: text, pictures, sound, documents.

use bytes::Bytes;

/// One block of content.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Block {
    /// Text for a person or a model.
    Text(String),
    /// A picture.
    Image(Media),
    /// Sound.
    Audio(Media),
    /// A document, with the URI it is known under.
    Resource(Document),
}

/// Bytes of a media type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    /// The bytes; the wire carries them as base64.
    pub bytes: Bytes,
    /// Their type, such as `image/png`.
    pub mime_type: String,
}

/// The contents of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Where it is known under.
    pub uri: String,
    /// Its type, such as `text/plain`.
    pub mime_type: String,
    /// What it holds.
    pub body: Body,
}

/// Text, or bytes that are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Text in UTF-8.
    Text(String),
    /// Anything else.
    Bytes(Bytes),
}

/// What a tool returns that declares no structured result: blocks of content, in their order.
///
/// Most tools do better with a [`ToolResult`](crate::ToolResult), which clients can read field by field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Content(pub(crate) Vec<Block>);

impl Content {
    /// One block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::default().and(Block::Text(text.into()))
    }

    /// Adds a block.
    #[must_use]
    pub fn and(mut self, block: Block) -> Self {
        self.0.push(block);
        self
    }

    /// The blocks, in their order.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        &self.0
    }
}

impl From<Block> for Content {
    fn from(block: Block) -> Self {
        Self(vec![block])
    }
}

impl Media {
    /// Bytes of that type.
    pub fn new(mime_type: impl Into<String>, bytes: impl Into<Bytes>) -> Self {
        Self {
            bytes: bytes.into(),
            mime_type: mime_type.into(),
        }
    }
}

impl Document {
    /// A document of text.
    pub fn text(uri: impl Into<String>, mime_type: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            mime_type: mime_type.into(),
            body: Body::Text(text.into()),
        }
    }

    /// A document of bytes.
    pub fn bytes(uri: impl Into<String>, mime_type: impl Into<String>, bytes: impl Into<Bytes>) -> Self {
        Self {
            uri: uri.into(),
            mime_type: mime_type.into(),
            body: Body::Bytes(bytes.into()),
        }
    }

    fn size(&self) -> usize {
        match &self.body {
            Body::Text(text) => text.len(),
            Body::Bytes(bytes) => bytes.len(),
        }
    }
}

impl Block {
    /// The bytes of what it holds, before they are encoded for the wire.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Image(media) | Self::Audio(media) => media.bytes.len(),
            Self::Resource(document) => document.size(),
        }
    }
}
