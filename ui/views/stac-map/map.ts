import * as L from "leaflet";
import land from "world-atlas/land-110m.json";
import { landOf, type Box, type Topology } from "./geometry.js";

const BASE_TILES = "https://tile.openstreetmap.org/{z}/{x}/{y}.png";
const BASE_ATTRIBUTION =
  '© <a href="https://www.openstreetmap.org/copyright">OpenStreetMap</a> contributors, land by Natural Earth';

export interface MapOptions {
  box: Box | undefined;
  /** Template with `{z}`, `{x}`, `{y}`. */
  tiles: string | undefined;
  /** Called once for each layer of which a tile cannot be loaded. */
  onMissingTiles(layer: "base" | "data"): void;
}

/** Draws land, base map, data layer and outline into a container that is in the page. */
export function drawMap(container: HTMLElement, { box, tiles, onMissingTiles }: MapOptions): L.Map {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const map = L.map(container, { zoomAnimation: !still, fadeAnimation: !still, worldCopyJump: !box });
  map.attributionControl.setPrefix('<a href="https://leafletjs.com/">Leaflet</a>');
  fit(map, box);

  drawLand(map);
  addTiles(map, BASE_TILES, { maxZoom: 19, attribution: BASE_ATTRIBUTION }, () => onMissingTiles("base"));
  if (tiles) {
    const attribution = `data layer from ${new URL(tiles).hostname}`;
    addTiles(map, tiles, { maxNativeZoom: 18, opacity: 0.85, attribution }, () => onMissingTiles("data"));
  }
  if (box) drawExtent(map, box, { tinted: !tiles });
  return map;
}

function addTiles(map: L.Map, template: string, options: L.TileLayerOptions, onMissing: () => void): void {
  const layer = L.tileLayer(template, { maxZoom: 19, ...options });
  layer.once("tileerror", onMissing);
  layer.addTo(map);
}

/** Land lies below the base map: it is what remains when the base map cannot be loaded. */
function drawLand(map: L.Map): void {
  const pane = map.createPane("land");
  pane.style.zIndex = "100";
  const outline = landOf(land as unknown as Topology);
  // The neighbouring worlds, for boxes across the antimeridian and for narrow zooms.
  for (const shift of [-360, 0, 360]) {
    L.geoJSON(outline, {
      pane: "land",
      interactive: false,
      style: { className: "land" },
      coordsToLatLng: ([lng = 0, lat = 0]) => L.latLng(lat, lng + shift),
    }).addTo(map);
  }
}

/** A line with an edge around it, to be seen on light and dark ground; the tint would discolour a data layer. */
function drawExtent(map: L.Map, box: Box, { tinted }: { tinted: boolean }): void {
  for (const className of ["extent edge", tinted ? "extent tinted" : "extent"]) {
    L.rectangle(corners(box), { className, interactive: false }).addTo(map);
  }
}

function fit(map: L.Map, box: Box | undefined): void {
  if (box) map.fitBounds(L.latLngBounds(corners(box)).pad(0.1), { maxZoom: 15, animate: false });
  else map.setView([20, 0], 1);
}

function corners({ west, south, east, north }: Box): [L.LatLngTuple, L.LatLngTuple] {
  return [
    [south, west],
    [north, east],
  ];
}
