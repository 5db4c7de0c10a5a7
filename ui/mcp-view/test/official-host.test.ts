/** The bridge with the official host implementation on the other side. */
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Frame } from "./frame.js";

let frame: Frame;
let host: AppBridge;

beforeEach(async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  frame = new Frame();
  host = new AppBridge(
    null,
    { name: "test-host", version: "1.0.0" },
    { message: { text: {} }, openLinks: {}, serverTools: {}, serverResources: {} },
    { hostContext: { theme: "dark", locale: "de-CH", containerDimensions: { maxHeight: 400, width: 640 } } },
  );
  await host.connect(new PostMessageTransport(frame.window, frame.window as unknown as MessageEventSource));
});

afterEach(async () => {
  await host.close();
  expect(frame.violations).toEqual([]);
  // The official host warns of a view that breaks the order of messages.
  expect(console.warn).not.toHaveBeenCalled();
});

/** Connects the view and waits until the host considers it ready. */
async function ready(connect: () => void = () => frame.bridge.onData(() => {})): Promise<void> {
  const initialized = new Promise<void>((resolve) => (host.oninitialized = () => resolve()));
  connect();
  await initialized;
}

describe("handshake", () => {
  it("introduces the view, then says that it is ready, then how tall it is", async () => {
    frame.bridge.configure({ name: "card", version: "2.0.0" });
    await ready();
    await frame.sent("ui/notifications/size-changed");
    expect(frame.fromView.map((sent) => sent.message.method)).toEqual([
      "ui/initialize",
      "ui/notifications/initialized",
      "ui/notifications/size-changed",
    ]);
    expect(frame.fromView[0]?.message.params).toEqual({
      protocolVersion: "2026-01-26",
      appInfo: { name: "card", version: "2.0.0" },
      appCapabilities: {},
    });
    expect(host.getAppVersion()).toEqual({ name: "card", version: "2.0.0" });
  });

  it("happens once, whatever connects first and however often", async () => {
    await ready(() => {
      frame.bridge.onData(() => {});
      frame.bridge.onFailure(() => {});
      frame.bridge.onContext(() => {});
      frame.bridge.onTeardown(() => {});
    });
    host.onmessage = async () => ({});
    await frame.bridge.sendMessage("hello");
    expect(frame.fromView.filter((sent) => sent.message.method === "ui/initialize")).toHaveLength(1);
  });

  it("does not happen before something needs the host", async () => {
    await new Promise((resolve) => setTimeout(resolve));
    expect(frame.fromView).toEqual([]);
  });

  it("tells the view what the host offers", async () => {
    await ready();
    expect(frame.bridge.capabilities).toMatchObject({ message: { text: {} }, openLinks: {} });
    expect(frame.bridge.context).toMatchObject({ theme: "dark", locale: "de-CH" });
  });
});

describe("results", () => {
  it("delivers the structured content", async () => {
    const onData = vi.fn();
    await ready(() => frame.bridge.onData(onData));
    await host.sendToolInput({ arguments: { query: "land" } });
    await host.sendToolResult({ content: [], structuredContent: { message: "found", collections: [] } });
    await vi.waitUntil(() => onData.mock.calls.length);
    expect(onData.mock.calls).toEqual([[{ message: "found", collections: [] }]]);
  });

  it("delivers to the handler registered last", async () => {
    const [first, second] = [vi.fn(), vi.fn()];
    await ready(() => frame.bridge.onData(first));
    frame.bridge.onData(second);
    await host.sendToolResult({ content: [], structuredContent: { n: 1 } });
    await vi.waitUntil(() => second.mock.calls.length);
    expect(first).not.toHaveBeenCalled();
  });

  it("leaves out a result without structured content", async () => {
    const onData = vi.fn();
    await ready(() => frame.bridge.onData(onData));
    await host.sendToolResult({ content: [{ type: "text", text: "only text" }] });
    await host.sendToolResult({ content: [], structuredContent: { n: 2 } });
    await vi.waitUntil(() => onData.mock.calls.length);
    expect(onData.mock.calls).toEqual([[{ n: 2 }]]);
  });

  it("reports a failed call with the tool's words", async () => {
    const onFailure = vi.fn();
    await ready(() => frame.bridge.onFailure(onFailure));
    await host.sendToolResult({ isError: true, content: [{ type: "text", text: "no such collection" }] });
    await vi.waitUntil(() => onFailure.mock.calls.length);
    expect(onFailure).toHaveBeenCalledWith("no such collection");
  });

  it("reports a cancelled call", async () => {
    const onFailure = vi.fn();
    await ready(() => frame.bridge.onFailure(onFailure));
    await host.sendToolCancelled({ reason: "by the user" });
    await vi.waitUntil(() => onFailure.mock.calls.length);
    expect(onFailure).toHaveBeenCalledWith("the call was cancelled: by the user");
  });

  it("keeps going when a handler throws", async () => {
    const complaint = vi.spyOn(console, "error").mockImplementation(() => {});
    const onData = vi.fn().mockImplementationOnce(() => {
      throw new Error("a fault in the view");
    });
    await ready(() => frame.bridge.onData(onData));
    await host.sendToolResult({ content: [], structuredContent: { n: 1 } });
    await host.sendToolResult({ content: [], structuredContent: { n: 2 } });
    await vi.waitUntil(() => onData.mock.calls.length === 2);
    expect(complaint).toHaveBeenCalledOnce();
  });
});

describe("requests", () => {
  it("sends a message as the user", async () => {
    const onmessage = vi.fn(async () => ({}));
    host.onmessage = onmessage;
    await frame.bridge.sendMessage("Show it on the map.");
    expect(onmessage).toHaveBeenCalledWith(
      { role: "user", content: [{ type: "text", text: "Show it on the map." }] },
      expect.anything(),
    );
  });

  it("rejects a message that the host declines", async () => {
    host.onmessage = async () => ({ isError: true });
    await expect(frame.bridge.sendMessage("hello")).rejects.toThrow("the host declined ui/message");
  });

  it("rejects with the host's code when the host answers with an error", async () => {
    await expect(frame.bridge.sendMessage("nobody listens")).rejects.toMatchObject({ name: "RpcError", code: -32601 });
  });

  it("opens a link", async () => {
    const onopenlink = vi.fn(async () => ({}));
    host.onopenlink = onopenlink;
    await frame.bridge.openLink("https://example.org/");
    expect(onopenlink).toHaveBeenCalledWith({ url: "https://example.org/" }, expect.anything());
  });

  it("calls a tool and returns failures as results", async () => {
    host.oncalltool = async ({ name, arguments: args }) => ({
      isError: true,
      content: [{ type: "text", text: `${name} ${JSON.stringify(args)}` }],
    });
    await expect(frame.bridge.callTool("look", { id: 1 })).resolves.toMatchObject({
      isError: true,
      content: [{ type: "text", text: 'look {"id":1}' }],
    });
  });

  it("reads a resource", async () => {
    host.onreadresource = async ({ uri }) => ({ contents: [{ uri, mimeType: "text/plain", text: "words" }] });
    await expect(frame.bridge.readResource("ui://a/b")).resolves.toEqual({
      contents: [{ uri: "ui://a/b", mimeType: "text/plain", text: "words" }],
    });
  });
});

describe("requests of the host", () => {
  it("answers a ping", async () => {
    await ready();
    frame.deliver({ jsonrpc: "2.0", id: "p", method: "ping" });
    await expect(frame.answerTo("p")).resolves.toMatchObject({ result: {} });
  });

  it("refuses what it does not know, so that the host does not wait", async () => {
    await ready();
    frame.deliver({ jsonrpc: "2.0", id: 77, method: "ui/unheard-of", params: {} });
    await expect(frame.answerTo(77)).resolves.toMatchObject({ error: { code: -32601 } });
  });

  it("tears down, answers, and then hears nothing more", async () => {
    const [onTeardown, onData] = [vi.fn(), vi.fn()];
    await ready(() => frame.bridge.onData(onData));
    frame.bridge.onTeardown(onTeardown);
    await expect(host.teardownResource({})).resolves.toEqual({});
    await new Promise((resolve) => setTimeout(resolve));
    await host.sendToolResult({ content: [], structuredContent: { late: true } });
    await new Promise((resolve) => setTimeout(resolve));
    expect(onTeardown).toHaveBeenCalledOnce();
    expect(onData).not.toHaveBeenCalled();
  });

  it("answers a teardown even if the view's own part fails", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    await ready();
    frame.bridge.onTeardown(() => Promise.reject(new Error("cannot save")));
    await expect(host.teardownResource({})).resolves.toEqual({});
  });
});

describe("host context", () => {
  it("applies the theme and follows its change", async () => {
    const onContext = vi.fn();
    await ready(() => frame.bridge.onContext(onContext));
    expect(document.documentElement.dataset["theme"]).toBe("dark");
    expect(document.documentElement.style.getPropertyValue("--container-max-height")).toBe("400px");
    host.setHostContext({ theme: "light", locale: "de-CH", containerDimensions: { maxHeight: 400, width: 640 } });
    await vi.waitUntil(() => onContext.mock.calls.length === 2);
    expect(document.documentElement.dataset["theme"]).toBe("light");
    expect(onContext.mock.lastCall).toMatchObject([{ theme: "light", locale: "de-CH" }]);
  });
});
