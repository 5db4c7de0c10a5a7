/** What the bridge does to the page: styles, sizes, permitted origins. */
import { beforeEach, afterEach, describe, expect, it, vi } from "vitest";
import { mayLoad } from "../src/origins.js";
import { observeHeight } from "../src/size.js";
import { applyContext } from "../src/style.js";
import { FakeResizeObserver } from "./setup.js";

const root = document.documentElement;

describe("styles", () => {
  it("sets the host's variables, colour scheme and insets", () => {
    applyContext(document, {
      theme: "dark",
      styles: { variables: { "--color-text-primary": "#eee" } },
      safeAreaInsets: { top: 8, right: 0, bottom: 0, left: 0 },
    });
    expect(root.style.colorScheme).toBe("dark");
    expect(root.style.getPropertyValue("--color-text-primary")).toBe("#eee");
    expect(root.style.getPropertyValue("--safe-area-inset-top")).toBe("8px");
  });

  it("removes variables that the host no longer sends", () => {
    const before = { styles: { variables: { "--a": "1", "--b": "2" } } };
    applyContext(document, before);
    applyContext(document, { styles: { variables: { "--b": "3" } } }, before);
    expect(root.style.getPropertyValue("--a")).toBe("");
    expect(root.style.getPropertyValue("--b")).toBe("3");
  });

  it("sets no ordinary property", () => {
    applyContext(document, { styles: { variables: { display: "none" } } });
    expect(root.style.display).toBe("");
  });

  it("holds one set of fonts at a time", () => {
    const first = { styles: { css: { fonts: "@font-face { font-family: A }" } } };
    const second = { styles: { css: { fonts: "@font-face { font-family: B }" } } };
    applyContext(document, first);
    applyContext(document, second, first);
    expect([...document.head.querySelectorAll("style")].map((style) => style.textContent)).toEqual([
      "@font-face { font-family: B }",
    ]);
    applyContext(document, {}, second);
    expect(document.head.querySelector("style")).toBeNull();
  });
});

describe("sizes", () => {
  let height = 0;

  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(root, "getBoundingClientRect").mockImplementation(() => ({ height }) as DOMRect);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const resize = (to: number) => {
    height = to;
    for (const observer of FakeResizeObserver.all) if (observer.active) observer.fire();
  };

  it("reports whole pixels, rounded up, at once", () => {
    height = 120.2;
    const report = vi.fn();
    observeHeight(document, report);
    expect(report.mock.calls).toEqual([[121]]);
  });

  it("reports a burst of changes once, with the last height", () => {
    height = 100;
    const report = vi.fn();
    observeHeight(document, report);
    for (const to of [110, 140, 180]) resize(to);
    vi.runAllTimers();
    expect(report.mock.calls).toEqual([[100], [180]]);
  });

  it("reports nothing when the height stays", () => {
    height = 100;
    const report = vi.fn();
    observeHeight(document, report);
    resize(99.5);
    vi.runAllTimers();
    expect(report).toHaveBeenCalledOnce();
  });

  it("ends when told to, even with a report under way", () => {
    height = 100;
    const report = vi.fn();
    const stop = observeHeight(document, report);
    resize(200);
    stop();
    vi.runAllTimers();
    expect(report).toHaveBeenCalledOnce();
  });

  it("measures the content, not a page stretched to its frame", () => {
    root.style.height = "100%";
    const seen: string[] = [];
    vi.spyOn(root, "getBoundingClientRect").mockImplementation(() => {
      seen.push(root.style.height);
      return { height: 50 } as DOMRect;
    });
    observeHeight(document, () => {});
    expect(seen).toEqual(["max-content"]);
    expect(root.style.height).toBe("100%");
  });
});

describe("granted origins", () => {
  const granted = (...resourceDomains: string[]) => ({ sandbox: { csp: { resourceDomains } } });

  it.each([
    ["https://tiles.example.org/1/2/3.png", ["https://tiles.example.org"], true],
    ["https://a.example.org/x", ["https://*.example.org"], true],
    ["https://example.org/x", ["https://*.example.org"], false],
    ["https://evilexample.org/x", ["https://*.example.org"], false],
    ["http://tiles.example.org/x", ["https://tiles.example.org"], false],
    ["https://tiles.example.org:8443/x", ["https://tiles.example.org"], false],
    ["https://tiles.example.org/x", ["not a domain", "https://tiles.example.org"], true],
    ["javascript:alert(1)", ["https://tiles.example.org"], false],
    ["not an address", ["https://tiles.example.org"], false],
  ])("%s with %j: %s", (address, domains, expected) => {
    expect(mayLoad(granted(...domains), address)).toBe(expected);
  });

  it("are none when the host says nothing", () => {
    expect(mayLoad({}, "https://tiles.example.org/")).toBe(false);
  });
});
