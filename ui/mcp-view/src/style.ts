/** Makes a page look like its host: colour scheme, style variables, fonts, and the room there is. */
import type { HostContext } from "./protocol.js";

const FONTS_ID = "host-fonts";

/** Applies the whole context to a page; applying it again changes only what differs. */
export function applyContext(page: Document, context: HostContext, before: HostContext = {}): void {
  const root = page.documentElement;
  if (context.theme) {
    root.dataset["theme"] = context.theme;
    root.style.colorScheme = context.theme;
  }
  setVariables(root, hostVariables(context), hostVariables(before));
  const fonts = context.styles?.css?.fonts;
  if (fonts !== before.styles?.css?.fonts) setFonts(page, fonts);
}

/** The custom properties a context stands for. */
function hostVariables(context: HostContext): Map<string, string> {
  const variables = new Map<string, string>();
  for (const [name, value] of Object.entries(context.styles?.variables ?? {})) {
    // A name without the two dashes would set an ordinary property such as `display`.
    if (name.startsWith("--") && typeof value === "string") variables.set(name, value);
  }
  const pixels = (name: string, value: unknown) => {
    if (typeof value === "number" && Number.isFinite(value)) variables.set(name, `${value}px`);
  };
  const room = context.containerDimensions;
  pixels("--container-height", room?.height);
  pixels("--container-max-height", room?.maxHeight);
  for (const side of ["top", "right", "bottom", "left"] as const) {
    pixels(`--safe-area-inset-${side}`, context.safeAreaInsets?.[side]);
  }
  return variables;
}

function setVariables(root: HTMLElement, now: Map<string, string>, before: Map<string, string>): void {
  for (const name of before.keys()) {
    if (!now.has(name)) root.style.removeProperty(name);
  }
  for (const [name, value] of now) {
    if (before.get(name) !== value) root.style.setProperty(name, value);
  }
}

function setFonts(page: Document, css: string | undefined): void {
  page.getElementById(FONTS_ID)?.remove();
  if (!css) return;
  const style = page.createElement("style");
  style.id = FONTS_ID;
  style.textContent = css;
  page.head.append(style);
}
