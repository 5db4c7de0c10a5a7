//! A CSV of any size that looks like the museum's, made from the shipped rows.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use super::SAMPLE_CSV;
use super::columns::{Column, HeaderVariant};
use crate::CsvReader;

/// Dates are moved by at most this many years.
const DATE_SHIFT: u64 = 20;
/// Shorter words are not put into titles.
const WORD_LETTERS: usize = 4;

/// Writes a CSV of `rows` records, drawn from the shipped ones with ids from 1, one word of the title
/// exchanged and the dates moved a little; the same for the same seed.
///
/// # Errors
/// Writing failed.
pub fn bench_data(rows: u64, seed: u64, output: &Path) -> io::Result<()> {
    let sample = sample_rows()?;
    let words = title_words(&sample);
    let mut random = Random(seed);
    let mut target = BufWriter::new(File::create(output)?);
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(&mut target);
    writer.write_record(HeaderVariant::Current54.column_names())?;
    for id in 1..=rows {
        let mut row = random.choice(&sample).clone();
        vary(&mut row, id, &words, &mut random);
        writer.write_record(&row)?;
    }
    writer.flush()?;
    drop(writer);
    target.flush()
}

fn sample_rows() -> io::Result<Vec<Vec<String>>> {
    let mut reader = CsvReader::new(SAMPLE_CSV);
    let mut rows = Vec::new();
    while let Some(row) = reader.read().map_err(io::Error::other)? {
        rows.push(row.cells().map(str::to_owned).collect());
    }
    rows.remove(0);
    Ok(rows)
}

fn title_words(rows: &[Vec<String>]) -> Vec<String> {
    let titles = rows
        .iter()
        .flat_map(|row| row[Column::Title as usize].split_whitespace());
    let mut words: Vec<String> = titles
        .filter(|word| word.chars().count() >= WORD_LETTERS)
        .map(str::to_owned)
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

fn vary(row: &mut [String], id: u64, words: &[String], random: &mut Random) {
    row[Column::ObjectId as usize] = id.to_string();
    row[Column::ObjectNumber as usize] = format!("{}.{}", id / 100, id % 100);
    row[Column::LinkResource as usize] = format!("http://www.metmuseum.org/art/collection/search/{id}");
    let title = &mut row[Column::Title as usize];
    let mut title_words: Vec<&str> = title.split_whitespace().collect();
    if !title_words.is_empty() {
        let position = random.below(title_words.len() as u64);
        title_words[position] = random.choice::<String>(words);
        *title = title_words.join(" ");
    }
    let shift = random.below(2 * DATE_SHIFT + 1) as i64 - DATE_SHIFT as i64;
    for column in [Column::ObjectBeginDate, Column::ObjectEndDate] {
        let year = &mut row[column as usize];
        if let Ok(number) = year.parse::<i64>() {
            *year = (number + shift).to_string();
        }
    }
}

/// SplitMix64: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; the bias is of no matter for bounds this small.
    fn below(&mut self, bound: u64) -> usize {
        usize::try_from(self.next() % bound).expect("bounds are lengths of lists in memory")
    }

    fn choice<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        let position = self.below(items.len() as u64);
        &items[position]
    }
}
