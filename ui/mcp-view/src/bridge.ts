/** A view's side of MCP Apps: connects once, hands over what the host sends, asks the host for what the view needs. */
import { version } from "../package.json";
import { METHOD_NOT_FOUND, Peer, RpcError, isObject } from "./peer.js";
import {
  PROTOCOL_VERSION,
  type CallToolResult,
  type HostCapabilities,
  type HostContext,
  type Implementation,
  type InitializeResult,
  type JsonObject,
  type ReadResourceResult,
} from "./protocol.js";
import { observeHeight } from "./size.js";
import { applyContext } from "./style.js";

/** A host may first ask its user, so this is generous. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Hosts wait only briefly before they remove a frame. */
const TEARDOWN_TIMEOUT_MS = 500;

type Handler<T> = (value: T) => void;

export class Bridge {
  #info: Implementation = { name: "mcp-view", version };
  #connection: Promise<Peer> | undefined;
  #stopObserving: (() => void) | undefined;

  #capabilities: HostCapabilities = {};
  #context: HostContext = {};

  #onData: Handler<JsonObject> = () => {};
  #onFailure: Handler<string> = (reason) => console.error(reason);
  #onContext: Handler<HostContext> = () => {};
  #onTeardown: () => void | Promise<void> = () => {};

  constructor(readonly frame: Window) {}

  configure(info: Implementation): void {
    if (this.#connection) throw new Error("configure must be called before the view connects");
    this.#info = info;
  }

  onData(handler: Handler<JsonObject>): void {
    this.#onData = guarded(handler);
    this.#connectInBackground();
  }

  onFailure(handler: Handler<string>): void {
    this.#onFailure = guarded(handler);
    this.#connectInBackground();
  }

  onContext(handler: Handler<HostContext>): void {
    this.#onContext = guarded(handler);
    this.#connectInBackground();
  }

  onTeardown(handler: () => void | Promise<void>): void {
    this.#onTeardown = handler;
    this.#connectInBackground();
  }

  get context(): HostContext {
    return this.#context;
  }

  get capabilities(): HostCapabilities {
    return this.#capabilities;
  }

  async sendMessage(text: string): Promise<void> {
    await this.#ask("ui/message", { role: "user", content: [{ type: "text", text }] });
  }

  async openLink(url: string): Promise<void> {
    await this.#ask("ui/open-link", { url });
  }

  async callTool(name: string, args: JsonObject = {}): Promise<CallToolResult> {
    return this.#request("tools/call", { name, arguments: args });
  }

  async readResource(uri: string): Promise<ReadResourceResult> {
    const result = await this.#request("resources/read", { uri });
    const contents = result["contents"];
    if (!Array.isArray(contents)) throw new Error(`the host answered without contents when reading ${uri}`);
    return { contents: contents.filter(isObject) as ReadResourceResult["contents"] };
  }

  /** Sends a request that the host may decline with `isError`. */
  async #ask(method: string, params: JsonObject): Promise<void> {
    const result = await this.#request(method, params);
    if (result["isError"]) throw new Error(`the host declined ${method}`);
  }

  async #request(method: string, params: JsonObject): Promise<JsonObject> {
    const peer = await this.#connect();
    return peer.request(method, params, REQUEST_TIMEOUT_MS);
  }

  #connectInBackground(): void {
    if (this.#connection) return;
    // The handlers of one task are all in place when the answer to the handshake is looked at.
    this.#connect().catch((cause: unknown) => this.#onFailure(cause instanceof Error ? cause.message : String(cause)));
  }

  #connect(): Promise<Peer> {
    return (this.#connection ??= this.#handshake());
  }

  async #handshake(): Promise<Peer> {
    const host = this.frame.parent;
    if (host === this.frame) throw new Error("this page has no host; open it in a client that shows MCP views");

    const peer = new Peer(this.frame, host, {
      request: (method) => this.#answer(method, peer),
      notification: (method, params) => this.#receive(method, params),
    });
    // Without a time limit: a host may load a frame long before it shows it.
    const result = (await peer.request("ui/initialize", {
      protocolVersion: PROTOCOL_VERSION,
      appInfo: this.#info,
      appCapabilities: {},
    })) as Partial<InitializeResult>;
    if (result.protocolVersion !== PROTOCOL_VERSION) {
      console.warn(`the host speaks MCP Apps ${result.protocolVersion}, this view speaks ${PROTOCOL_VERSION}`);
    }
    this.#capabilities = result.hostCapabilities ?? {};
    this.#updateContext(result.hostContext ?? {});
    peer.notify("ui/notifications/initialized", {});
    this.#stopObserving = observeHeight(this.frame.document, (height) =>
      peer.notify("ui/notifications/size-changed", { height }),
    );
    return peer;
  }

  #receive(method: string, params: JsonObject): void {
    switch (method) {
      case "ui/notifications/tool-result":
        return this.#receiveResult(params as CallToolResult);
      case "ui/notifications/tool-cancelled":
        return this.#onFailure(`the call was cancelled${params["reason"] ? `: ${String(params["reason"])}` : ""}`);
      case "ui/notifications/host-context-changed":
        return this.#updateContext(params as HostContext);
    }
  }

  #receiveResult(result: CallToolResult): void {
    if (result.isError) {
      const texts = (result.content ?? []).flatMap((block) => (block.type === "text" ? [block.text ?? ""] : []));
      this.#onFailure(texts.join("\n") || "the tool failed without saying why");
    } else if (isObject(result.structuredContent)) {
      this.#onData(result.structuredContent);
    }
  }

  #updateContext(update: HostContext): void {
    const before = this.#context;
    this.#context = { ...before, ...update };
    applyContext(this.frame.document, this.#context, before);
    this.#onContext(this.#context);
  }

  async #answer(method: string, peer: Peer): Promise<JsonObject> {
    switch (method) {
      case "ping":
        return {};
      case "ui/resource-teardown":
        return this.#tearDown(peer);
      default:
        throw new RpcError(METHOD_NOT_FOUND, `this view does not answer ${method}`);
    }
  }

  async #tearDown(peer: Peer): Promise<JsonObject> {
    this.#stopObserving?.();
    const timeout = new Promise((resolve) => setTimeout(resolve, TEARDOWN_TIMEOUT_MS));
    try {
      await Promise.race([this.#onTeardown(), timeout]);
    } catch (cause) {
      console.error("the view's teardown failed", cause);
    }
    // After the answer is sent.
    setTimeout(() => peer.close());
    return {};
  }
}

/** A fault in a view's own code must not end the conversation. */
function guarded<T>(handler: Handler<T>): Handler<T> {
  return (value) => {
    try {
      handler(value);
    } catch (cause) {
      console.error("the view's handler failed", cause);
    }
  };
}
