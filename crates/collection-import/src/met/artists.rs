//! Artists from parallel lists in separate cells.
//!
//! Where another list has a different length than the names, nobody can tell which member belongs to whom:
//! none of its values is used. Shifting or repeating would invent facts.

use periplus_collection::{ArtistMention, text};

use super::columns::Column;
use super::quality::FlagSet;
use super::record::Row;

/// The lists that run parallel to the names.
const PARALLEL: [Column; 11] = [
    Column::ArtistRole,
    Column::ArtistPrefix,
    Column::ArtistDisplayBio,
    Column::ArtistSuffix,
    Column::ArtistAlphaSort,
    Column::ArtistNationality,
    Column::ArtistBeginDate,
    Column::ArtistEndDate,
    Column::ArtistGender,
    Column::ArtistUlanUrl,
    Column::ArtistWikidataUrl,
];

/// End year of an artist who is living or active.
const OPEN_END: &str = "9999";
/// What stands in place of an authority link that was looked for and not found.
const UNASSIGNED: &str = "(not assigned)";

/// The artists of a row, without repeats.
pub(super) fn mentions(row: Row<'_>, flags: &mut FlagSet) -> Vec<ArtistMention> {
    let names = match text::clean(row.cell(Column::ArtistDisplayName)) {
        Some(_) => split(row.cell(Column::ArtistDisplayName)),
        None => Vec::new(),
    };
    if PARALLEL
        .into_iter()
        .any(|column| matches!(members(row, column, names.len()), Members::Misaligned))
    {
        flags.insert("artist_columns_misaligned");
    }
    let [roles, prefixes, suffixes, ends, ulans] = [
        Column::ArtistRole,
        Column::ArtistPrefix,
        Column::ArtistSuffix,
        Column::ArtistEndDate,
        Column::ArtistUlanUrl,
    ]
    .map(|column| members(row, column, names.len()));

    let mut mentions: Vec<ArtistMention> = Vec::with_capacity(names.len());
    for (position, name) in names.iter().enumerate() {
        if name.is_empty() {
            flags.insert("artist_name_blank");
            continue;
        }
        if ends.at(position) == OPEN_END {
            flags.insert("artist_end_open");
        }
        if ulans.at(position) == UNASSIGNED {
            flags.insert("artist_ulan_unassigned");
        }
        let role = roles.at(position);
        let mention = ArtistMention {
            name: name.clone(),
            role: (!role.is_empty()).then(|| role.to_owned()),
            attribution: attribution(prefixes.at(position), name, suffixes.at(position)),
        };
        if !mentions.contains(&mention) {
            mentions.push(mention);
        }
    }
    mentions
}

/// One of the parallel lists.
enum Members {
    /// A member for every name.
    Aligned(Vec<String>),
    /// Nothing is recorded.
    Blank,
    /// A different number of members than names.
    Misaligned,
}

impl Members {
    fn at(&self, position: usize) -> &str {
        match self {
            Self::Aligned(members) => members.get(position).map_or("", String::as_str),
            Self::Blank | Self::Misaligned => "",
        }
    }
}

fn members(row: Row<'_>, column: Column, name_count: usize) -> Members {
    let members = split(row.cell(column));
    if members.iter().all(String::is_empty) {
        Members::Blank
    } else if members.len() == name_count {
        Members::Aligned(members)
    } else {
        Members::Misaligned
    }
}

fn split(cell: &str) -> Vec<String> {
    cell.split('|')
        .map(|member| text::unify_line_ends(member.trim()).into_owned())
        .collect()
}

/// The name with its prefix and suffix; a suffix that starts with punctuation is glued on.
fn attribution(prefix: &str, name: &str, suffix: &str) -> String {
    if prefix.is_empty() && suffix.is_empty() {
        return name.to_owned();
    }
    let glue = if suffix.starts_with([',', ';', ')']) {
        ""
    } else {
        " "
    };
    text::collapse_whitespace(&format!("{prefix} {name}{glue}{suffix}"))
}
