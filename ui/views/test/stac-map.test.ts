import { describe, expect, it } from "vitest";
import land from "world-atlas/land-110m.json" with { type: "json" };
import { landOf, parseBox, type Topology } from "../stac-map/geometry.js";
import { render, tileTemplate } from "../stac-map/render.js";
import { mount } from "./bridge.js";
import shown from "./fixtures/map.json" with { type: "json" };

describe("boxes", () => {
  it.each([
    [[-10, 35, 30, 60], { west: -10, south: 35, east: 30, north: 60 }],
    [[177, -19, -178, -16], { west: 177, south: -19, east: 182, north: -16 }],
    [[-10, 35, 0, 30, 60, 4000], { west: -10, south: 35, east: 30, north: 60 }],
    [[-180, -90, 180, 90], { west: -180, south: -85.05, east: 180, north: 85.05 }],
    [[-10, 60, 30, 35], undefined],
    [[1, 2, 3], undefined],
    [[1, 2, 3, Number.NaN], undefined],
    [null, undefined],
  ])("%j is %j", (numbers, box) => {
    expect(parseBox(numbers)).toEqual(box);
  });
});

describe("land", () => {
  const polygons = landOf(land as unknown as Topology).coordinates;

  it("is made of closed rings", () => {
    expect(polygons.length).toBeGreaterThan(100);
    for (const ring of polygons.flat()) {
      expect(ring[0]![0]).toBeCloseTo(ring.at(-1)![0]!);
      expect(ring[0]![1]).toBeCloseTo(ring.at(-1)![1]!);
    }
  });

  it("has no step across the whole map, except along the pole", () => {
    for (const ring of polygons.flat()) {
      for (const [index, [lng, lat]] of ring.entries()) {
        const [before, latBefore] = ring[index - 1] ?? [lng!, lat!];
        const alongPole = lat === -90 && latBefore === -90;
        expect(alongPole || Math.abs(lng! - before!) < 180).toBe(true);
      }
    }
  });

  it("reaches across the antimeridian where the land does", () => {
    const furthest = Math.max(...polygons.flat(2).map(([lng]) => Math.abs(lng!)));
    expect(furthest).toBeGreaterThan(185);
  });
});

describe("tile addresses", () => {
  it.each(["https://a.example/{z}/{x}/{y}.png", "https://a.example/{z}/{x}/{y}@1x?assets=B04&assets=B03&assets=B02"])(
    "takes %s",
    (address) => {
      expect(tileTemplate(address)).toBe(address);
    },
  );

  it.each(["https://a.example/{z}/{x}.png", "https://a.example/{z}/{x}/{y}/{key}", "javascript:{z}{x}{y}", "", null])(
    "refuses %j",
    (address) => {
      expect(tileTemplate(address)).toBeUndefined();
    },
  );
});

describe("map", () => {
  it("has a caption and no note when there is a data layer", () => {
    const page = mount(render(shown).content);
    expect(page.querySelector("h1")?.textContent).toBe("ESA WorldCover");
    expect(page.querySelector("[role=status]")?.textContent).toBe("");
  });

  it("says that there is no data layer and what the outline is", () => {
    const page = mount(render({ ...shown, tile_url: null }).content);
    expect(page.querySelector("[role=status]")?.textContent).toBe(
      "There is no data layer for this collection; the outline is its recorded extent.",
    );
  });

  it("says that no extent is recorded", () => {
    const { content, options } = render({ message: "m", collection: { id: "a", title: "a", description: "" } });
    expect(mount(content).textContent).toContain("No extent is recorded");
    expect(options).toEqual({ box: undefined, tiles: undefined });
  });

  it("says a note once", () => {
    const { content, note } = render(shown);
    note("Missing.");
    note("Missing.");
    expect(mount(content).querySelector("[role=status]")?.textContent).toBe("Missing.");
  });
});
