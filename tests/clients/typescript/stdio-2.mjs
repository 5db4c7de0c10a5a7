// The official TypeScript client, major version 2, over pipes: once as it finds the era, once in the legacy one.

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { adapt, overPipes } from "./flow.mjs";

for (const [mode, version] of [
  ["auto", "2026-07-28"],
  ["legacy", "2025-11-25"],
]) {
  await overPipes(async (parameters) => {
    const client = new Client({ name: "stdio-2", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(new StdioClientTransport(parameters));
    if (client.getNegotiatedProtocolVersion() !== version) {
      throw new Error(`negotiated ${client.getNegotiatedProtocolVersion()}`);
    }
    return adapt(client);
  });
}
