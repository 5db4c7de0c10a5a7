import { hostCapabilities, mayLoad } from "@periplus/mcp-view";
import { h, isWebAddress, link, remoteImage } from "../shared/dom.js";
import { askButton, count, type Content } from "../shared/page.js";
import { isConflict, meaning } from "./flags.js";
import { rights } from "./rights.js";
import type { ArtistMention, CollectionObject, CollectionObjectsResult } from "./types.js";

/** Recorded columns that are worth seeing without opening the table of all of them. */
const HIGHLIGHTS = ["Object Name", "Culture", "Period", "Medium", "Department", "Object Number", "Credit Line"];

export function render({ objects, missingObjectIds, snapshot }: CollectionObjectsResult): Content {
  const missing = missingObjectIds.length
    ? h("p", { class: "notice warning" }, `Not in this snapshot: ${missingObjectIds.join(", ")}.`)
    : null;
  const body = h("div", { class: "stack" }, missing, ...objects.map(card), source(snapshot));
  const lacking = missingObjectIds.length ? `, ${missingObjectIds.length} not found` : "";
  return { status: `${count(objects.length, "object")}${lacking}`, body: [body] };
}

function card(object: CollectionObject): HTMLElement {
  return h(
    "article",
    { class: "card object", "aria-labelledby": `title-${object.objectId}` },
    header(object),
    conflicts(object),
    h("div", { class: "columns" }, figure(object), facts(object)),
    rights(object),
    quality(object.qualityFlags),
    originalFields(object),
    footer(object),
  );
}

function header({ objectId, title, qualityFlags, objectURL }: CollectionObject): HTMLElement {
  const conflicted = qualityFlags.includes("api_conflict_title");
  const text = title ?? (conflicted ? "Title in dispute" : "Untitled");
  return h(
    "header",
    {},
    h("h2", { id: `title-${objectId}` }, ...titleLines(text)),
    h(
      "p",
      { class: "row muted small" },
      `Object ${objectId}`,
      objectURL ? link(objectURL, "Page at the museum") : null,
    ),
  );
}

/** A title in several languages is recorded as one text with bars. */
function titleLines(title: string): Node[] {
  return title
    .split("|")
    .map((line) => line.trim())
    .filter((line) => line)
    .map((line) => h("span", { class: "line" }, line));
}

function conflicts({ qualityFlags, evidenceIds }: CollectionObject): HTMLElement | null {
  const found = qualityFlags.filter(isConflict);
  if (!found.length) return null;
  return h(
    "div",
    { class: "notice warning" },
    h("h3", {}, "The sources disagree"),
    h("ul", {}, ...found.map((flag) => h("li", {}, meaning(flag)))),
    h("p", {}, "No side is taken. Each source's own words are under ", ...codes(evidenceIds), "."),
  );
}

function facts(object: CollectionObject): HTMLElement {
  const { artistMentions, objectDate, qualityFlags, originalFields } = object;
  const disputed = (field: string) => qualityFlags.includes(`api_conflict_${field}`);
  const list = h("dl", { class: "facts" });
  const add = (term: string, ...value: (Node | string)[]) => list.append(h("dt", {}, term), h("dd", {}, ...value));

  if (artistMentions.length) add(artistMentions.length === 1 ? "Artist" : "Artists", artists(artistMentions));
  else add("Artist", absent(disputed("artist")));
  add("Date", objectDate ?? absent(disputed("date")));
  for (const column of HIGHLIGHTS) {
    const value = originalFields?.[column]?.trim();
    if (value) add(column, value);
  }
  add("Image", imageFact(object));
  return list;
}

function artists(mentions: ArtistMention[]): HTMLElement {
  return h(
    "ul",
    {},
    ...mentions.map(({ name, role, attribution }) =>
      h("li", {}, attribution || name, role && h("span", { class: "muted" }, ` · ${role}`)),
    ),
  );
}

function absent(disputed: boolean): Node {
  return h("span", { class: "muted" }, disputed ? "in dispute, see above" : "not recorded");
}

/** The image itself, if the host has said that the frame may load it. */
function figure(object: CollectionObject): HTMLElement | null {
  const address = imageAddress(object);
  if (!address || !mayLoad(hostCapabilities(), address)) return null;
  const notLoaded = () => h("p", { class: "muted" }, "The image could not be loaded.");
  const image = remoteImage(address, object.title ?? `Object ${object.objectId}`, notLoaded);
  return h("figure", {}, image);
}

/** Where the image is, or that none is known and who says so. */
function imageFact(object: CollectionObject): Node {
  const { primaryImage, imageEvidence } = object;
  const address = imageAddress(object);
  if (address) {
    const full = primaryImage && primaryImage !== address ? link(primaryImage, "full size") : null;
    return h("span", { class: "row" }, link(address, full ? "small" : "address"), full);
  }
  const asked = imageEvidence?.retrievedAt?.slice(0, "YYYY-MM-DD".length);
  return h("span", { class: "muted" }, asked ? `none published by the API on ${asked}` : "no address recorded");
}

function imageAddress({ primaryImageSmall, primaryImage }: CollectionObject): string | undefined {
  return [primaryImageSmall, primaryImage].find((address) => address && isWebAddress(address)) ?? undefined;
}

function quality(flags: string[]): HTMLElement | null {
  const notes = flags.filter((flag) => !isConflict(flag));
  if (!notes.length) return null;
  return h(
    "details",
    {},
    h("summary", {}, count(notes.length, "note on this record", "notes on this record")),
    h(
      "ul",
      { class: "notes" },
      ...notes.map((flag) => h("li", {}, meaning(flag), " ", h("code", { class: "muted small" }, flag))),
    ),
  );
}

function originalFields({ originalFields: fields }: CollectionObject): HTMLElement {
  if (!fields) return h("p", { class: "muted small" }, "There is no record in the catalogue file.");
  const filled = Object.entries(fields).filter(([, value]) => value !== "");
  const empty = Object.keys(fields).length - filled.length;
  return h(
    "details",
    {},
    h("summary", {}, count(filled.length, "original field")),
    h(
      "table",
      {},
      h("caption", { class: "muted small" }, `Exactly as in the catalogue file; ${count(empty, "more column")} empty.`),
      h(
        "tbody",
        {},
        ...filled.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value))),
      ),
    ),
  );
}

function footer({ objectId, evidenceIds }: CollectionObject): HTMLElement {
  const message = `Show the evidence for object ${objectId}: ${evidenceIds.join(", ")}.`;
  return h(
    "footer",
    { class: "stack" },
    h("p", { class: "small muted" }, "Evidence: ", ...codes(evidenceIds)),
    askButton("Show evidence", message, { description: `Show evidence for object ${objectId}` }),
  );
}

function codes(ids: string[]): (Node | string)[] {
  return ids.flatMap((id, index) => [index ? ", " : "", h("code", {}, id)]);
}

function source(snapshot: string): HTMLElement {
  return h("p", { class: "small muted" }, "Snapshot ", h("code", {}, snapshot), ". Not affiliated with the museum.");
}
