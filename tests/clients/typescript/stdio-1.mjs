// The official TypeScript SDK, major version 1, over pipes.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { adapt, overPipes } from "./flow.mjs";

await overPipes(async (parameters) => {
  const client = new Client({ name: "stdio-1", version: "1" });
  await client.connect(new StdioClientTransport(parameters));
  return adapt(client);
});
