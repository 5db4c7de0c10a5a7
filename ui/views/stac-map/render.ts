import { h, isWebAddress, remoteImage } from "../shared/dom.js";
import type { Content } from "../shared/page.js";
import { parseBox, type Box } from "./geometry.js";
import type { ShowMapResult } from "./types.js";

export interface Rendered {
  content: Content;
  /** Where the map goes. */
  container: HTMLElement;
  /** Adds a sentence below the map, once. */
  note(text: string): void;
  options: { box: Box | undefined; tiles: string | undefined };
}

export function render({ message, collection, tile_url: address }: ShowMapResult): Rendered {
  const box = parseBox(collection?.bbox);
  const tiles = tileTemplate(address);
  const title = collection?.title ?? "no collection";
  const container = h("div", { class: "map", role: "region", "aria-label": `Map of ${title}` });
  const notes = h("div", { class: "small muted", role: "status" });
  const note = (text: string) => {
    if (![...notes.children].some((known) => known.textContent === text)) notes.append(h("p", {}, text));
  };
  if (!tiles) note(`There is no data layer for this collection${box ? "; the outline is its recorded extent" : ""}.`);
  if (!box) note("No extent is recorded, so the whole world is shown.");

  const body = [collection ? caption(collection) : null, container, notes].filter((node) => node !== null);
  return {
    content: { status: message, body: [h("div", { class: "stack" }, ...body)] },
    container,
    note,
    options: { box, tiles },
  };
}

function caption({ id, title, thumbnail }: NonNullable<ShowMapResult["collection"]>): HTMLElement {
  const image = thumbnail && isWebAddress(thumbnail) ? remoteImage(thumbnail, "", () => h("span")) : null;
  return h(
    "div",
    { class: "caption" },
    image,
    h("h1", {}, title),
    title !== id && h("code", { class: "muted small" }, id),
  );
}

/** The template if a map can use it: a web address with all three placeholders and no other. */
export function tileTemplate(address: string | null | undefined): string | undefined {
  if (!address || !isWebAddress(address)) return undefined;
  const placeholders = new Set(address.match(/\{[^}]*\}/g));
  const usable = placeholders.size === 3 && ["{z}", "{x}", "{y}"].every((name) => placeholders.has(name));
  return usable ? address : undefined;
}
