// The official TypeScript SDK, major version 1: the legacy era.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { adapt, run } from "./flow.mjs";

await run(async (url, headers) => {
  const client = new Client({ name: "client-1", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return adapt(client);
});
