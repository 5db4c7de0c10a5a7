/** What the bridge listens to, and what it does when nobody answers. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Bridge } from "../src/bridge.js";
import { Frame, HOST_ORIGIN } from "./frame.js";

const INITIALIZED = {
  protocolVersion: "2026-01-26",
  hostInfo: { name: "h", version: "1" },
  hostCapabilities: {},
  hostContext: {},
};
const RESULT = {
  jsonrpc: "2.0",
  method: "ui/notifications/tool-result",
  params: { content: [], structuredContent: { n: 1 } },
};

const later = () => new Promise((resolve) => setTimeout(resolve));

let frame: Frame;
beforeEach(() => {
  frame = new Frame();
});
afterEach(() => {
  vi.useRealTimers();
  expect(frame.violations).toEqual([]);
});

async function connect(onData: (data: object) => void = () => {}): Promise<void> {
  frame.bridge.onData(onData);
  const { id } = await frame.sent("ui/initialize");
  frame.deliver({ jsonrpc: "2.0", id, result: INITIALIZED });
  await frame.sent("ui/notifications/initialized");
}

describe("who is listened to", () => {
  it("ignores windows other than the host", async () => {
    const onData = vi.fn();
    await connect(onData);
    frame.deliver(RESULT, {});
    frame.deliver(RESULT, frame.window);
    frame.deliver(RESULT, null);
    await later();
    expect(onData).not.toHaveBeenCalled();
  });

  it("ignores the host's window once it shows another origin", async () => {
    const onData = vi.fn();
    await connect(onData);
    frame.deliver(RESULT, frame.window.parent, "https://elsewhere.example");
    await later();
    expect(onData).not.toHaveBeenCalled();
    frame.deliver(RESULT);
    await vi.waitUntil(() => onData.mock.calls.length);
  });

  it.each([null, "text", 7, [RESULT], { ...RESULT, jsonrpc: "1.0" }, { ...RESULT, id: null }, { jsonrpc: "2.0" }])(
    "ignores what is not a message: %j",
    async (data) => {
      const onData = vi.fn();
      await connect(onData);
      frame.deliver(data, frame.window.parent);
      await later();
      expect(onData).not.toHaveBeenCalled();
    },
  );

  it("ignores answers to questions it did not ask", async () => {
    await connect();
    frame.deliver({ jsonrpc: "2.0", id: 999, result: {} });
    await later();
    expect(frame.fromView.filter((sent) => sent.message.error)).toEqual([]);
  });

  it("addresses its messages to the host's origin as soon as that is known", async () => {
    await connect();
    expect(frame.fromView.map((sent) => sent.targetOrigin)).toEqual(["*", HOST_ORIGIN, HOST_ORIGIN]);
  });
});

describe("when there is no answer", () => {
  it("fails a request after a minute and says so to the host", async () => {
    await connect();
    vi.useFakeTimers();
    const refused = expect(frame.bridge.callTool("slow")).rejects.toThrow(
      "the host did not answer tools/call within 60 s",
    );
    await vi.advanceTimersByTimeAsync(60_000);
    await refused;
    const call = frame.fromView.find((sent) => sent.message.method === "tools/call");
    expect(frame.fromView.at(-1)?.message).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: call?.message.id },
    });
  });

  it("fails what is open when the view is torn down", async () => {
    await connect();
    const refused = expect(frame.bridge.callTool("slow")).rejects.toThrow("the view was closed");
    await frame.sent("tools/call");
    frame.deliver({ jsonrpc: "2.0", id: "t", method: "ui/resource-teardown", params: {} });
    await refused;
  });

  it("refuses to pile up requests without end", async () => {
    await connect();
    const calls = Array.from({ length: 101 }, () => frame.bridge.callTool("flood"));
    for (const call of calls.slice(0, 100)) call.catch(() => {});
    await expect(calls[100]).rejects.toThrow("100 requests are still unanswered");
  });

  it("reports a refused handshake", async () => {
    const onFailure = vi.fn();
    frame.bridge.onFailure(onFailure);
    const { id } = await frame.sent("ui/initialize");
    frame.deliver({ jsonrpc: "2.0", id, error: { code: -32000, message: "views are turned off" } });
    await vi.waitUntil(() => onFailure.mock.calls.length);
    expect(onFailure).toHaveBeenCalledWith("views are turned off");
  });

  it("says that a page opened on its own has no host", async () => {
    const onFailure = vi.fn();
    new Bridge(window).onFailure(onFailure);
    await vi.waitUntil(() => onFailure.mock.calls.length);
    expect(onFailure.mock.lastCall?.[0]).toContain("no host");
  });

  it("cannot be renamed once it is connected", async () => {
    await connect();
    expect(() => frame.bridge.configure({ name: "late", version: "1" })).toThrow("before the view connects");
  });
});
