import { beforeEach, describe, expect, it, vi } from "vitest";
import { showResults } from "../shared/page.js";
import manifest from "../package.json";
import { h, link } from "../shared/dom.js";
import { configure, onData, onFailure, openLink } from "./bridge.js";

const text = (id: string) => document.getElementById(id)?.textContent;

/** Starts a page and returns the two ways a host can feed it. */
function start() {
  document.body.innerHTML = '<p id="status">Loading…</p><main id="view"></main>';
  showResults<{ n: number }>("test", ({ n }) => ({ status: n.toString(), body: [h("p", {}, `number ${n}`)] }));
  return {
    data: onData.mock.lastCall![0] as (data: object) => void,
    failure: onFailure.mock.lastCall![0] as (reason: string) => void,
  };
}

beforeEach(() => vi.clearAllMocks());

describe("a page", () => {
  it("introduces itself with the version of its package and waits", () => {
    start();
    expect(configure).toHaveBeenCalledWith({ name: "test", version: manifest.version });
    expect(text("status")).toBe("Loading…");
  });

  it("shows each result in the place of the one before", () => {
    const { data } = start();
    data({ n: 1 });
    data({ n: 2 });
    expect([text("status"), text("view")]).toEqual(["2", "number 2"]);
  });

  it("shows what a tool says went wrong", () => {
    start().data({ error: "not_found", detail: "There is no collection x." });
    expect(text("view")).toBe("There is no collection x.");
  });

  it("says so when it cannot draw a result", () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    start().data({ n: null });
    expect(text("view")).toContain("does not have the form that the view expects");
  });

  it.each([
    ["the call was cancelled", "the call was cancelled"],
    ['{"code":"STALE_RECEIPT","message":"Select again.","supportedAlternatives":[]}', "Select again."],
    ['{"code":"X"}', '{"code":"X"}'],
  ])("shows the failure %s as %s", (reason, shown) => {
    start().failure(reason);
    expect(text("view")).toBe(shown);
  });
});

describe("links", () => {
  const follow = () => {
    start();
    document.getElementById("view")!.append(link("https://example.org/a", "a page"));
    const click = new MouseEvent("click", { bubbles: true, cancelable: true });
    document.querySelector("a")!.dispatchEvent(click);
    return click;
  };

  it("are opened by the host, not in the frame", () => {
    expect(follow().defaultPrevented).toBe(true);
    expect(openLink).toHaveBeenCalledWith("https://example.org/a");
  });

  it("are shown to be copied if the host does not open them", async () => {
    openLink.mockRejectedValue(new Error("declined"));
    follow();
    await vi.waitUntil(() => document.querySelector("code"));
    expect(document.querySelector("code")?.textContent).toBe("https://example.org/a");
  });
});
