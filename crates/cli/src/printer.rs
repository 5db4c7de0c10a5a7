//! The two outputs: data on stdout, everything for people on stderr.
//!
//! Tools, servers and models write much of it. What reaches a terminal holds no character that a terminal obeys, except
//! our own styles; what reaches a pipe is as it was written.

use std::{
    borrow::Cow,
    io::{self, IsTerminal as _, Write},
};

use anstyle::{AnsiColor, Style};
use terminal_size::{Width, terminal_size_of};

use crate::{exit::CliError, wrap::Wrap};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Writes a line of data.
///
/// # Errors
/// The write error; a broken pipe is among them.
pub(crate) fn data(text: &str) -> io::Result<()> {
    let text = if io::stdout().is_terminal() {
        printable(text)
    } else {
        Cow::Borrowed(text)
    };
    let mut out = anstream::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}

/// Writes prose for a person to read as data: in a terminal its lines break between words.
pub(crate) fn prose(text: &str) -> io::Result<()> {
    data(&Wrap::whole(width(), text))
}

/// Columns of the terminal that data goes to; nothing if it goes elsewhere.
pub(crate) fn width() -> Option<usize> {
    terminal_size_of(io::stdout()).map(|(Width(columns), _)| columns.into())
}

/// Writes a piece of text in our own styles, without a line's end.
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
    styled("", text);
}

/// Writes a warning for people.
pub(crate) fn warning(text: &str) {
    styled(&format!("{WARNING}warning:{WARNING:#} "), text);
}

/// Writes what went wrong, and what to do.
pub(crate) fn error(error: &CliError) {
    if error.message.is_empty() {
        return;
    }
    styled(&format!("{ERROR}error:{ERROR:#} "), &error.message);
    if let Some(hint) = &error.hint {
        styled(&format!("{HINT}hint:{HINT:#} "), hint);
    }
}

/// A line behind a word of our own.
fn styled(word: &str, text: &str) {
    let width = terminal_size_of(io::stderr()).map(|(Width(columns), _)| columns.into());
    let line = Wrap::whole(width, &format!("{word}{}", printable(text)));
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}

/// A text that others have written, without the characters that move a cursor, ring, or begin a command to a terminal.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let is_obeyed = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if text.contains(is_obeyed) {
        Cow::Owned(text.replace(is_obeyed, ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// JSON over several lines, for a person; any other text as it is.
pub(crate) fn legible(text: String) -> String {
    serde_json::from_str::<serde_json::Value>(&text).map_or(text, |value| format!("{value:#}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_printable() {
        let hostile = "a\u{1b}]52;c;ZXZpbA==\u{7}b\u{9b}2Jc\r\u{8}\u{7f}\n\td";
        assert_eq!(printable(hostile), "a]52;c;ZXZpbA==b2Jc\n\td");
        let fine = "زراعة 森林 👩‍👩‍👧\n";
        assert!(matches!(printable(fine), Cow::Borrowed(text) if text == fine));
    }
}
