/** A host page around one view: the official host implementation, told by the test what to do and asked what it saw. */
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

type Json = Record<string, unknown>;

export interface HostOptions {
  width: number;
  context: Json;
  capabilities: Json;
  /** Answers of the server's tools by name. */
  tools: Record<string, Json>;
}

/** Everything the view asked for, in order. */
const seen = { messages: [] as string[], links: [] as string[], calls: [] as unknown[], heights: [] as number[] };
let bridge: AppBridge;
const frame = document.createElement("iframe");

async function start({ width, context, capabilities, tools }: HostOptions): Promise<void> {
  frame.setAttribute("sandbox", "allow-scripts");
  frame.style.cssText = `border: 0; width: ${width}px; height: 240px`;
  document.body.replaceChildren(frame);

  bridge = new AppBridge(null, { name: "test-host", version: "1.0.0" }, capabilities, { hostContext: context });
  bridge.onmessage = async ({ content }) => {
    seen.messages.push(content.map((block) => (block.type === "text" ? block.text : "")).join(""));
    return {};
  };
  bridge.onopenlink = async ({ url }) => {
    seen.links.push(url);
    return {};
  };
  bridge.oncalltool = async ({ name, arguments: args }) => {
    seen.calls.push({ name, args });
    return { content: [], ...tools[name] };
  };
  bridge.onsizechange = ({ height }) => {
    seen.heights.push(height ?? 0);
    frame.style.height = `${height}px`;
  };
  const initialized = new Promise<void>((resolve) => (bridge.oninitialized = () => resolve()));
  // The listener first: a view that loads fast would speak to nobody.
  await bridge.connect(new PostMessageTransport(frame.contentWindow!, frame.contentWindow!));
  frame.src = "/view";
  await initialized;
  await bridge.sendToolInput({ arguments: {} });
}

const host = {
  seen,
  start,
  result: (structuredContent: Json) => bridge.sendToolResult({ content: [], structuredContent }),
  failure: (text: string) => bridge.sendToolResult({ isError: true, content: [{ type: "text", text }] }),
  context: (context: Json) => bridge.setHostContext(context),
  resize: (width: number) => void (frame.style.width = `${width}px`),
  tearDown: () => bridge.teardownResource({}),
};

export type Host = typeof host;

Object.assign(window, { host });
