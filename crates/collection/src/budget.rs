//! When to stop: the engine has no clock, its caller has.

use crate::Error;

/// Asked inside every long loop whether the caller still wants the answer.
///
/// Whoever runs a query decides what ends it: a deadline, a cancelled request, a closed connection.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    stop: Option<&'a (dyn Fn() -> bool + Sync)>,
}

impl<'a> Budget<'a> {
    /// A budget that never ends.
    pub const UNLIMITED: Budget<'static> = Budget { stop: None };

    /// A budget that ends when `stop` returns true; it is called from several threads, often.
    #[must_use]
    pub const fn until(stop: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { stop: Some(stop) }
    }

    /// Fails with [`Error::Stopped`] once the budget has ended.
    ///
    /// # Errors
    /// Only that one.
    pub fn check(&self) -> Result<(), Error> {
        match self.stop {
            Some(stop) if stop() => Err(Error::Stopped),
            _ => Ok(()),
        }
    }
}

impl std::fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget")
            .field("limited", &self.stop.is_some())
            .finish()
    }
}
