//! What people read: notes on stderr, one table on stdout.

use std::io::Write as _;

/// A line about what is being done.
pub(crate) fn note(text: &str) {
    // A closed stderr is no reason to stop measuring.
    drop(writeln!(std::io::stderr(), "{text}"));
}

/// Prints a table as Markdown; the first column is text, the others are numbers.
pub(crate) fn print(title: &str, header: &[&str], rows: &[Vec<String>]) {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let header: Vec<String> = header.iter().map(|&name| name.to_owned()).collect();
    let rule: Vec<String> = (0..header.len())
        .map(|column| if column == 0 { "---" } else { "---:" }.to_owned())
        .collect();
    let body: String = rows.iter().map(|row| line(row)).collect();
    drop(write!(
        std::io::stdout(),
        "\n{title}\n\n{}{}{body}",
        line(&header),
        line(&rule)
    ));
}
