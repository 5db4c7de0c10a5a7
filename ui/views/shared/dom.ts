/** Builds elements. Text always goes in as text: nothing that a server sends is ever parsed as HTML. */

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined>;

/** Makes an element; attributes that are `undefined` or `false` and children that are empty are left out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A link for web addresses; anything else (`javascript:`, `data:`) stays text. */
export function link(address: string, label: string): Node {
  return isWebAddress(address) ? h("a", { href: address, rel: "noreferrer" }, label) : h("span", {}, label);
}

export function isWebAddress(address: string): boolean {
  return URL.canParse(address) && ["https:", "http:"].includes(new URL(address).protocol);
}

/** An image from elsewhere, replaced by `fallback` if it cannot be loaded. */
export function remoteImage(address: string, alt: string, fallback: () => Node): HTMLImageElement {
  const image = h("img", { alt, src: address, loading: "lazy", decoding: "async", referrerpolicy: "no-referrer" });
  image.addEventListener("error", () => image.replaceWith(fallback()), { once: true });
  return image;
}
