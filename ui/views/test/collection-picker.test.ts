import { describe, expect, it, vi } from "vitest";
import { plainText, render } from "../collection-picker/render.js";
import { mount, sendMessage } from "./bridge.js";
import found from "./fixtures/collections.json" with { type: "json" };

const button = (root: HTMLElement, label: string) =>
  [...root.querySelectorAll("button")].find((candidate) => candidate.textContent === label)!;

describe("collection picker", () => {
  it("shows each collection with its title and id", () => {
    const page = mount(render(found));
    expect([...page.querySelectorAll("h2")].map((title) => title.textContent)).toEqual(
      found.collections.map((collection) => collection.title),
    );
    expect(page.querySelector("code")?.textContent).toBe("esa-worldcover");
  });

  it("asks for the map as the user", async () => {
    button(mount(render(found)), "Show on map").click();
    await vi.waitUntil(() => sendMessage.mock.calls.length);
    expect(sendMessage).toHaveBeenCalledWith('Show the "ESA WorldCover" collection on the map (id: esa-worldcover).');
  });

  it("says what to write when the host does not take the message", async () => {
    sendMessage.mockRejectedValueOnce(new Error("the host declined ui/message"));
    const page = mount(render(found));
    button(page, "Show on map").click();
    const note = page.querySelector("[role=status]")!;
    await vi.waitUntil(() => note.textContent);
    expect(note.textContent).toContain("Not sent: the host declined ui/message. You can write: Show the");
  });

  it("says that nothing matched", () => {
    expect(render({ message: "No collections matched “xyzzy”.", collections: [] })).toEqual({
      status: "No collections matched “xyzzy”.",
      body: [],
    });
  });

  it("replaces a thumbnail that cannot be loaded", () => {
    const page = mount(render(found));
    const image = page.querySelector("img")!;
    image.dispatchEvent(new Event("error"));
    expect(page.querySelector(".thumbnail")?.textContent).toBe("No preview");
  });

  it("loads no thumbnail from an address that is not of the web", () => {
    const collection = { id: "x", title: "x", description: "", thumbnail: "javascript:alert(1)" };
    expect(mount(render({ message: "1", collections: [collection] })).querySelector("img")).toBeNull();
  });

  it("shows markup in a text as text", () => {
    const collection = { id: "x", title: "<img src=x onerror=alert(1)>", description: "<script>alert(1)</script>" };
    const page = mount(render({ message: "1", collections: [collection] }));
    expect(page.querySelector("script, img")).toBeNull();
    expect(page.querySelector("h2")?.textContent).toBe(collection.title);
  });

  it("folds a long description until asked", () => {
    const page = mount(render(found));
    const text = page.querySelector("p")!;
    const toggle = button(page, "Read more");
    expect(text.classList.contains("folded")).toBe(true);
    toggle.click();
    expect(text.classList.contains("folded")).toBe(false);
    expect(toggle.getAttribute("aria-expanded")).toBe("true");
  });

  it.each([
    ["see [the site](https://a.example) now", "see the site now"],
    ["# Title\n\nSome **bold** and *soft* words", "Title Some bold and soft words"],
    ["![logo](https://a.example/l.png) text", "text"],
    ["2 * 3 * 4", "2 * 3 * 4"],
    ["snake_case_name stays", "snake_case_name stays"],
  ])("reads %j as %j", (markdown, text) => {
    expect(plainText(markdown)).toBe(text);
  });
});
