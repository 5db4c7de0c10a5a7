//! The two outputs: data on stdout, everything for people on stderr.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use crate::exit::CliError;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Writes a line of data.
///
/// # Errors
/// The write error; a broken pipe is among them.
pub(crate) fn data(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}

/// Writes a piece of text, without a line's end.
///
/// # Errors
/// The write error; a broken pipe is among them.
pub(crate) fn text(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes text exactly as it is, such as a generated file.
pub(crate) fn raw(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Writes a line for people. That nobody reads it is no failure.
pub(crate) fn note(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Writes a warning for people.
pub(crate) fn warning(text: &str) {
    note(&format!("{WARNING}warning:{WARNING:#} {text}"));
}

/// Writes what went wrong, and what to do.
pub(crate) fn error(error: &CliError) {
    if error.message.is_empty() {
        return;
    }
    note(&format!("{ERROR}error:{ERROR:#} {}", error.message));
    if let Some(hint) = &error.hint {
        note(&format!("{HINT}hint:{HINT:#} {hint}"));
    }
}
