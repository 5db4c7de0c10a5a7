//! Facets: the recorded values of a field and how many objects have each.

use std::ops::Range;

use fixedbitset::FixedBitSet;

use crate::{
    Budget, Collection, Error, StringColumn, StringField, ValueId, bits, collection::checked_page_size,
    cursor::FacetCursor, predicate::Field, receipt::Receipt, selection::Selection, text::norm,
};

/// Characters of the longest prefix.
pub const MAX_PREFIX: usize = 100;
/// Values or rows between two looks at the budget.
const BUDGET_STEP: usize = 4_096;
/// A selection smaller than this part of the catalogue is counted row by row.
const FORWARD_SHARE: usize = 16;

/// Which values to list.
#[derive(Debug, Clone, Copy)]
pub struct FacetRequest<'a> {
    /// The field's name.
    pub field: &'a str,
    /// Receipt of the selection to count in; the whole snapshot without one.
    pub selection: Option<&'a str>,
    /// What the normalised values begin with.
    pub prefix: Option<&'a str>,
    /// Values to list, 1 to 100.
    pub page_size: usize,
    /// Where the page before ended.
    pub cursor: Option<&'a str>,
}

/// One page of values, by normalised, then by recorded value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FacetPage {
    /// The field's name.
    pub field: &'static str,
    /// The values that some object has.
    pub values: Vec<FacetValue>,
    /// More follow.
    pub truncated: bool,
    /// Continues after this page; nothing on the last.
    pub next_cursor: Option<String>,
}

/// A recorded value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FacetValue {
    /// Exactly as recorded.
    pub value: String,
    /// Objects that have it, at least one.
    pub count: usize,
}

impl Collection {
    /// Lists the recorded values of a field.
    ///
    /// # Errors
    /// Fields that cannot be listed; invalid prefixes, receipts, cursors and page sizes; an ended budget.
    pub fn facets(&self, request: &FacetRequest<'_>, budget: &Budget<'_>) -> Result<FacetPage, Error> {
        let page_size = checked_page_size(request.page_size)?;
        let (name, field) = facet_field(request.field)?;
        let prefix = request.prefix.map(checked_prefix).transpose()?;
        let receipt = request
            .selection
            .map(|token| Receipt::open(&self.seal, token))
            .transpose()?;
        let mut position = FacetCursor {
            field: name.to_owned(),
            receipt: receipt.as_ref().map(|receipt| receipt.fingerprint.clone()),
            prefix: request.prefix.map(str::to_owned),
            last_norm: String::new(),
            last_value: String::new(),
        };
        let column = self.columns().string(field);
        let mut range = prefix.map_or(0..column.value_count(), |prefix| column.with_prefix(&prefix));
        if let Some(token) = request.cursor {
            let (last_norm, last_value) = FacetCursor::open(&self.seal, token, &position)?;
            range.start = range.start.max(column.position_after(&last_norm, &last_value));
        }
        let selection = receipt
            .map(|receipt| self.selection(receipt, budget))
            .transpose()?;
        let mut counted = count(column, range, selection.as_deref(), page_size + 1, budget)?;

        let truncated = counted.len() > page_size;
        counted.truncate(page_size);
        let next_cursor = match counted.last() {
            Some(&(last, _)) if truncated => {
                column.norms.get(last).clone_into(&mut position.last_norm);
                column.values.get(last).clone_into(&mut position.last_value);
                Some(self.seal.issue(&position)?)
            }
            _ => None,
        };
        let value = |(value, count)| FacetValue {
            value: column.values.get(value).to_owned(),
            count,
        };
        Ok(FacetPage {
            field: name,
            values: counted.into_iter().map(value).collect(),
            truncated,
            next_cursor,
        })
    }
}

fn facet_field(name: &str) -> Result<(&'static str, StringField), Error> {
    let known = Field::parse(name).and_then(|field| Some((field.name(), field.facet()?)));
    known.ok_or_else(|| Error::UnsupportedField {
        field: name.chars().take(60).collect(),
        purpose: "facet",
        allowed: Field::all()
            .filter(|field| field.facet().is_some())
            .map(Field::name)
            .collect(),
    })
}

/// The normalised prefix.
fn checked_prefix(prefix: &str) -> Result<String, Error> {
    let invalid = |problem| Error::InvalidArgument {
        argument: "prefix",
        problem,
    };
    let length = prefix.chars().count();
    if length > MAX_PREFIX {
        return Err(invalid(format!(
            "has {length} characters; {MAX_PREFIX} are allowed"
        )));
    }
    let folded = norm(prefix);
    if folded.is_empty() {
        return Err(invalid(
            "is empty once normalised; leave it out to list all values".into(),
        ));
    }
    Ok(folded)
}

/// The first `limit` values of a range that some object has, with their counts.
///
/// Two ways lead to the same counts. A small selection is read row by row. In a large one almost every value
/// occurs, so reading the rows of one value after another ends as soon as the page is full.
fn count(
    column: &StringColumn,
    range: Range<ValueId>,
    selection: Option<&Selection>,
    limit: usize,
    budget: &Budget<'_>,
) -> Result<Vec<(ValueId, usize)>, Error> {
    match selection {
        None => first_values(range, limit, budget, |value| column.rows_of.get(value).len()),
        Some(selection) if selection.eligible_count < selection.eligible.len() / FORWARD_SHARE => {
            let counts = counts_by_row(column, &selection.eligible, budget)?;
            first_values(range, limit, budget, |value| counts[value as usize] as usize)
        }
        Some(selection) => {
            let eligible = selection.eligible.as_slice();
            first_values(range, limit, budget, |value| {
                count_rows(column.rows_of.get(value), eligible)
            })
        }
    }
}

fn first_values(
    range: Range<ValueId>,
    limit: usize,
    budget: &Budget<'_>,
    count: impl Fn(ValueId) -> usize,
) -> Result<Vec<(ValueId, usize)>, Error> {
    let mut found = Vec::new();
    for (step, value) in range.enumerate() {
        if step.is_multiple_of(BUDGET_STEP) {
            budget.check()?;
        }
        let count = count(value);
        if count > 0 {
            found.push((value, count));
            if found.len() == limit {
                break;
            }
        }
    }
    Ok(found)
}

fn count_rows(rows: &[u32], eligible: &[usize]) -> usize {
    let is_eligible = |&row: &u32| {
        eligible
            .get(row as usize / bits::WORD)
            .map_or(0, |word| word >> (row as usize % bits::WORD) & 1)
    };
    rows.iter().map(is_eligible).sum()
}

/// By value, the rows of a set that have it.
fn counts_by_row(column: &StringColumn, rows: &FixedBitSet, budget: &Budget<'_>) -> Result<Vec<u32>, Error> {
    let mut counts = vec![0; column.values.len()];
    for (step, row) in bits::rows_from(rows, 0).enumerate() {
        if step.is_multiple_of(BUDGET_STEP) {
            budget.check()?;
        }
        let values = column.values_of.get(row);
        for (index, &value) in values.iter().enumerate() {
            // A record that repeats a value counts once.
            let is_repeat = values[..index].contains(&value);
            if let Some(count) = counts.get_mut(value as usize).filter(|_| !is_repeat) {
                *count += 1;
            }
        }
    }
    Ok(counts)
}
