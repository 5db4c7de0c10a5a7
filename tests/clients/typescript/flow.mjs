// What every official client must be able to do with a running server, whatever its API is called.
//
// `connect(url, headers)` gives an object with `tools()` (names), `call(name, arguments)`
// (`{isError, structured, text}`) and `close()`.

import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

function expect(condition, what) {
  if (!condition) throw new Error(what);
  console.log(`ok ${what}`);
}

/** The adapter both majors share: their calls have the same names. */
export function adapt(client) {
  return {
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (name, args) => {
      const result = await client.callTool({ name, arguments: args });
      const text = result.content.map((block) => block.text).join("\n");
      return { isError: Boolean(result.isError), structured: result.structuredContent, text };
    },
    close: () => client.close(),
  };
}

async function using(connect, url, headers, work) {
  const client = await connect(url, headers);
  try {
    await work(client);
  } finally {
    await client.close();
  }
}

async function hello(client) {
  expect(isDeepStrictEqual(await client.tools(), ["hello"]), "hello is listed");
  const result = await client.call("hello", { name: "Ada" });
  expect(isDeepStrictEqual(result.structured, { message: "Hello, Ada!" }), "hello answers with a structured result");
  expect(isDeepStrictEqual(JSON.parse(result.text), result.structured), "the text is the structured result");
  const mistyped = await client.call("hello", { nme: "Ada" });
  expect(mistyped.isError && mistyped.text.includes("name"), "a mistyped argument is an error that names the right one");
}

async function anonymous(client) {
  const result = await client.call("whoami", {});
  expect(
    result.isError && result.text.includes("x-demo-token"),
    "a missing credential is an error that names the header",
  );
}

async function known(client) {
  const result = await client.call("whoami", {});
  const account = `user-${createHash("sha256").update("s3").digest("hex").slice(0, 8)}`;
  expect(result.structured?.account === account, "the credential header reaches the tool");
}

/** The six steps: capabilities, facets, select, rank, objects, evidence. */
async function research(client) {
  // The client checks a result against the tool's output schema only when it has listed the tools.
  await client.tools();
  const ask = async (name, args) => {
    const result = await client.call(name, args);
    expect(!result.isError && result.structured, `${name} answers${result.isError ? ` (${result.text})` : ""}`);
    return result.structured;
  };
  const capabilities = await ask("collection_capabilities", {});
  expect(capabilities.snapshot, "the snapshot has an id");
  const facets = await ask("collection_facets", { field: "department", prefix: "isl", pageSize: 10 });
  const department = facets.values[0].value;
  const predicate = {
    all: [
      { field: "department", op: "eq", value: department },
      { not: { field: "medium", op: "contains_normalized", value: "silver" } },
    ],
  };
  const selected = await ask("collection_select", { predicate, pageSize: 25 });
  const eligible = selected.counts.eligibleCount;
  expect(eligible > 0 && eligible <= 2000, "the selection is small enough to rank");
  const ranked = await ask("collection_rank", {
    selection: selected.selection,
    anchor: { type: "topic_text", topicText: "garden landscape" },
    axis: "topic",
    method: "lexical_bm25_v1",
    pageSize: 10,
    maxCandidates: 2000,
    includeUnscored: true,
  });
  const best = ranked.results[0];
  const objects = await ask("collection_objects", { objectIds: [best.objectId] });
  expect(objects.objects[0].objectId === best.objectId, "the best object is hydrated");
  const evidence = await ask("collection_evidence", { evidenceIds: best.evidenceIds });
  expect(evidence.missingEvidenceIds.length === 0, "all evidence of the best object resolves");
  expect(evidence.evidence.length === best.evidenceIds.length, "every evidence id has an item");
}

async function stac(client) {
  // The bundled recording answers where no catalogue can be reached.
  const found = await client.call("search_collections", { query: "sentinel", limit: 3 });
  expect(!found.isError && found.structured?.collections.length > 0, "collections of the catalogue are found");
  const id = found.structured.collections[0].id;
  const shown = await client.call("show_map", { collection_id: id });
  expect(!shown.isError && shown.structured?.message.includes(id), "a collection found is shown on a map");
}

/** The first start builds the embedded catalogue; until then the server says 503. */
async function waitUntilReady(base, seconds = 90) {
  const end = Date.now() + seconds * 1000;
  while (!(await fetch(`${base}/health/readiness`)).ok) {
    if (Date.now() > end) throw new Error("the server does not become ready");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export async function run(connect) {
  const base = process.argv[2].replace(/\/$/, "");
  await waitUntilReady(base);
  const index = await (await fetch(`${base}/`, { headers: { accept: "application/json" } })).json();
  const url = (name) => new URL(index.connections[name].url);
  await using(connect, url("hello"), {}, hello);
  await using(connect, url("credential-demo"), {}, anonymous);
  await using(connect, url("credential-demo"), { "X-Demo-Token": "s3" }, known);
  await using(connect, url("stac-explorer"), {}, stac);
  if (index.connections.met) await using(connect, url("met"), {}, research);
}

/** What a client must be able to do with a server that it starts as a command; the binary is the only argument. */
export async function overPipes(connect) {
  const parameters = {
    command: process.argv[2],
    args: ["serve", "--stdio", "--log", "warn", "hello", "credential-demo"],
    env: { X_DEMO_TOKEN: "token-of-the-test" },
  };
  await using(connect, parameters, {}, async (client) => {
    const tools = await client.tools();
    expect(isDeepStrictEqual(tools.toSorted(), ["hello", "whoami"]), "the tools of both toolsets are listed");
    const greeted = await client.call("hello", { name: "Ada" });
    expect(isDeepStrictEqual(greeted.structured, { message: "Hello, Ada!" }), "hello answers over pipes");
    const mistyped = await client.call("hello", { nme: "Ada" });
    expect(mistyped.isError && mistyped.text.includes("name"), "a mistyped argument is an error over pipes");
    const account = await client.call("whoami", {});
    expect(account.structured.account.startsWith("user-"), "the credential comes from the environment");
  });
}
