/** Boxes and outlines in the plain degrees that the map draws, including those that cross the antimeridian. */
import type { MultiPolygon, Position } from "geojson";

/** West ≤ east; east beyond 180 means that the box crosses the antimeridian. */
export interface Box {
  west: number;
  south: number;
  east: number;
  north: number;
}

/** The map's projection ends here. */
const MAX_LATITUDE = 85.05;

/** Reads a box of four numbers, or of six with heights; `undefined` if it is not one. */
export function parseBox(numbers: number[] | null | undefined): Box | undefined {
  if (!numbers || ![4, 6].includes(numbers.length) || !numbers.every(Number.isFinite)) return undefined;
  const half = numbers.length / 2;
  const [west, south, east, north] = [numbers[0]!, numbers[1]!, numbers[half]!, numbers[half + 1]!];
  if (south > north || Math.abs(west) > 360 || Math.abs(east) > 360) return undefined;
  const latitude = (degrees: number) => Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, degrees));
  return { west, south: latitude(south), east: east < west ? east + 360 : east, north: latitude(north) };
}

/** A quantised topology as world-atlas publishes it: arcs are delta-encoded, negative indices run backwards. */
export interface Topology {
  arcs: number[][][];
  transform: { scale: [number, number]; translate: [number, number] };
  objects: { land: { geometries: { arcs: number[][][] }[] } };
}

/** Decodes the land of a topology into polygons, each in one piece. */
export function landOf({ arcs, transform, objects }: Topology): MultiPolygon {
  const lines = arcs.map((arc) => decodeArc(arc, transform));
  const line = (index: number) => (index < 0 ? lines[~index]!.toReversed() : lines[index]!);
  // Each arc starts where the one before ends, so its first point is left out.
  const ring = (indices: number[]) => indices.flatMap((index, n) => (n ? line(index).slice(1) : line(index)));
  return {
    type: "MultiPolygon",
    coordinates: objects.land.geometries.flatMap(({ arcs }) => arcs.map((rings) => rings.map(ring).map(unrolled))),
  };
}

/**
 * On a sphere a ring may step from 180° to −180°; on a plane that step would be a line across the whole map.
 * A ring that goes once around (Antarctica) is closed along the pole.
 */
function unrolled(ring: Position[]): Position[] {
  let turns = 0;
  const plane = ring.map(([lng, lat], index): [number, number] => {
    const step = lng! - (ring[index - 1]?.[0] ?? lng!);
    if (step > 180) turns -= 1;
    if (step < -180) turns += 1;
    return [lng! + 360 * turns, lat!];
  });
  if (turns === 0) return plane;
  const pole = plane[0]![1] < 0 ? -90 : 90;
  return [...plane, [plane.at(-1)![0], pole], [plane[0]![0], pole], plane[0]!];
}

function decodeArc(arc: number[][], { scale, translate }: Topology["transform"]): Position[] {
  let [x, y] = [0, 0];
  return arc.map(([dx = 0, dy = 0]) => {
    x += dx;
    y += dy;
    return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
  });
}
