/**
 * Connects a page inside an MCP host's frame to the host.
 *
 * A frame has one connection. It is opened by the first call that needs it, so register handlers at the top level of
 * the page's script; each of them holds one handler, a later call replaces it.
 */
import { Bridge } from "./bridge.js";
import type { CallToolResult, HostCapabilities, HostContext, Implementation, ReadResourceResult } from "./protocol.js";

export { Bridge } from "./bridge.js";
export { mayLoad } from "./origins.js";
export { RpcError } from "./peer.js";
export type {
  CallToolResult,
  ContentBlock,
  HostCapabilities,
  HostContext,
  Implementation,
  ReadResourceResult,
} from "./protocol.js";

const bridge = new Bridge(window);

/** Names the view towards the host. Call it before anything else; the default is `mcp-view`. */
export const configure = (info: Implementation): void => bridge.configure(info);

/** Receives the structured content of the tool's result. Results without structured content are not delivered. */
export const onData = <T extends object>(handler: (data: T) => void): void =>
  bridge.onData((data) => handler(data as T));

/** Receives one readable reason when the call failed or was cancelled, or when there is no host to talk to. */
export const onFailure = (handler: (reason: string) => void): void => bridge.onFailure(handler);

/** Receives the whole host context, first when the host is known and then after every change. */
export const onContext = (handler: (context: HostContext) => void): void => bridge.onContext(handler);

/** Runs before the host removes the view; the host waits about half a second for it. */
export const onTeardown = (handler: () => void | Promise<void>): void => bridge.onTeardown(handler);

/** What is known of the host's theme, locale and room; empty before the handshake. */
export const hostContext = (): HostContext => bridge.context;

/** What the host offers; empty before the handshake. */
export const hostCapabilities = (): HostCapabilities => bridge.capabilities;

/** Says something in the conversation as the user. Rejects when the host declines. */
export const sendMessage = (text: string): Promise<void> => bridge.sendMessage(text);

/** Calls a tool of the view's own server, if the host offers `serverTools`. A failed tool resolves with `isError`. */
export const callTool = (name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> =>
  bridge.callTool(name, args);

/** Reads a resource of the view's own server, if the host offers `serverResources`. */
export const readResource = (uri: string): Promise<ReadResourceResult> => bridge.readResource(uri);

/** Asks the host to open a link outside the frame. Rejects when the host declines. */
export const openLink = (url: string): Promise<void> => bridge.openLink(url);
