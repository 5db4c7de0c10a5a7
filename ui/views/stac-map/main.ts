import "leaflet/dist/leaflet.css";
import "./style.css";
import type * as L from "leaflet";
import { onTeardown } from "@periplus/mcp-view";
import { showResults } from "../shared/page.js";
import { drawMap } from "./map.js";
import { render } from "./render.js";
import type { ShowMapResult } from "./types.js";

let map: L.Map | undefined;

showResults<ShowMapResult>("map", (result) => {
  map?.remove();
  const { content, container, note, options } = render(result);
  // Leaflet measures its container, so it draws when the page has it.
  queueMicrotask(() => {
    map = drawMap(container, { ...options, onMissingTiles: (layer) => note(MISSING[layer]) });
  });
  return content;
});

onTeardown(() => {
  map?.remove();
});

const MISSING = {
  base: "The base map could not be loaded; coarse land outlines are shown instead.",
  data: "Some tiles of the data layer could not be loaded.",
};
