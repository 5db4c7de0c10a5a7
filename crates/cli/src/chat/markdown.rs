//! Markdown as it arrives, in the styles of a terminal: words are drawn as soon as no later one can change them.

use anstyle::{AnsiColor, Style};

const STRONG: Style = Style::new().bold();
const HEADING: Style = Style::new().bold().underline();
const CODE: Style = AnsiColor::Cyan.on_default();
const QUOTE: Style = Style::new().dimmed();

/// What a line is, which its beginning tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The beginning or the end of a block of code.
    Fence,
    Code,
    Heading,
    Quote,
    Item,
    Text,
}

/// Draws a text that comes in pieces. What is not understood is shown as it is.
#[derive(Debug, Default)]
pub(crate) struct Markdown {
    /// What of the present line is not drawn yet.
    line: String,
    /// Whether a part of the present line is drawn already.
    is_begun: bool,
    is_code: bool,
}

impl Markdown {
    /// Takes a piece, and returns what it completes: lines with their ends, and the words of the last one.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        self.line += piece;
        let mut drawn = String::new();
        while let Some(end) = self.line.find('\n') {
            let rest = self.line.split_off(end + 1);
            let line = std::mem::replace(&mut self.line, rest);
            drawn += &self.end_line(line.trim_end_matches(['\n', '\r']));
        }
        drawn + &self.begin_line()
    }

    /// What is left when no more comes, with its end.
    pub(crate) fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.line);
        let drawn = if rest.is_empty() && !self.is_begun {
            String::new()
        } else {
            self.end_line(&rest)
        };
        self.is_code = false;
        drawn
    }

    /// Draws the rest of a line.
    fn end_line(&mut self, line: &str) -> String {
        let mut drawn = if std::mem::take(&mut self.is_begun) {
            spans(line, true).0
        } else {
            self.whole_line(line)
        };
        drawn.push('\n');
        drawn
    }

    fn whole_line(&mut self, line: &str) -> String {
        let (indent, start) = indented(line);
        match self.kind(start) {
            Kind::Fence => {
                self.is_code = !self.is_code;
                styled(QUOTE, line)
            }
            Kind::Code => styled(CODE, line),
            Kind::Heading => styled(HEADING, start.trim_start_matches('#').trim()),
            Kind::Quote => styled(QUOTE, line),
            Kind::Item => format!("{indent}• {}", spans(item(start), true).0),
            Kind::Text => format!("{indent}{}", spans(start, true).0),
        }
    }

    /// Draws what can be drawn of a line whose end is still to come.
    fn begin_line(&mut self) -> String {
        let mut drawn = String::new();
        if !self.is_begun {
            let (indent, start) = indented(&self.line);
            // Fewer characters may still become any mark.
            let is_known = start.chars().nth(3).is_some() || start.starts_with(char::is_alphanumeric);
            let rest = match self.kind(start) {
                Kind::Item if is_known => {
                    drawn = format!("{indent}• ");
                    item(start)
                }
                Kind::Text if is_known && !start.starts_with('#') => {
                    indent.clone_into(&mut drawn);
                    start
                }
                _ => return drawn,
            };
            self.line = rest.to_owned();
            self.is_begun = true;
        }
        let (words, undrawn) = spans(&self.line, false);
        let undrawn = undrawn.len();
        self.line.drain(..self.line.len() - undrawn);
        drawn + &words
    }

    fn kind(&self, start: &str) -> Kind {
        let after_marks = start.trim_start_matches('#');
        match start {
            _ if start.starts_with("```") => Kind::Fence,
            _ if self.is_code => Kind::Code,
            _ if after_marks.len() < start.len() && after_marks.starts_with(' ') => Kind::Heading,
            _ if start.starts_with("> ") => Kind::Quote,
            _ if start.starts_with("- ") || start.starts_with("* ") => Kind::Item,
            _ => Kind::Text,
        }
    }
}

/// The white space before a line, and the line.
fn indented(line: &str) -> (&str, &str) {
    line.split_at(line.len() - line.trim_start().len())
}

/// What stands behind the mark of an item.
fn item(start: &str) -> &str {
    start.get(2..).unwrap_or_default()
}

/// Draws code and strong words within a line; a mark without its partner stays. Where more of the line may come, what a
/// partner could still change is not drawn but returned.
fn spans(line: &str, is_whole: bool) -> (String, &str) {
    // The other half of a mark or of a line's end may still come.
    let certain = if is_whole {
        line
    } else {
        line.trim_end_matches(['*', '\r'])
    };
    let mut drawn = String::new();
    let mut rest = certain;
    while !rest.is_empty() {
        let opened = [("`", CODE), ("**", STRONG)]
            .into_iter()
            .filter_map(|(mark, style)| Some((rest.find(mark)?, mark, style)))
            .min_by_key(|(at, ..)| *at);
        let Some((at, mark, style)) = opened else {
            break;
        };
        drawn += &rest[..at];
        let inner = &rest[at + mark.len()..];
        match inner.find(mark) {
            Some(end) if end > 0 => {
                drawn += &styled(style, &inner[..end]);
                rest = &inner[end + mark.len()..];
            }
            None if !is_whole => return (drawn, &line[certain.len() - rest.len() + at..]),
            _ => {
                drawn += mark;
                rest = inner;
            }
        }
    }
    (drawn + rest, &line[certain.len()..])
}

fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The text without styles.
    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    fn draw(pieces: &[&str]) -> String {
        let mut markdown = Markdown::default();
        let mut drawn: String = pieces.iter().map(|piece| markdown.push(piece)).collect();
        drawn += &markdown.finish();
        drawn
    }

    #[test]
    fn marks_become_styles_and_lists_get_bullets() {
        let drawn = draw(&[
            "# Loss\n\nIn **2019** it was `1,",
            "2 Mha`.\n- one\n```\n# code\n```\n2 ** 3 is `odd",
        ]);
        assert_eq!(
            plain(&drawn),
            "Loss\n\nIn 2019 it was 1,2 Mha.\n• one\n```\n# code\n```\n2 ** 3 is `odd\n"
        );
        assert!(drawn.contains(&styled(STRONG, "2019")) && drawn.contains(&styled(CODE, "1,2 Mha")));
    }

    #[test]
    fn words_are_drawn_before_their_line_ends_unless_a_mark_is_open() {
        let mut markdown = Markdown::default();
        let mut next = |piece| plain(&markdown.push(piece));
        assert_eq!(next("In "), "In ");
        assert_eq!(next("2019 it was **1,"), "2019 it was ");
        assert_eq!(next("2 Mha*"), "");
        assert_eq!(next("*, twice"), "1,2 Mha, twice");
        assert_eq!(next(" as `much"), " as ");
        assert_eq!(next("\n- "), "`much\n");
        assert_eq!(next("one thing"), "• one thing");
        assert_eq!(next("\n## Head"), "\n");
        assert_eq!(next("ing\n"), "Heading\n");
    }

    proptest! {
        #[test]
        fn how_a_text_is_cut_does_not_change_how_it_is_drawn(text in "[-a#*` >\\r\\n]{0,60}", cuts in proptest::collection::vec(0_usize..60, 0..6)) {
            let mut at: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            at.extend([0, text.len()]);
            at.sort_unstable();
            let pieces: Vec<&str> = at.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
            prop_assert_eq!(draw(&pieces), draw(&[&text]));
        }
    }
}
