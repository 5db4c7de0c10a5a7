/** The part of MCP Apps (revision 2026-01-26) that a view speaks: names and shapes, no behaviour. */

export const PROTOCOL_VERSION = "2026-01-26";

export type JsonObject = { [key: string]: unknown };

/** Who a program is. */
export interface Implementation {
  name: string;
  version: string;
}

/** One piece of a tool's answer; only `text` blocks matter to the bridge itself. */
export type ContentBlock = { type: string; text?: string } & JsonObject;

/** What a tool answered. */
export interface CallToolResult {
  content?: ContentBlock[];
  structuredContent?: JsonObject | null;
  isError?: boolean;
  _meta?: JsonObject;
}

/** What a resource holds: text or base64 `blob`, one entry per part. */
export interface ReadResourceResult {
  contents: ({ uri: string; mimeType?: string; text?: string; blob?: string } & JsonObject)[];
}

/** Origins that the host lets a view use; an absent list means none. */
export interface GrantedOrigins {
  connectDomains?: string[];
  resourceDomains?: string[];
  frameDomains?: string[];
  baseUriDomains?: string[];
}

/** What the host can do for a view. */
export interface HostCapabilities extends JsonObject {
  openLinks?: object;
  serverTools?: object;
  serverResources?: object;
  message?: object;
  sandbox?: { csp?: GrantedOrigins; permissions?: object };
}

/** Where and how the view is shown. Every member may be absent; changes arrive as partial updates. */
export interface HostContext extends JsonObject {
  theme?: "light" | "dark";
  styles?: { variables?: Record<string, string | undefined>; css?: { fonts?: string } };
  displayMode?: "inline" | "fullscreen" | "pip";
  /** Pixels; `height` and `width` are fixed by the host, the `max` forms leave room for the view to grow. */
  containerDimensions?: { height?: number; maxHeight?: number; width?: number; maxWidth?: number };
  /** BCP 47 tag, for numbers and dates. */
  locale?: string;
  timeZone?: string;
  safeAreaInsets?: { top: number; right: number; bottom: number; left: number };
}

export interface InitializeResult {
  protocolVersion: string;
  hostInfo: Implementation;
  hostCapabilities: HostCapabilities;
  hostContext: HostContext;
}
