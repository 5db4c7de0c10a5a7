import { h } from "../shared/dom.js";
import { askButton, count, formatNumber, type Content } from "../shared/page.js";
import { describe } from "./predicate.js";
import type { Place } from "./titles.js";
import type { RankResult, RankedObject, ScoreComponent, SelectResult } from "./types.js";

export interface Rendered {
  content: Content;
  /** Where each object's title goes once it is known. */
  places: Map<number, Place>;
}

export function render(data: SelectResult | RankResult): Rendered {
  const places = new Map<number, Place>();
  return { content: "results" in data ? ranking(data, places) : selection(data, places), places };
}

function selection(data: SelectResult, places: Map<number, Place>): Content {
  const { counts, policies, objectIds, normalizedPredicate } = data;
  const policy = { exclude: "left out", include: "included" };
  const asides = [
    `${formatNumber(counts.unknownCount)} unknown (${policy[policies.unknown]})`,
    `${formatNumber(counts.conflictingCount)} in conflict (${policy[policies.conflict]})`,
  ];
  const rows = objectIds.map((objectId) =>
    h("li", { class: "result" }, heading(objectId, places), openButton(objectId)),
  );
  return {
    status: `${formatNumber(counts.eligibleCount)} of ${count(counts.universeCount, "object")} selected`,
    body: [
      stack(
        h("p", {}, "Where ", h("strong", {}, describe(normalizedPredicate)), "."),
        h("p", { class: "muted small" }, `${asides.join(", ")}.`),
        h("ul", { class: "results" }, ...rows),
        more(data),
        snapshot(data.snapshot),
      ),
    ],
  };
}

function ranking(data: RankResult, places: Map<number, Place>): Content {
  const { counts, results, provenance } = data;
  const largest = Math.max(
    ...results.flatMap(({ scoreComponents }) => scoreComponents.map((part) => part.contribution)),
  );
  return {
    status: `${formatNumber(counts.returnedCount)} of ${count(counts.scorableCount, "scored object")}, ${anchorText(data)}`,
    body: [
      stack(
        h("ol", { class: "results" }, ...results.map((result) => ranked(result, largest, places))),
        more(data),
        unscored(data),
        h("p", { class: "muted small" }, `Scores rest on ${provenance.basis}; ${provenance.caution}.`),
        snapshot(data.snapshot, data.rankerVersion),
      ),
    ],
  };
}

function ranked(result: RankedObject, largest: number, places: Map<number, Place>): HTMLElement {
  const { objectId, score, scoreComponents, whyRelated, evidenceIds } = result;
  return h(
    "li",
    { class: "result" },
    h("div", { class: "head" }, heading(objectId, places), h("span", { class: "score" }, "Score ", number(score))),
    whyRelated.length > 0 && h("ul", { class: "small" }, ...whyRelated.map((reason) => h("li", {}, reason))),
    scoreComponents.length > 0 && components(scoreComponents, largest),
    h("p", { class: "muted small" }, "Evidence: ", h("code", {}, evidenceIds.join(", "))),
    openButton(objectId),
  );
}

/** One bar for each part of the score, on one scale for the whole page, with its figure as text. */
function components(parts: ScoreComponent[], largest: number): HTMLElement {
  const rows = parts.map(({ component, value, weight, contribution }) => {
    const width = largest > 0 ? Math.max(0, Math.min(100, (100 * contribution) / largest)) : 0;
    const origin = `value ${number(value)} × weight ${number(weight)}`;
    return h(
      "tr",
      { title: `${component}: ${origin}` },
      h("th", { scope: "row" }, componentName(component)),
      h("td", { class: "bar", "aria-hidden": "true" }, h("span", { style: `width: ${width.toFixed(1)}%` })),
      h("td", { class: "figure" }, number(contribution)),
    );
  });
  return h("table", { class: "components small", "aria-label": "Parts of the score" }, h("tbody", {}, ...rows));
}

/** `term:garden` is the word “garden”, `medium_terms` means what it says. */
function componentName(component: string): string {
  return component.startsWith("term:") ? `“${component.slice("term:".length)}”` : component.replaceAll("_", " ");
}

/** "Object 467642" until the title is known, with a line for what belongs to it. */
function heading(objectId: number, places: Map<number, Place>): HTMLElement {
  const place = { title: h("span", {}, "Object"), byline: h("p", { class: "muted" }) };
  places.set(objectId, place);
  const id = h("code", { class: "muted small id" }, String(objectId));
  return h("div", {}, h("h2", {}, place.title, " ", id), place.byline);
}

function openButton(objectId: number): HTMLElement {
  return askButton("Open object", `Show object ${objectId} of the collection.`, {
    description: `Open object ${objectId}`,
  });
}

function anchorText({ anchor, axis }: RankResult): string {
  const compared = axis === "topic" ? "" : ` by ${axis.replaceAll("_", " and ")}`;
  return anchor.type === "topic_text"
    ? `ranked for “${anchor.topicText}”${compared}`
    : `ranked by likeness to object ${anchor.objectId}${compared}`;
}

function unscored({ counts, unscoredObjectIds }: RankResult): HTMLElement | null {
  if (!counts.unscoredCount) return null;
  const said = `${count(counts.unscoredCount, "selected object")} without a score: there is not the data to compare, which is not a score of zero.`;
  if (!unscoredObjectIds.length) return h("p", { class: "notice small" }, said);
  return h(
    "details",
    { class: "notice small" },
    h("summary", {}, said),
    h("p", {}, `A sample: ${unscoredObjectIds.join(", ")}.`),
  );
}

function more({ nextCursor }: { nextCursor: string | null }): HTMLElement | null {
  return nextCursor === null ? null : askButton("More results", "Show the next page of these results.");
}

function snapshot(id: string, ranker?: string): HTMLElement {
  return h("p", { class: "muted small" }, "Snapshot ", h("code", {}, id), ranker ? `, ranked by ${ranker}` : "", ".");
}

function stack(...children: (Node | null)[]): HTMLElement {
  return h("div", { class: "stack" }, ...children);
}

function number(value: number): string {
  return formatNumber(value, { maximumSignificantDigits: 4 });
}
