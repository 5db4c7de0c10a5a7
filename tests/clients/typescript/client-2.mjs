// The official TypeScript client, major version 2: it finds out the era, and must find the modern one.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { adapt, run } from "./flow.mjs";

await run(async (url, headers) => {
  const client = new Client({ name: "client-2", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  if (client.getNegotiatedProtocolVersion() !== "2026-07-28") {
    throw new Error(`negotiated ${client.getNegotiatedProtocolVersion()}`);
  }
  return adapt(client);
});
