//! Markdown as it arrives: each line is drawn when it is complete, in the styles of a terminal.

use anstyle::{AnsiColor, Style};

const STRONG: Style = Style::new().bold();
const HEADING: Style = Style::new().bold().underline();
const CODE: Style = AnsiColor::Cyan.on_default();
const QUOTE: Style = Style::new().dimmed();

/// Draws a text that comes in pieces. What is not understood is shown as it is.
#[derive(Debug, Default)]
pub(crate) struct Markdown {
    line: String,
    is_code: bool,
}

impl Markdown {
    /// Takes a piece, and returns the lines that it completes, each with its end.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        self.line += piece;
        let mut drawn = String::new();
        while let Some(end) = self.line.find('\n') {
            let rest = self.line.split_off(end + 1);
            let line = std::mem::replace(&mut self.line, rest);
            drawn += &self.draw(line.trim_end_matches(['\n', '\r']));
            drawn.push('\n');
        }
        drawn
    }

    /// What is left when no more comes, with its end.
    pub(crate) fn finish(&mut self) -> String {
        self.is_code = false;
        match std::mem::take(&mut self.line) {
            rest if rest.is_empty() => String::new(),
            rest => self.draw(&rest) + "\n",
        }
    }

    fn draw(&mut self, line: &str) -> String {
        let start = line.trim_start();
        if start.starts_with("```") {
            self.is_code = !self.is_code;
            return styled(QUOTE, line);
        }
        if self.is_code {
            return styled(CODE, line);
        }
        let heading = start.trim_start_matches('#');
        if heading.len() < start.len() && heading.starts_with(' ') {
            return styled(HEADING, heading.trim());
        }
        if start.starts_with("> ") {
            return styled(QUOTE, line);
        }
        let indent = &line[..line.len() - start.len()];
        match start.strip_prefix("- ").or_else(|| start.strip_prefix("* ")) {
            Some(item) => format!("{indent}• {}", spans(item)),
            None => format!("{indent}{}", spans(start)),
        }
    }
}

/// Draws code and strong words within a line; a mark without its partner stays.
fn spans(line: &str) -> String {
    let mut drawn = String::new();
    let mut rest = line;
    while !rest.is_empty() {
        let opened = [("`", CODE), ("**", STRONG)]
            .into_iter()
            .filter_map(|(mark, style)| Some((rest.find(mark)?, mark, style)))
            .min_by_key(|(at, ..)| *at);
        let Some((at, mark, style)) = opened else {
            break;
        };
        let inner = &rest[at + mark.len()..];
        let Some(end) = inner.find(mark).filter(|end| *end > 0) else {
            drawn += &rest[..at + mark.len()];
            rest = inner;
            continue;
        };
        drawn += &rest[..at];
        drawn += &styled(style, &inner[..end]);
        rest = &inner[end + mark.len()..];
    }
    drawn + rest
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

    proptest! {
        #[test]
        fn how_a_text_is_cut_does_not_change_how_it_is_drawn(text in "[-a#*` >\\n]{0,60}", cuts in proptest::collection::vec(0_usize..60, 0..6)) {
            let mut at: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            at.extend([0, text.len()]);
            at.sort_unstable();
            let pieces: Vec<&str> = at.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
            prop_assert_eq!(draw(&pieces), draw(&[&text]));
        }
    }
}
