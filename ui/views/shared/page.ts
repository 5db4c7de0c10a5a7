/** What every view does alike: waiting, failing, speaking to the host, opening links outside the frame. */
import "./style.css";
import { configure, hostContext, onData, onFailure, openLink, sendMessage } from "@periplus/mcp-view";
import { version } from "../package.json";
import { h } from "./dom.js";

/** What a tool answers instead of its result when something expected went wrong. */
interface ToolError {
  error: string;
  detail: string;
}

/** One line for everyone (it is read out when it changes) and the content below it. */
export interface Content {
  status: string;
  body: Node[];
}

/** Connects the page and shows what `render` makes of each result. */
export function showResults<T extends object>(name: string, render: (data: T) => Content): void {
  configure({ name, version });
  onData<T | ToolError>((data) => {
    if (isToolError(data)) return showFailure(data.detail);
    try {
      show(render(data));
    } catch (cause) {
      console.error(cause);
      showFailure("This result does not have the form that the view expects. The text of the answer has all of it.");
    }
  });
  onFailure(showFailure);
  openLinksOutside();
}

export function isToolError(data: object): data is ToolError {
  return "error" in data && typeof data.error === "string" && "detail" in data && typeof data.detail === "string";
}

function show({ status, body }: Content): void {
  byId("status").textContent = status;
  byId("view").replaceChildren(...body);
}

function showFailure(reason: string): void {
  show({ status: "There is nothing to show.", body: [h("p", { class: "notice danger" }, failureText(reason))] });
}

/** Errors of some tools are a JSON object with a message meant for people. */
function failureText(reason: string): string {
  try {
    const { message } = JSON.parse(reason) as { message?: unknown };
    return typeof message === "string" ? message : reason;
  } catch {
    return reason;
  }
}

function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element #${id}`);
  return element;
}

/** A button that says something in the conversation as the user, and says so if it could not. */
export function askButton(label: string, message: string, attributes: { class?: string; description?: string } = {}) {
  const button = h("button", { type: "button", class: attributes.class, "aria-label": attributes.description }, label);
  const note = h("span", { class: "small muted", role: "status" });
  let busy = false;
  button.addEventListener("click", async () => {
    if (busy) return;
    busy = true;
    // Not `disabled`, which would throw the keyboard focus away.
    button.setAttribute("aria-disabled", "true");
    note.textContent = "";
    try {
      await sendMessage(message);
    } catch (cause) {
      note.textContent = `Not sent: ${cause instanceof Error ? cause.message : String(cause)}. You can write: ${message}`;
    }
    button.removeAttribute("aria-disabled");
    busy = false;
  });
  return h("div", { class: "row" }, button, note);
}

/** A frame may not navigate or open windows; the host may. If it does not, the address is shown to be copied. */
function openLinksOutside(): void {
  const open = (event: MouseEvent) => {
    const anchor = event.target instanceof Element ? event.target.closest("a") : null;
    // The controls of a map are anchors with a mere fragment.
    if (!anchor?.href || anchor.getAttribute("href")?.startsWith("#")) return;
    event.preventDefault();
    openLink(anchor.href).catch(() => {
      if (anchor.nextElementSibling?.textContent !== anchor.href) anchor.after(" ", h("code", {}, anchor.href));
    });
  };
  // In the capture phase, because a map keeps the clicks on its controls to itself.
  document.addEventListener("click", open, { capture: true });
}

/** A number as the host's user writes it. */
export function formatNumber(value: number, options: Intl.NumberFormatOptions = {}): string {
  try {
    return new Intl.NumberFormat(hostContext().locale, options).format(value);
  } catch {
    return new Intl.NumberFormat("en", options).format(value);
  }
}

/** "1 object", "2 objects". */
export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(number)} ${number === 1 ? singular : plural}`;
}
