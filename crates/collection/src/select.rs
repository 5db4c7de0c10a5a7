//! Selection: a predicate in, a receipt, counts and object ids out.

use serde_json::Value;

use crate::{
    Budget, Collection, Error, Policies, Predicate, bits, collection::checked_page_size,
    cursor::SelectCursor, receipt::Receipt, selection::Selection,
};

/// What to select, and which page of it to list.
#[derive(Debug, Clone, Copy)]
pub struct SelectRequest<'a> {
    /// The condition, in its JSON form.
    pub predicate: &'a Value,
    /// What happens with objects it cannot judge.
    pub policies: Policies,
    /// Object ids to list, 1 to 100.
    pub page_size: usize,
    /// Where the page before ended.
    pub cursor: Option<&'a str>,
}

/// A selection and one page of it.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectPage {
    /// Stands for the whole selection in later calls.
    pub receipt: String,
    /// The condition as it was understood.
    pub predicate: Value,
    /// The policies applied.
    pub policies: Policies,
    /// How many objects there are of each kind.
    pub counts: SelectCounts,
    /// Object ids of this page, ascending.
    pub object_ids: Vec<u64>,
    /// Continues after this page; nothing on the last.
    pub next_cursor: Option<String>,
}

/// Numbers of objects after evaluating the whole predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectCounts {
    /// In the snapshot.
    pub universe: usize,
    /// Selected.
    pub eligible: usize,
    /// Not to be judged for a missing value, whatever the policy.
    pub unknown: usize,
    /// Not to be judged because sources disagree, whatever the policy.
    pub conflicting: usize,
    /// On this page.
    pub returned: usize,
    /// More follow.
    pub truncated: bool,
}

impl Collection {
    /// Selects objects and lists a page of them by ascending id.
    ///
    /// # Errors
    /// Invalid predicates, cursors and page sizes; an ended budget.
    pub fn select(&self, request: &SelectRequest<'_>, budget: &Budget<'_>) -> Result<SelectPage, Error> {
        let page_size = checked_page_size(request.page_size)?;
        let predicate = Predicate::parse(request.predicate)?;
        let receipt = Receipt::issue(&self.seal, predicate, request.policies)?;
        let open = |token| SelectCursor::open(&self.seal, token, &receipt.fingerprint);
        let after = request.cursor.map(open).transpose()?;
        let selection = self.selection(receipt, budget)?;
        let object_ids = self.ids_after(&selection, after, page_size + 1);
        self.select_page(&selection, object_ids, page_size)
    }

    /// Up to `count` ids of a selection, ascending, after a given one.
    fn ids_after(&self, selection: &Selection, after: Option<u64>, count: usize) -> Vec<u64> {
        let ids = &self.columns().ids;
        let start = after.map_or(0, |after| ids.partition_point(|&id| id <= after));
        bits::rows_from(&selection.eligible, start)
            .take(count)
            .map(|row| ids[row as usize])
            .collect()
    }

    fn select_page(
        &self,
        selection: &Selection,
        mut object_ids: Vec<u64>,
        page_size: usize,
    ) -> Result<SelectPage, Error> {
        let truncated = object_ids.len() > page_size;
        object_ids.truncate(page_size);
        let receipt = &selection.receipt;
        let next_cursor = match object_ids.last() {
            Some(&last_id) if truncated => Some(self.seal.issue(&SelectCursor {
                receipt: receipt.fingerprint.clone(),
                last_id,
            })?),
            _ => None,
        };
        Ok(SelectPage {
            receipt: receipt.token.clone(),
            predicate: receipt.predicate.to_value(),
            policies: receipt.policies,
            counts: SelectCounts {
                universe: self.columns().len(),
                eligible: selection.eligible_count,
                unknown: selection.unknown_count,
                conflicting: selection.conflicting_count,
                returned: object_ids.len(),
                truncated,
            },
            object_ids,
            next_cursor,
        })
    }
}
