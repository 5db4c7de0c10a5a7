import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { isExplained, meaning } from "../object-card/flags.js";
import { render } from "../object-card/render.js";
import type { CollectionObject, CollectionObjectsResult } from "../object-card/types.js";
import { host, mount, sendMessage } from "./bridge.js";
import recorded from "./fixtures/objects.json" with { type: "json" };

const answer = recorded as unknown as CollectionObjectsResult;
const IMAGES = "https://images.metmuseum.org";

const object = (id: number, change: Partial<CollectionObject> = {}): CollectionObject => ({
  ...answer.objects.find((candidate) => candidate.objectId === id)!,
  ...change,
});
const card = (shown: CollectionObject) =>
  mount(render({ snapshot: "s", objects: [shown], missingObjectIds: [] })).querySelector("article")!;

beforeEach(() => {
  host.capabilities = {};
});

describe("object card", () => {
  it("shows one card for each object and says which are missing", () => {
    const content = render(answer);
    const page = mount(content);
    expect(content.status).toBe("5 objects, 2 not found");
    expect(page.querySelectorAll("article")).toHaveLength(answer.objects.length);
    expect(page.querySelector(".notice")?.textContent).toBe("Not in this snapshot: 1, 999999999.");
  });

  it("names artists as attributed, with their roles", () => {
    const names = [...card(object(503046)).querySelectorAll("dd li")].map((artist) => artist.textContent);
    expect(names).toEqual(["Érard, made in London · Manufacturer", "George Henry Blake · Designer"]);
  });

  it("breaks a title in several languages into lines", () => {
    const lines = [...card(object(39668)).querySelectorAll("h2 .line")].map((line) => line.textContent);
    expect(lines).toEqual(["北宋    郭熙    樹色平遠圖    卷", "Old Trees, Level Distance"]);
  });

  it("says aloud that the sources disagree, and takes no side", () => {
    const disputed = card(object(438815));
    expect(disputed.querySelector("h2")?.textContent).toBe("Title in dispute");
    expect(disputed.querySelector(".notice")?.textContent).toContain("Catalogue file and API give different titles.");
    expect(disputed.querySelector(".notice")?.textContent).toContain("object:438815:api");
  });

  it("states the rights with each source's word and evidence", () => {
    const rights = card(object(503046)).querySelector(".rights")!;
    expect(rights.querySelector(".badge")?.textContent).toBe("Public domain");
    expect(rights.querySelector("li")?.textContent).toBe(
      "Catalogue file says: public domain, no rights text (object:503046:csv)",
    );
  });

  it.each([
    [false, [], "Not public domain"],
    [null, [], "Unknown"],
    [null, ["api_conflict_rights"], "Sources disagree"],
  ])("calls the rights %j with %j %s", (isPublicDomain, qualityFlags, label) => {
    expect(card(object(503046, { isPublicDomain, qualityFlags })).querySelector(".badge")?.textContent).toBe(label);
  });

  it("gives an image as a link unless the host has granted its origin", () => {
    const withImage = object(36029);
    expect(card(withImage).querySelector("img")).toBeNull();
    expect(card(withImage).querySelector(".facts a[href*=images]")?.getAttribute("href")).toBe(
      withImage.primaryImageSmall,
    );

    host.capabilities = { sandbox: { csp: { resourceDomains: [IMAGES] } } };
    const image = card(withImage).querySelector("img")!;
    expect(image.getAttribute("src")).toBe(withImage.primaryImageSmall);
    expect(image.getAttribute("alt")).toBe(withImage.title);
  });

  it("says what is not recorded", () => {
    const bare = object(503046, { objectDate: null, artistMentions: [], title: null });
    expect(card(bare).querySelector("h2")?.textContent).toBe("Untitled");
    expect(card(bare).querySelector(".facts")?.textContent).toMatch(/^Artistnot recordedDatenot recorded/);
  });

  it("explains every quality flag and shows its name", () => {
    const notes = card(object(503046, { qualityFlags: ["date_reversed", "tags_missing"] })).querySelectorAll(
      ".notes li",
    );
    expect([...notes].map((note) => note.textContent)).toEqual([
      "The recorded begin year is after the end year; the years are not used. date_reversed",
      "No subject tags are recorded. tags_missing",
    ]);
  });

  it("knows every flag that the importer sets", () => {
    const importer = readFileSync("../../crates/collection-import/src/met/quality.rs", "utf8");
    const flags = [...importer.matchAll(/\bflag\(\s*"([a-z_]+)"/g)].map(([, flag]) => flag!);
    expect(flags).toContain("title_missing");
    expect(flags.filter((flag) => !isExplained(flag))).toEqual([]);
  });

  it("makes do with a flag it does not know", () => {
    expect(meaning("newly_found_fault")).toBe("newly found fault.");
  });

  it("lists the original fields exactly and counts the empty ones", () => {
    const table = card(object(503046)).querySelector("table")!;
    const cells = [...table.querySelectorAll("tr")].map((row) => [...row.children].map((cell) => cell.textContent));
    expect(cells).toContainEqual(["Artist Prefix", " | "]);
    expect(cells).toContainEqual(["Object ID", "503046"]);
    const columns = Object.keys(object(503046).originalFields!).length;
    expect(table.caption?.textContent).toContain(`${columns - cells.length} more columns empty`);
  });

  it("says that an object known from the API alone has no catalogue record", () => {
    expect(card(object(503046, { originalFields: null })).textContent).toContain("no record in the catalogue file");
  });

  it("asks for the evidence as the user", async () => {
    card(object(438815)).querySelector("button")!.click();
    await vi.waitUntil(() => sendMessage.mock.calls.length);
    expect(sendMessage.mock.lastCall).toEqual([
      "Show the evidence for object 438815: object:438815:csv, object:438815:api.",
    ]);
  });

  it("makes no link of an address that is not of the web", () => {
    const links = card(object(503046, { objectURL: "javascript:alert(1)" })).querySelectorAll("a");
    expect(links).toHaveLength(0);
  });
});
