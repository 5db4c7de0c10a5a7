import { beforeEach, describe, expect, it, vi } from "vitest";
import { describe as describePredicate } from "../result-grid/predicate.js";
import { render } from "../result-grid/render.js";
import { fillTitles } from "../result-grid/titles.js";
import type { Predicate, RankResult, SelectResult } from "../result-grid/types.js";
import { callTool, host, mount, sendMessage } from "./bridge.js";
import named from "./fixtures/named.json" with { type: "json" };
import topic from "./fixtures/rank.json" with { type: "json" };
import likeness from "./fixtures/rank-object.json" with { type: "json" };
import selected from "./fixtures/select.json" with { type: "json" };

const rank = topic as RankResult;
const select = selected as unknown as SelectResult;

beforeEach(() => {
  host.capabilities = {};
  host.locale = "en";
  callTool.mockReset();
  sendMessage.mockClear();
});

describe("ranking", () => {
  it("says what was ranked and how many there are", () => {
    expect(render(rank).content.status).toBe("6 of 68 scored objects, ranked for “garden landscape”");
    expect(render(likeness as RankResult).content.status).toBe(
      "3 of 509 scored objects, ranked by likeness to object 467642 by technique and material",
    );
  });

  it("keeps the order and shows score, reasons and evidence", () => {
    const results = mount(render(rank).content).querySelectorAll(".result");
    expect([...results].map((result) => Number(result.querySelector("code")?.textContent))).toEqual(
      rank.results.map((result) => result.objectId),
    );
    expect(results[0]?.querySelector(".score")?.textContent).toBe("Score 9.653");
    expect(results[0]?.textContent).toContain("Shared terms: garden");
    expect(results[0]?.textContent).toContain("object:455082:csv");
  });

  it("draws the parts of a score on one scale and gives their figures as text", () => {
    const page = mount(render(likeness as RankResult).content);
    const parts = [...page.querySelectorAll(".result:nth-child(2) tr")].map((row) => [
      row.querySelector("th")?.textContent,
      row.querySelector("span")?.style.width,
      row.querySelector(".figure")?.textContent,
    ]);
    expect(parts).toEqual([
      ["medium terms", "58.2%", "0.2911"],
      ["classification path", "60%", "0.3"],
      ["object name terms", "40%", "0.2"],
    ]);
  });

  it("says that a missing score is not zero, with the sample if there is one", () => {
    const notice = mount(render(rank).content).querySelector("details")!;
    expect(notice.textContent).toContain("2,122 selected objects without a score");
    expect(notice.textContent).toContain("not a score of zero");
    expect(notice.textContent).toContain("3189, 4901, 6907");
  });

  it("repeats what the scores rest on and what they do not say", () => {
    const page = mount(render(likeness as RankResult).content);
    expect(page.textContent).toContain(
      "Scores rest on recorded fields compared by fixed rules and weights; recorded coincidence is no evidence of influence",
    );
  });

  it("writes numbers as the host's user does", () => {
    host.locale = "de";
    expect(mount(render(rank).content).textContent).toContain("Score 9,653");
  });

  it("survives a locale that is none", () => {
    host.locale = "not_a_locale";
    expect(mount(render(rank).content).textContent).toContain("Score 9.653");
  });

  it("shows no bars when there is nothing to measure them by", () => {
    const empty = { ...rank, results: [{ ...rank.results[0]!, scoreComponents: [] }] };
    expect(mount(render(empty).content).querySelector("table")).toBeNull();
  });
});

describe("selection", () => {
  it("says what was selected, by what, and what was left out", () => {
    const { content } = render(select);
    expect(content.status).toBe("141 of 2,190 objects selected");
    const text = mount(content).textContent;
    expect(text).toContain("Where department is “Islamic Art” and not (object date overlaps 500 B.C. to 1 B.C.)");
    expect(text).toContain("518 unknown (left out), 0 in conflict (left out).");
  });

  it.each<[Predicate, string]>([
    [{ field: "medium", op: "contains_normalized", value: "gilt" }, "medium contains “gilt”"],
    [{ field: "culture", op: "is_missing" }, "culture is not recorded"],
    [{ field: "is_public_domain", op: "eq", value: true }, "is public domain is true"],
    [
      {
        any: [
          { field: "a", op: "is_missing" },
          {
            all: [
              { field: "b", op: "eq", value: "x" },
              { field: "c", op: "is_missing" },
            ],
          },
        ],
      },
      "a is not recorded or (b is “x” and c is not recorded)",
    ],
    [{ all: [{ field: "a", op: "is_missing" }] }, "a is not recorded"],
    [{ field: "a", op: "future_operator", value: 3 }, "a future_operator 3"],
  ])("%j in words", (predicate, words) => {
    expect(describePredicate(predicate)).toBe(words);
  });
});

describe("asking on", () => {
  it("opens an object as the user", async () => {
    mount(render(select).content).querySelector("button")!.click();
    await vi.waitUntil(() => sendMessage.mock.calls.length);
    expect(sendMessage.mock.lastCall).toEqual([`Show object ${select.objectIds[0]} of the collection.`]);
  });

  it("offers more results only if there are more", () => {
    const offers = (data: RankResult) => mount(render(data).content).textContent!.includes("More results");
    expect(offers(rank)).toBe(true);
    expect(offers({ ...rank, nextCursor: null })).toBe(false);
  });
});

describe("names", () => {
  it("are asked for if the host lets the view call tools", async () => {
    host.capabilities = { serverTools: {} };
    callTool.mockResolvedValue({ structuredContent: { objects: named } });
    const { content, places } = render(rank);
    const page = mount(content);
    await fillTitles(places);
    expect(callTool).toHaveBeenCalledWith("collection_objects", { objectIds: rank.results.map((r) => r.objectId) });
    expect(page.querySelector("h2 span")?.textContent).toBe("Garden Gathering");
    const bylines = [...page.querySelectorAll("h2 + p")].map((byline) => byline.textContent);
    expect(bylines.slice(0, 2)).toEqual(["1640–50", "Jean II Pénicaud, Jean III Pénicaud, mid-16th century"]);
  });

  it("are not asked for otherwise, and the ids stand", async () => {
    const { content, places } = render(rank);
    await fillTitles(places);
    expect(callTool).not.toHaveBeenCalled();
    expect(mount(content).querySelector("h2")?.textContent).toBe("Object 455082");
  });

  it("are left out if the tool fails", async () => {
    host.capabilities = { serverTools: {} };
    callTool.mockResolvedValue({ isError: true, content: [] });
    const { content, places } = render(rank);
    await fillTitles(places);
    expect(mount(content).querySelector("h2")?.textContent).toBe("Object 455082");
  });
});
