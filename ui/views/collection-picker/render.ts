import { h, isWebAddress, remoteImage } from "../shared/dom.js";
import { askButton, count, type Content } from "../shared/page.js";
import type { Collection, SearchCollectionsResult } from "./types.js";

/** Longer descriptions are folded to a few lines. */
const FOLD_CHARACTERS = 180;

export function render({ message, collections }: SearchCollectionsResult): Content {
  if (!collections?.length) return { status: message || "No collections matched.", body: [] };
  return {
    status: message || count(collections.length, "collection"),
    body: [h("ul", { class: "collections" }, ...collections.map(card))],
  };
}

function card(collection: Collection): HTMLElement {
  const { id, title } = collection;
  return h(
    "li",
    { class: "card collection" },
    thumbnail(collection.thumbnail),
    h("h2", {}, title),
    title !== id && h("code", { class: "muted small" }, id),
    ...description(plainText(collection.description)),
    askButton("Show on map", `Show the "${title}" collection on the map (id: ${id}).`, {
      class: "primary",
      description: `Show on map: ${title}`,
    }),
  );
}

function thumbnail(address: string | null | undefined): Node {
  const absent = () => h("div", { class: "thumbnail muted small" }, "No preview");
  if (!address || !isWebAddress(address)) return absent();
  const image = remoteImage(address, "", absent);
  image.className = "thumbnail";
  return image;
}

function description(text: string): Node[] {
  if (!text) return [];
  const paragraph = h("p", { class: "muted" }, text);
  if (text.length <= FOLD_CHARACTERS) return [paragraph];

  paragraph.classList.add("folded");
  const toggle = h("button", { type: "button", class: "plain small", "aria-expanded": "false" }, "Read more");
  toggle.addEventListener("click", () => {
    const folded = paragraph.classList.toggle("folded");
    toggle.setAttribute("aria-expanded", String(!folded));
    toggle.textContent = folded ? "Read more" : "Read less";
  });
  return [paragraph, toggle];
}

/** Markdown without its marks: links become their text, emphasis and headings plain words. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^#+\s+/gm, "")
    .replace(/(?<!\w)([*_`]{1,3})(\S(?:.*?\S)?)\1(?!\w)/g, "$2")
    .replace(/\s+/g, " ")
    .trim();
}
