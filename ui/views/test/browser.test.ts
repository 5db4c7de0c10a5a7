// @vitest-environment node
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { Chromium, type OpenOptions, type OpenView } from "./chromium.js";
import collections from "./fixtures/collections.json" with { type: "json" };
import map from "./fixtures/map.json" with { type: "json" };
import named from "./fixtures/named.json" with { type: "json" };
import objects from "./fixtures/objects.json" with { type: "json" };
import rank from "./fixtures/rank.json" with { type: "json" };
import likeness from "./fixtures/rank-object.json" with { type: "json" };
import select from "./fixtures/select.json" with { type: "json" };

const PICKER = "toolsets/stac-explorer/src/views/collection-picker.html";
const MAP = "toolsets/stac-explorer/src/views/map.html";
const CARD = "toolsets/met/src/views/object-card.html";
const GRID = "toolsets/met/src/views/result-grid.html";
/** The page that `periplus new --with-ui` begins with; it is written by hand and has no sources. */
const PANEL = "crates/cli/src/scaffold/template/toolset/panel.html";
const VIEWS = { PICKER, MAP, CARD, GRID, PANEL };

const OSM = "https://tile.openstreetmap.org";
const TILER = "https://planetarycomputer.microsoft.com";
const THUMBNAILS = "https://ai4edatasetspublicassets.blob.core.windows.net";
const MET_IMAGES = "https://images.metmuseum.org";

/** Browsers are slow to start on a busy machine; nothing here waits longer than it must. */
const WAIT = { timeout: 10_000 };

let chromium: Chromium;
let view: OpenView;

beforeAll(async () => {
  chromium = await Chromium.launch();
});
afterAll(() => chromium?.close());
afterEach(async () => {
  expect(view.errors).toEqual([]);
  await view.close();
});

async function open(bundle: string, options?: OpenOptions): Promise<void> {
  view = await chromium.open(bundle, options);
}

const status = () => view.frame.locator("#status").textContent();
const text = (selector: string) => view.frame.locator(selector).first().textContent();

/** Waits until the height the host has heard of is the height the page has. */
async function settled(): Promise<void> {
  const height = () => view.evaluate(() => Math.ceil(document.documentElement.getBoundingClientRect().height));
  await vi.waitUntil(async () => (await view.seen()).heights.at(-1) === (await height()), WAIT);
}

describe.each(Object.entries(VIEWS))("every view (%s)", (_name, bundle) => {
  it("waits for data, reports its height, and loads nothing by itself", async () => {
    await open(bundle);
    expect(await status()).toBe("Loading…");
    await vi.waitUntil(async () => (await view.seen()).heights.length, WAIT);
    expect(view.requests).toEqual([]);
  });

  it("shows a failure in the tool's words", async () => {
    await open(bundle);
    await view.failure("The catalogue did not answer within 30 s.");
    await view.frame.getByText("The catalogue did not answer within 30 s.").waitFor();
  });

  it("follows the host's theme and its change", async () => {
    await open(bundle, { context: { theme: "dark" } });
    const background = () => view.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await background();
    await view.hostContext({ theme: "light" });
    await vi.waitUntil(async () => (await background()) !== dark, WAIT);
    expect(await background()).toBe("rgb(255, 255, 255)");
  });

  it("takes the host's style variables", async () => {
    await open(bundle, { context: { styles: { variables: { "--color-background-primary": "rgb(1, 2, 3)" } } } });
    expect(await view.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe("rgb(1, 2, 3)");
  });

  it("takes leave when asked", async () => {
    await open(bundle);
    expect(await view.tearDown()).toEqual({});
  });
});

/** What each view is fed in the pictures and the checks that hold for all of them. */
const SCENES: [name: string, bundle: string, data: object, options: OpenOptions][] = [
  ["picker", PICKER, collections, { resourceDomains: [THUMBNAILS] }],
  ["map", MAP, map, { resourceDomains: [OSM, TILER, THUMBNAILS] }],
  [
    "map-offline",
    MAP,
    { ...map, message: "ESA WorldCover, showing its extent.", tile_url: null },
    { resourceDomains: [OSM], offline: true },
  ],
  ["card", CARD, objects, { resourceDomains: [MET_IMAGES] }],
  [
    "rank",
    GRID,
    rank,
    { capabilities: { serverTools: {} }, tools: { collection_objects: { structuredContent: { objects: named } } } },
  ],
  ["likeness", GRID, likeness, {}],
  [
    "select",
    GRID,
    select,
    { capabilities: { serverTools: {} }, tools: { collection_objects: { structuredContent: { objects: named } } } },
  ],
  ["panel", PANEL, { message: "Hello, Ada!", name: "Ada" }, {}],
];

describe.each(SCENES)("layout of %s", (name, bundle, data, options) => {
  it("fits 360 and 900 pixels, in light and dark", async () => {
    await open(bundle, options);
    await view.result(data);
    await view.frame.locator("#view > *").first().waitFor();
    for (const width of [900, 360]) {
      await view.resize(width);
      for (const theme of ["light", "dark"]) {
        await view.hostContext({ theme });
        await settled();
        const overflow = await view.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(overflow, `${width} px, ${theme}`).toBe(0);
        await view.screenshot(`${name}-${width}-${theme}`);
      }
    }
  });

  it("can be reached and used by keyboard, every control named", async () => {
    await open(bundle, options);
    await view.result(data);
    await view.frame.locator("#view > *").first().waitFor();
    const nameless = await view.evaluate(() =>
      [...document.querySelectorAll("a, button, summary")]
        .filter((control) => !(control.getAttribute("aria-label") ?? control.textContent)?.trim())
        .map((control) => control.outerHTML),
    );
    expect(nameless).toEqual([]);
    // Who speaks to the page says what is written on it.
    const renamed = await view.evaluate(() =>
      [...document.querySelectorAll("a[aria-label], button[aria-label]")]
        .map((control) => [control.getAttribute("aria-label") ?? "", control.textContent.trim()])
        .filter(([label, text]) => text && /\w/.test(text) && !label?.includes(text)),
    );
    expect(renamed).toEqual([]);
    await view.frame.locator("body").press("Tab");
    expect(await view.evaluate(() => document.activeElement !== document.body)).toBe(true);
  });

  it("has text that stands out from its ground, in light and dark", async () => {
    await open(bundle, options);
    await view.result(data);
    await view.frame.locator("#view > *").first().waitFor();
    for (const theme of ["light", "dark"]) {
      await view.hostContext({ theme });
      await settled();
      expect(await view.evaluate(faintTexts), theme).toEqual([]);
    }
  });
});

/** Texts whose contrast is below 4.5 to 1, as WCAG 2.2 asks of text at this size; runs in the page. */
function faintTexts(): string[] {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  /** Colours painted over each other, the lowest first; an opaque white canvas lies below. */
  const painted = (colours: string[]): number[] => {
    if (!canvas) throw new Error("no canvas");
    for (const colour of ["white", ...colours]) {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (channels: number[]) => {
    const linear = channels.map((channel) => {
      const share = channel / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * (linear[0] ?? 0) + 0.7152 * (linear[1] ?? 0) + 0.0722 * (linear[2] ?? 0);
  };
  const faint: string[] = [];
  for (const element of document.querySelectorAll<HTMLElement>("body *")) {
    const text = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
    const words = text.map((node) => node.textContent?.trim()).join("");
    if (!words || !element.checkVisibility()) continue;
    const grounds: string[] = [];
    for (let under: Element | null = element; under; under = under.parentElement) {
      grounds.unshift(getComputedStyle(under).backgroundColor);
    }
    const [ground, ink] = [
      luminance(painted(grounds)),
      luminance(painted([...grounds, getComputedStyle(element).color])),
    ];
    const contrast = (Math.max(ground, ink) + 0.05) / (Math.min(ground, ink) + 0.05);
    if (contrast < 4.5) faint.push(`${words.slice(0, 40)}: ${contrast.toFixed(2)}`);
  }
  return faint;
}

describe("collection picker", () => {
  it("speaks as the user", async () => {
    await open(PICKER, { resourceDomains: [THUMBNAILS] });
    await view.result(collections);
    await view.frame.getByRole("button", { name: "Show on map: ESA WorldCover" }).press("Enter");
    await vi.waitUntil(async () => (await view.seen()).messages.length, WAIT);
    expect((await view.seen()).messages).toEqual([
      'Show the "ESA WorldCover" collection on the map (id: esa-worldcover).',
    ]);
  });

  it("shows that there is no preview when thumbnails are blocked", async () => {
    await open(PICKER);
    await view.result(collections);
    const blocked = view.frame.getByText("No preview");
    await vi.waitUntil(async () => (await blocked.count()) === collections.collections.length, WAIT);
  });
});

describe("panel of a new toolset", () => {
  it("speaks as the user, and shows no markup", async () => {
    await open(PANEL);
    await view.result({ message: "Hello, <b>Ada</b>!", name: "Ada" });
    expect(await text("h1")).toBe("Hello, <b>Ada</b>!");
    await view.frame.getByRole("button", { name: "Greet again" }).press("Enter");
    await vi.waitUntil(async () => (await view.seen()).messages.length, WAIT);
    expect((await view.seen()).messages).toEqual(["Greet Ada again."]);
  });
});

describe("map", () => {
  it("loads tiles from the declared origins only, repeated options intact", async () => {
    await open(MAP, { resourceDomains: [OSM, TILER, THUMBNAILS] });
    await view.result({ ...map, tile_url: `${TILER}/{z}/{x}/{y}?assets=B04&assets=B03&assets=B02` });
    const origins = () => [...new Set(view.requests.map((url) => new URL(url).origin))].toSorted();
    await vi.waitUntil(() => origins().length >= 3, WAIT);
    expect(origins()).toEqual([THUMBNAILS, TILER, OSM].toSorted());
    expect(view.requests.find((url) => url.startsWith(TILER))).toContain("?assets=B04&assets=B03&assets=B02");
  });

  it("draws an extent across the antimeridian in one piece", async () => {
    await open(MAP, { offline: true });
    await view.result({
      message: "m",
      collection: { id: "f", title: "Fiji", description: "", bbox: [177, -19, -178, -16] },
    });
    const extent = view.frame.locator("path.extent").last();
    await extent.waitFor();
    const { width } = (await extent.boundingBox())!;
    // Five degrees of 360 would be a hair's breadth if the map had been fitted to the wrong way round.
    expect(width).toBeGreaterThan(150);
    await view.screenshot("map-antimeridian");
  });

  it("says so and shows land when the base map cannot be loaded", async () => {
    await open(MAP, { resourceDomains: [OSM], offline: true });
    await view.result({ ...map, tile_url: null });
    await view.frame.getByText("The base map could not be loaded").waitFor();
    expect(await view.frame.locator("path.land").count()).toBeGreaterThan(0);
  });

  it("replaces the map when another result arrives", async () => {
    await open(MAP, { offline: true });
    await view.result(map);
    await view.result({ ...map, collection: { ...map.collection, title: "Another" } });
    await view.frame.getByRole("heading", { name: "Another" }).waitFor();
    expect(await view.frame.locator(".leaflet-container").count()).toBe(1);
  });

  it("keeps to the room the host gives", async () => {
    await open(MAP, { offline: true, context: { containerDimensions: { maxHeight: 400 } } });
    await view.result(map);
    await view.frame.locator("path.extent").last().waitFor();
    await settled();
    expect((await view.seen()).heights.at(-1)).toBeLessThanOrEqual(400);
  });
});

describe("object card", () => {
  it("shows an image only from a granted origin", async () => {
    await open(CARD);
    await view.result(objects);
    await view.frame.locator("article").first().waitFor();
    expect(view.requests).toEqual([]);
    expect(await view.frame.locator("img").count()).toBe(0);
  });

  it("opens links through the host", async () => {
    await open(CARD);
    await view.result(objects);
    await view.frame.getByRole("link", { name: "Page at the museum" }).first().click();
    await vi.waitUntil(async () => (await view.seen()).links.length, WAIT);
    expect((await view.seen()).links).toEqual([objects.objects[0]!.objectURL]);
  });

  it("unfolds the original fields and grows with them", async () => {
    await open(CARD);
    await view.result(objects);
    await view.frame.locator("article").first().waitFor();
    await settled();
    const before = (await view.seen()).heights.at(-1)!;
    await view.frame.getByText("original fields").first().click();
    await vi.waitUntil(async () => (await view.seen()).heights.at(-1)! > before + 300, WAIT);
    await view.screenshot("card-unfolded");
  });
});

describe("result grid", () => {
  it("names objects through the server's own tool", async () => {
    await open(GRID, {
      capabilities: { serverTools: {} },
      tools: { collection_objects: { structuredContent: { objects: named } } },
    });
    await view.result(rank);
    await view.frame.getByText("Garden Gathering").waitFor();
    expect((await view.seen()).calls).toEqual([
      { name: "collection_objects", args: { objectIds: rank.results.map((result) => result.objectId) } },
    ]);
  });

  it("opens an object by a user turn", async () => {
    await open(GRID);
    await view.result(select);
    await view.frame.getByRole("button", { name: `Open object ${select.objectIds[0]}` }).click();
    await vi.waitUntil(async () => (await view.seen()).messages.length, WAIT);
    expect((await view.seen()).messages).toEqual([`Show object ${select.objectIds[0]} of the collection.`]);
    expect(await text("h2")).toContain(`Object ${select.objectIds[0]}`);
  });
});
