/** Names the objects of a result, which itself holds ids only, if the host lets the view call tools. */
import { callTool, hostCapabilities } from "@periplus/mcp-view";
import type { CollectionObject } from "../object-card/types.js";

/** What `collection_objects` takes at once. */
const BATCH = 100;

/** Where one object's title and what belongs to it go. */
export interface Place {
  title: HTMLElement;
  byline: HTMLElement;
}

/** Fills the places of a page; they stay as they are where nothing can be learned. */
export async function fillTitles(places: Map<number, Place>): Promise<void> {
  if (!places.size || !hostCapabilities().serverTools) return;
  const answer = await callTool("collection_objects", { objectIds: [...places.keys()].slice(0, BATCH) });
  const objects = answer.structuredContent?.["objects"];
  if (answer.isError || !Array.isArray(objects)) return;
  for (const { objectId, title, artistDisplayName, objectDate } of objects as CollectionObject[]) {
    const place = places.get(objectId);
    if (!place) continue;
    if (title) place.title.textContent = members(title).join(" / ");
    place.byline.textContent = [...members(artistDisplayName ?? ""), objectDate].filter((part) => part).join(", ");
  }
}

/** Lists are recorded as one text with bars. */
function members(text: string): string[] {
  const parts = text.split("|").map((part) => part.replace(/\s+/g, " ").trim());
  return parts.filter((part) => part);
}
