//! What people read: notes on stderr, one table on stdout.

use std::io::Write as _;

use comfy_table::{Cell, CellAlignment, Table, presets};

/// A line about what is being done.
pub(crate) fn note(text: &str) {
    // A closed stderr is no reason to stop measuring.
    drop(writeln!(std::io::stderr(), "{text}"));
}

/// Prints a table whose first column is text and whose other columns are numbers.
pub(crate) fn print(title: &str, header: &[&str], rows: &[Vec<String>]) {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_header(header);
    for row in rows {
        let cells = row.iter().enumerate().map(|(column, text)| {
            let alignment = if column == 0 { CellAlignment::Left } else { CellAlignment::Right };
            Cell::new(text).set_alignment(alignment)
        });
        table.add_row(cells);
    }
    drop(writeln!(std::io::stdout(), "\n{title}\n\n{table}"));
}
