/** What `collection_select` and `collection_rank` of met answer. */

export type Predicate =
  { field: string; op: string; value?: unknown } | { all: Predicate[] } | { any: Predicate[] } | { not: Predicate };

export interface SelectResult {
  snapshot: string;
  normalizedPredicate: Predicate;
  policies: { unknown: "exclude" | "include"; conflict: "exclude" | "include" };
  counts: {
    universeCount: number;
    eligibleCount: number;
    unknownCount: number;
    conflictingCount: number;
    returnedCount: number;
    truncated: boolean;
  };
  objectIds: number[];
  nextCursor: string | null;
}

export interface ScoreComponent {
  component: string;
  value: number;
  weight: number;
  contribution: number;
}

export interface RankedObject {
  objectId: number;
  score: number;
  scoreComponents: ScoreComponent[];
  whyRelated: string[];
  evidenceIds: string[];
}

export interface RankResult {
  snapshot: string;
  rankerVersion: string;
  axis: string;
  anchor: { type: "object_id"; objectId: number } | { type: "topic_text"; topicText: string };
  counts: {
    eligibleCount: number;
    excludedAnchorCount: number;
    scorableCount: number;
    unscoredCount: number;
    returnedCount: number;
    truncated: boolean;
  };
  results: RankedObject[];
  nextCursor: string | null;
  /** Empty unless the caller asked for a sample. */
  unscoredObjectIds: number[];
  provenance: {
    method: string;
    /** What was compared. */
    basis: string;
    /** What a score does not say. */
    caution: string;
  };
}
