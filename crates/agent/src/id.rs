//! Names of threads and of runs. A thread's id is all that protects its reads, so ours are long and random.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Longest id that a client may choose, in bytes.
const MAX_ID_BYTES: usize = 128;

/// A text that cannot be an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an id has 1 to {MAX_ID_BYTES} letters, digits or any of - _ . : and this one has not")]
pub struct IdError;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// A new one: 32 hexadecimal digits, 122 bits of them random.
            #[must_use]
            pub fn random() -> Self {
                Self(Uuid::new_v4().simple().to_string())
            }

            /// Reads one that a client chose.
            ///
            /// # Errors
            /// [`IdError`] for an empty or overlong text, or one with characters that URLs and logs would have to escape.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                if is_usable(text) { Ok(Self(text.to_owned())) } else { Err(IdError) }
            }

            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                Self::parse(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;

            fn try_from(text: String) -> Result<Self, IdError> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }
    };
}

id! {
    /// The name of a conversation.
    ThreadId
}

id! {
    /// The name of one run of the loop on a thread: from a message, or from answers, to the end of the turn or to a question.
    RunId
}

fn is_usable(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    !text.is_empty() && text.len() <= MAX_ID_BYTES && text.bytes().all(is_plain)
}

/// The id of a message or an interrupt.
pub(crate) fn random_id() -> String {
    Uuid::new_v4().simple().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_needs_no_escaping_anywhere() {
        for good in ["t1", "a-b_c.d:e", &"x".repeat(128), ThreadId::random().as_str()] {
            assert_eq!(ThreadId::parse(good).unwrap().as_str(), good);
        }
        for bad in ["", "a/b", "a b", "ä", "a\n", "..%2f", &"x".repeat(129)] {
            assert_eq!(RunId::parse(bad), Err(IdError), "{bad:?}");
        }
    }

    #[test]
    fn a_random_id_is_long_and_new() {
        let (first, second) = (ThreadId::random(), ThreadId::random());
        assert_eq!(first.as_str().len(), 32);
        assert_ne!(first, second);
    }
}
