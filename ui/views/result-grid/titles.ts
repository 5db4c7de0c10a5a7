/** Names the objects of a result, which itself holds ids only, if the host lets the view call tools. */
import { callTool, hostCapabilities } from "@periplus/mcp-view";
import type { CollectionObject } from "../object-card/types.js";

/** What `collection_objects` takes at once. */
const BATCH = 100;

/** Fills the places of a page's titles; places stay as they are where nothing can be learned. */
export async function fillTitles(places: Map<number, HTMLElement>): Promise<void> {
  if (!places.size || !hostCapabilities().serverTools) return;
  const answer = await callTool("collection_objects", { objectIds: [...places.keys()].slice(0, BATCH) });
  const objects = answer.structuredContent?.["objects"];
  if (answer.isError || !Array.isArray(objects)) return;
  for (const object of objects as CollectionObject[]) {
    const place = places.get(object.objectId);
    if (place) place.textContent = nameOf(object);
  }
}

/** "Title (artist, date)", as far as it is recorded. */
export function nameOf({ title, artistDisplayName, objectDate, objectId }: CollectionObject): string {
  const name = title?.replace(/\s*\|\s*/g, " / ").replace(/\s+/g, " ") ?? `Object ${objectId}`;
  const details = [artistDisplayName?.replace(/\s*\|\s*/g, ", "), objectDate].filter((part) => part);
  return details.length ? `${name} (${details.join(", ")})` : name;
}
