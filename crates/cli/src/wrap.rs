//! Prose that breaks between words where a terminal ends.

use unicode_width::UnicodeWidthChar as _;

/// Breaks a text that comes in pieces. A word is held back until its end is known; styles have no width.
#[derive(Debug, Default)]
pub(crate) struct Wrap {
    /// Columns of the terminal; nothing breaks without.
    width: Option<usize>,
    /// Where the next character stands.
    column: usize,
    /// Columns before the continuation of the present line.
    indent: usize,
    /// Blanks before the word.
    blanks: usize,
    word: String,
    word_width: usize,
    is_style: bool,
}

impl Wrap {
    /// At most `width` columns; as many as there are, without one.
    pub(crate) fn new(width: Option<usize>) -> Self {
        Self {
            width,
            ..Self::default()
        }
    }

    /// Goes on at another width: the window may change while a text is written.
    pub(crate) fn resize(&mut self, width: Option<usize>) {
        self.width = width;
    }

    /// All of a text at once.
    pub(crate) fn whole(width: Option<usize>, text: &str) -> String {
        let mut wrap = Self::new(width);
        wrap.push(text) + &wrap.finish()
    }

    /// Takes a piece, and returns what it completes.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        if self.width.is_none() {
            return self.finish() + piece;
        }
        let mut out = String::with_capacity(piece.len());
        for c in piece.chars() {
            match c {
                '\n' => {
                    self.end_word(&mut out);
                    out.push('\n');
                    (self.column, self.indent, self.blanks) = (0, 0, 0);
                }
                ' ' if !self.is_style => {
                    self.end_word(&mut out);
                    self.blanks += 1;
                }
                _ => self.take(c),
            }
        }
        out
    }

    /// The word that was held back.
    pub(crate) fn finish(&mut self) -> String {
        let mut out = String::new();
        self.end_word(&mut out);
        out
    }

    fn take(&mut self, c: char) {
        self.word.push(c);
        if c == '\u{1b}' {
            self.is_style = true;
        } else if self.is_style {
            self.is_style = c != 'm';
        } else {
            self.word_width += c.width().unwrap_or(0);
        }
    }

    fn end_word(&mut self, out: &mut String) {
        if self.word.is_empty() {
            return;
        }
        let is_first = self.column == 0;
        let needed = self.column + self.blanks + self.word_width;
        if self.column > self.indent && self.width.is_some_and(|width| needed > width) {
            out.push('\n');
            self.column = 0;
            self.blanks = self.indent;
        }
        out.extend(std::iter::repeat_n(' ', self.blanks));
        self.column += self.blanks + self.word_width;
        if is_first {
            self.indent = if is_mark(&self.word) {
                self.column + 1
            } else {
                self.blanks
            };
        }
        out.push_str(&self.word);
        self.word.clear();
        (self.word_width, self.blanks) = (0, 0);
    }
}

/// Whether a word is the mark of an item, under whose text the item continues.
fn is_mark(word: &str) -> bool {
    let number = word.strip_suffix('.').unwrap_or_default();
    word == "•" || !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn wrapped(text: &str) -> String {
        Wrap::whole(Some(12), text)
    }

    #[test]
    fn lines_break_between_words_and_continue_under_their_text() {
        assert_eq!(wrapped("one two three four\n"), "one two\nthree four\n");
        assert_eq!(wrapped("• one two three"), "• one two\n  three");
        assert_eq!(wrapped("  1. one two three"), "  1. one two\n     three");
        assert_eq!(
            wrapped("a https://example.org/long b"),
            "a\nhttps://example.org/long\nb"
        );
        assert_eq!(wrapped("twelve chars"), "twelve chars");
        assert_eq!(wrapped("森林 森林 森林"), "森林 森林\n森林");
        assert_eq!(Wrap::whole(None, "one two three four"), "one two three four");
    }

    #[test]
    fn styles_have_no_width() {
        let bold = "\u{1b}[1mone two\u{1b}[0m thr four";
        assert_eq!(wrapped(bold), "\u{1b}[1mone two\u{1b}[0m thr\nfour");
    }

    #[test]
    fn a_narrower_window_breaks_what_comes_next() {
        let mut wrap = Wrap::new(Some(12));
        let before = wrap.push("one two ");
        wrap.resize(Some(8));
        assert_eq!(
            before + &wrap.push("thr four") + &wrap.finish(),
            "one two\nthr four"
        );
    }

    proptest! {
        #[test]
        fn pieces_break_as_the_whole_does_and_nothing_but_blanks_is_lost(text in "[ab •.1\\n]{0,60}", cut in 0_usize..60) {
            let cut = text.char_indices().map(|(at, _)| at).nth(cut).unwrap_or(text.len());
            let mut wrap = Wrap::new(Some(12));
            let pieces = wrap.push(&text[..cut]) + &wrap.push(&text[cut..]) + &wrap.finish();
            prop_assert_eq!(&pieces, &wrapped(&text));
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(&pieces), words(&text));
        }
    }
}
