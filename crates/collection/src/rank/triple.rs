//! The ways of ranking: what is compared, on which axis, by which method.

use serde_json::{Value, json};

/// What candidates are compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Anchor {
    /// An object of the snapshot.
    Object(u64),
    /// A text.
    Topic(String),
}

/// The kind of an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "as the variants of `Anchor`")]
pub enum AnchorKind {
    Object,
    Topic,
}

/// The aspect in which candidates are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Axis {
    /// What is depicted or treated.
    Topic,
    /// Materials, technique and kind of object.
    TechniqueMaterial,
    /// When, where, by whom.
    Context,
    /// Image similarity.
    Visual,
    /// Known, and never supported: nothing recorded is a judgement of style.
    Style,
}

/// How scores are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// Okapi BM25 over weighted words of the metadata.
    LexicalBm25V1,
    /// A weighted sum of comparisons of recorded fields.
    MetadataRuleV1,
    /// Cosine of stored image vectors.
    Siglip2CosineV1,
    /// Cosine of an encoded text and stored image vectors.
    Siglip2TextCosineV1,
}

/// A way of ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Triple {
    /// The kind of anchor.
    pub anchor: AnchorKind,
    /// The axis.
    pub axis: Axis,
    /// The method.
    pub method: Method,
}

impl Anchor {
    /// The kind of anchor this is.
    #[must_use]
    pub const fn kind(&self) -> AnchorKind {
        match self {
            Self::Object(_) => AnchorKind::Object,
            Self::Topic(_) => AnchorKind::Topic,
        }
    }

    /// The form on the wire, also kept in cursors.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Object(id) => json!({ "type": self.kind().name(), "objectId": id }),
            Self::Topic(text) => json!({ "type": self.kind().name(), "topicText": text }),
        }
    }
}

impl AnchorKind {
    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Object => "object_id",
            Self::Topic => "topic_text",
        }
    }
}

impl Axis {
    /// Every axis.
    pub const ALL: [Self; 5] = [
        Self::Topic,
        Self::TechniqueMaterial,
        Self::Context,
        Self::Visual,
        Self::Style,
    ];

    /// The name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Topic => "topic",
            Self::TechniqueMaterial => "technique_material",
            Self::Context => "context",
            Self::Visual => "visual",
            Self::Style => "style",
        }
    }

    /// The axis of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|axis| axis.name() == name)
    }
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 4] = [
        Self::LexicalBm25V1,
        Self::MetadataRuleV1,
        Self::Siglip2CosineV1,
        Self::Siglip2TextCosineV1,
    ];

    /// The name on the wire; it carries the version of the scoring rules.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LexicalBm25V1 => "lexical_bm25_v1",
            Self::MetadataRuleV1 => "metadata_rule_v1",
            Self::Siglip2CosineV1 => "siglip2_cosine_v1",
            Self::Siglip2TextCosineV1 => "siglip2_text_cosine_v1",
        }
    }

    /// The method of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }
}

impl Triple {
    /// The ways of ranking that need no text encoder.
    pub const ORDINARY: [Self; 5] = [
        Self::new(AnchorKind::Topic, Axis::Topic, Method::LexicalBm25V1),
        Self::new(AnchorKind::Object, Axis::Topic, Method::LexicalBm25V1),
        Self::new(
            AnchorKind::Object,
            Axis::TechniqueMaterial,
            Method::MetadataRuleV1,
        ),
        Self::new(AnchorKind::Object, Axis::Context, Method::MetadataRuleV1),
        Self::new(AnchorKind::Object, Axis::Visual, Method::Siglip2CosineV1),
    ];

    /// Ranking images by a text; it needs an encoder for the text.
    pub const TEXT_TO_IMAGE: Self = Self::new(AnchorKind::Topic, Axis::Visual, Method::Siglip2TextCosineV1);

    /// A way of ranking, supported or not.
    #[must_use]
    pub const fn new(anchor: AnchorKind, axis: Axis, method: Method) -> Self {
        Self { anchor, axis, method }
    }

    /// The three names.
    #[must_use]
    pub fn to_value(&self) -> Value {
        json!({ "anchor": self.anchor.name(), "axis": self.axis.name(), "method": self.method.name() })
    }
}
