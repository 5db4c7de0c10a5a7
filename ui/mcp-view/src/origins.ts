import type { HostCapabilities } from "./protocol.js";

/**
 * Whether the host has said that images, styles and scripts may come from this address.
 * A host that says nothing has granted nothing.
 */
export function mayLoad(capabilities: HostCapabilities, address: string): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  return (capabilities.sandbox?.csp?.resourceDomains ?? []).some((domain) => matches(domain, url));
}

/** `https://host[:port]`, where the host may start with `*.`, as in a content security policy. */
function matches(domain: string, url: URL): boolean {
  const wildcard = domain.includes("://*.");
  const plain = domain.replace("://*.", "://");
  if (!URL.canParse(plain)) return false;
  const allowed = new URL(plain);
  if (allowed.protocol !== url.protocol || allowed.port !== url.port) return false;
  return wildcard ? url.hostname.endsWith(`.${allowed.hostname}`) : url.hostname === allowed.hostname;
}
