//! What toolset authors and their callers rely on. One binary: it links once.

mod calls;
mod coercion;
mod declarations;
mod diagnostics;
mod fixture;
mod handwritten;
mod hostile;
mod output;
