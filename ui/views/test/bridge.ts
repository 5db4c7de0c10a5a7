/** Stands in for the bridge (by an alias in vitest.config.ts) where a test is about what a view draws. */
import { vi } from "vitest";

export { mayLoad } from "../../mcp-view/src/origins.js";

export const sendMessage = vi.fn(async (_text: string) => {});
export const openLink = vi.fn(async (_url: string) => {});
export const callTool = vi.fn();
export const configure = vi.fn();
export const onData = vi.fn();
export const onFailure = vi.fn();

/** What the host is said to be; tests change it. */
export const host = { capabilities: {} as object, locale: "en" };
export const hostCapabilities = () => host.capabilities;
export const hostContext = () => ({ locale: host.locale });

/** Puts a view's content into the page. */
export function mount({ body }: { body: Node[] }): HTMLElement {
  document.body.replaceChildren(...body);
  return document.body;
}
