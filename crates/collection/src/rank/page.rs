//! One page of a ranking: checks, candidates, scores, explanations.

use serde_json::Value;

use super::{
    Anchor, Axis, Component, Explanation, Method, Ranker, Scored, Triple, bm25::Bm25, cosine::Cosine, order,
    rule::Rule,
};
use crate::{
    Budget, Collection, Error, EvidenceId, Row, bits,
    collection::{checked_page_size, in_range},
    cursor::{RankCursor, score_bits},
    receipt::Receipt,
    selection::Selection,
};

/// Candidates a ranking admits unless the caller allows more.
pub const DEFAULT_MAX_CANDIDATES: usize = 2_000;
/// Characters of the longest topic.
pub const MAX_TOPIC: usize = 500;

/// What to rank, against what, and which page of the result to list.
#[derive(Debug, Clone, Copy)]
pub struct RankRequest<'a> {
    /// Receipt of the selection; all of it is ranked, or nothing.
    pub selection: &'a str,
    /// What candidates are compared with.
    pub anchor: &'a Anchor,
    /// In which aspect.
    pub axis: Axis,
    /// By which method.
    pub method: Method,
    /// Results to list, 1 to 100.
    pub page_size: usize,
    /// Where the page before ended.
    pub cursor: Option<&'a str>,
    /// Refuse selections larger than this.
    pub max_candidates: usize,
    /// Rank an anchor object too, if it is selected.
    pub include_anchor: bool,
    /// List the first objects without a score.
    pub include_unscored: bool,
}

/// One page of results, best first.
#[derive(Debug, Clone, PartialEq)]
pub struct RankPage {
    /// How many objects there are of each kind.
    pub counts: RankCounts,
    /// By descending score, then ascending object id.
    pub results: Vec<Ranked>,
    /// Continues after this page; nothing on the last.
    pub next_cursor: Option<String>,
    /// The first `page_size` objects without a score, if wanted; the same on every page.
    pub unscored_object_ids: Vec<u64>,
}

/// Numbers of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankCounts {
    /// Selected, the anchor included.
    pub eligible: usize,
    /// Left out because they are the anchor: 0 or 1.
    pub excluded_anchor: usize,
    /// With a score.
    pub scorable: usize,
    /// Without the data for one.
    pub unscored: usize,
    /// On this page.
    pub returned: usize,
    /// More follow.
    pub truncated: bool,
}

/// A ranked object.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The object.
    pub object_id: u64,
    /// Its score, unrounded.
    pub score: f64,
    /// The parts of the score.
    pub components: Vec<Component>,
    /// What the records have in common.
    pub why_related: Vec<String>,
    /// Where to look it up.
    pub evidence_ids: Vec<String>,
}

impl Collection {
    /// Ranks a whole selection and lists a page of it.
    ///
    /// # Errors
    /// Unsupported combinations, anchors without the data, selections above the candidate limit; invalid
    /// receipts, cursors and numbers; an ended budget.
    pub fn rank(&self, request: &RankRequest<'_>, budget: &Budget<'_>) -> Result<RankPage, Error> {
        let page_size = checked_page_size(request.page_size)?;
        let max_candidates = in_range("maxCandidates", request.max_candidates, self.max_candidates)?;
        check_anchor(request.anchor)?;
        let triple = Triple::new(request.anchor.kind(), request.axis, request.method);
        self.check_triple(triple)?;
        let receipt = Receipt::open(&self.seal, request.selection)?;
        let mut position = position(request, &receipt);
        let after = request
            .cursor
            .map(|token| RankCursor::open(&self.seal, token, &position))
            .transpose()?;
        let selection = self.selection(receipt, budget)?;
        let eligible = selection.eligible_count;
        if eligible > max_candidates {
            return Err(Error::TooManyCandidates {
                eligible,
                max_candidates,
                ceiling: self.max_candidates,
            });
        }
        let anchor = self.anchor_row(request.anchor)?;
        let ranker = self.ranker(request, anchor)?;

        let left_out = anchor.filter(|_| !request.include_anchor);
        let candidates = candidates(&selection, left_out);
        let scored = ranker.score(&candidates, budget)?;
        let scorable = scored.len();
        let unscored_object_ids = match request.include_unscored {
            true => self.unscored(&candidates, &scored, page_size),
            false => Vec::new(),
        };
        let after = after.map(|(score, id)| Scored {
            score,
            row: self.last_row_up_to(id),
        });
        let (page, truncated) = order::page(scored, after, page_size);
        let results = page
            .into_iter()
            .map(|scored| self.ranked(scored, ranker.as_ref(), request));
        let results = results.collect::<Result<Vec<_>, _>>()?;
        let next_cursor = match results.last() {
            Some(last) if truncated => {
                position.last_score = score_bits(last.score);
                position.last_id = last.object_id;
                Some(self.seal.issue(&position)?)
            }
            _ => None,
        };
        let counts = RankCounts {
            eligible,
            excluded_anchor: eligible - candidates.len(),
            scorable,
            unscored: candidates.len() - scorable,
            returned: results.len(),
            truncated,
        };
        Ok(RankPage {
            counts,
            results,
            next_cursor,
            unscored_object_ids,
        })
    }

    /// The ways of ranking that this snapshot has the data for.
    #[must_use]
    pub fn supported_triples(&self) -> Vec<Triple> {
        let has_vectors = !self.catalogue.vectors().ids().is_empty();
        Triple::ORDINARY
            .into_iter()
            .filter(|triple| has_vectors || triple.axis != Axis::Visual)
            .collect()
    }

    fn check_triple(&self, triple: Triple) -> Result<(), Error> {
        let mut supported = self.supported_triples();
        if supported.contains(&triple) {
            return Ok(());
        }
        supported.sort_by_key(|other| other.axis != triple.axis);
        Err(match triple.axis {
            Axis::Style => Error::StyleNotSupported { supported },
            Axis::Visual if Triple::ORDINARY.contains(&triple) => Error::VectorsUnavailable { supported },
            _ => Error::UnsupportedTriple { triple, supported },
        })
    }

    fn anchor_row(&self, anchor: &Anchor) -> Result<Option<Row>, Error> {
        match anchor {
            Anchor::Topic(_) => Ok(None),
            Anchor::Object(id) => {
                let row = self.columns().row(*id).ok_or(Error::AnchorNotFound(*id))?;
                Ok(Some(row))
            }
        }
    }

    fn ranker(&self, request: &RankRequest<'_>, anchor: Option<Row>) -> Result<Box<dyn Ranker + '_>, Error> {
        match (request.anchor, anchor) {
            (Anchor::Object(object_id), Some(anchor)) => {
                let object_id = *object_id;
                self.object_ranker(request.axis, anchor)
                    .ok_or_else(|| Error::AnchorNotRankable {
                        object_id,
                        axis: request.axis,
                        rankable: Axis::ALL
                            .into_iter()
                            .filter(|&axis| self.object_ranker(axis, anchor).is_some())
                            .collect(),
                    })
            }
            (Anchor::Topic(text), _) => Ok(Box::new(Bm25::from_topic(self.columns(), text)?)),
            (Anchor::Object(id), None) => Err(Error::AnchorNotFound(*id)),
        }
    }

    /// The ranker of an axis, if the anchor has the data for it; each axis of objects has one method.
    fn object_ranker(&self, axis: Axis, anchor: Row) -> Option<Box<dyn Ranker + '_>> {
        let columns = self.columns();
        match axis {
            Axis::Topic => Some(Box::new(Bm25::from_object(columns, anchor)?)),
            Axis::TechniqueMaterial | Axis::Context => {
                Some(Box::new(Rule::new(columns, &self.field_terms, axis, anchor)?))
            }
            Axis::Visual => Some(Box::new(Cosine::from_object(
                columns,
                self.catalogue.vectors(),
                anchor,
            )?)),
            Axis::Style => None,
        }
    }

    /// The first candidates that have no score.
    fn unscored(&self, candidates: &[Row], scored: &[Scored], count: usize) -> Vec<u64> {
        // Rankers keep the order of the candidates.
        let mut scored = scored.iter().map(|scored| scored.row).peekable();
        let mut unscored = Vec::new();
        for &row in candidates {
            if scored.next_if_eq(&row).is_some() {
                continue;
            }
            unscored.push(self.columns().ids[row as usize]);
            if unscored.len() == count {
                break;
            }
        }
        unscored
    }

    /// The last row with an id not above this one; the id need not exist.
    fn last_row_up_to(&self, id: u64) -> Row {
        let rows = self.columns().ids.partition_point(|&other| other <= id);
        Row::try_from(rows.saturating_sub(1)).unwrap_or(Row::MAX)
    }

    fn ranked(
        &self,
        scored: Scored,
        ranker: &dyn Ranker,
        request: &RankRequest<'_>,
    ) -> Result<Ranked, Error> {
        let object_id = self.columns().ids[scored.row as usize];
        let Explanation {
            components,
            why_related,
        } = ranker.explain(scored.row);
        let evidence_ids = self.cited(object_id, request)?;
        Ok(Ranked {
            object_id,
            score: scored.score,
            components,
            why_related,
            evidence_ids,
        })
    }

    /// The evidence behind a result: the records compared by words, the two vectors compared by cosine.
    fn cited(&self, object_id: u64, request: &RankRequest<'_>) -> Result<Vec<String>, Error> {
        if request.axis == Axis::Visual {
            let vector = |id: u64| EvidenceId::Vector(id).to_string();
            return Ok(match request.anchor {
                Anchor::Object(anchor) if *anchor != object_id => vec![vector(*anchor), vector(object_id)],
                Anchor::Object(_) | Anchor::Topic(_) => vec![vector(object_id)],
            });
        }
        let sources = self.catalogue.sources(object_id)?;
        let csv = sources.csv.then_some(EvidenceId::Csv(object_id));
        let api = sources.api.then_some(EvidenceId::Api(object_id));
        Ok(csv.into_iter().chain(api).map(|id| id.to_string()).collect())
    }
}

fn check_anchor(anchor: &Anchor) -> Result<(), Error> {
    let problem = match anchor {
        Anchor::Object(0) => "must name a positive object id".to_owned(),
        Anchor::Object(_) => return Ok(()),
        Anchor::Topic(text) => match text.chars().count() {
            1..=MAX_TOPIC => return Ok(()),
            length => format!("has a topic of {length} characters; 1 to {MAX_TOPIC} are allowed"),
        },
    };
    Err(Error::InvalidArgument {
        argument: "anchor",
        problem,
    })
}

/// What the cursors of a request are bound to; the position itself is still open.
fn position(request: &RankRequest<'_>, receipt: &Receipt) -> RankCursor {
    let anchor: Value = request.anchor.to_value();
    RankCursor {
        receipt: receipt.fingerprint.clone(),
        anchor,
        axis: request.axis.name().to_owned(),
        method: request.method.name().to_owned(),
        include_anchor: request.include_anchor,
        encoder: None,
        last_score: String::new(),
        last_id: 0,
    }
}

/// The eligible rows, ascending, without the one left out.
fn candidates(selection: &Selection, left_out: Option<Row>) -> Vec<Row> {
    bits::rows_from(&selection.eligible, 0)
        .filter(|&row| Some(row) != left_out)
        .collect()
}
