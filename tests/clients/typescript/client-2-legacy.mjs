// The official TypeScript client, major version 2, as it opens unless told otherwise: in the legacy era.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { adapt, run } from "./flow.mjs";

await run(async (url, headers) => {
  const client = new Client({ name: "client-2-legacy", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return adapt(client);
});
