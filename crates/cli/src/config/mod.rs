//! Settings: one table of names, one order of sources — flag, environment, file, default.

mod environment;
mod error;
mod file;
pub mod keys;
mod settings;

pub use environment::Environment;
pub(crate) use environment::nearest;
pub use error::ConfigError;
pub use keys::Key;
pub use settings::{Origin, Settings};
