// The official AG-UI client against the agent of a running `periplus web`, which answers with the guide.
//
// The client's verifier lets a cut stream, an unknown event and a failed run pass, so everything it is sent is kept and
// checked again: each event by the official schema, the last one, the state after all deltas, a result for every call.

import { isDeepStrictEqual } from "node:util";
import { HttpAgent } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";

function expect(condition, what) {
  if (!condition) throw new Error(what);
  console.log(`ok ${what}`);
}

const base = process.argv[2].replace(/\/$/, "");
const complaints = [];
for (const level of ["warn", "error"]) console[level] = (...words) => complaints.push(words.join(" "));

/** Everything the last run sent. */
let sent = "";
const plainFetch = globalThis.fetch;
globalThis.fetch = async (...request) => {
  const response = await plainFetch(...request);
  if (!response.body) return response;
  const [kept, passedOn] = response.body.tee();
  sent = "";
  (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of kept) sent += decoder.decode(bytes, { stream: true });
  })().catch(() => {});
  return new Response(passedOn, { status: response.status, headers: response.headers });
};

/** Runs the agent with one more message; gives the events and the new messages. */
async function run(agent, text) {
  agent.messages.push({ id: crypto.randomUUID(), role: "user", content: text });
  const seen = [];
  const { newMessages } = await agent.runAgent({}, { onEvent: ({ event }) => void seen.push(event) });
  const events = sent
    .split("\n\n")
    .filter((frame) => frame.startsWith("data: "))
    .map((frame) => JSON.parse(frame.slice("data: ".length)));
  for (const event of events) EventSchemas.parse(event);
  expect(events.length === seen.length, `the client saw all ${events.length} events of "${text}"`);
  expect(events.at(-1).type === "RUN_FINISHED", "the run ends in order");
  return { events, newMessages };
}

const agent = new HttpAgent({ url: `${base}/runs`, threadId: crypto.randomUUID() });
const greeting = await run(agent, "hello");
expect(greeting.newMessages.at(-1).content.includes("guide"), "the guide says what it is");

const { events, newMessages } = await run(agent, "tree cover loss in Pará, Brazil since 2015");
const calls = newMessages.flatMap((message) => message.toolCalls ?? []);
expect(calls.length >= 4, "the guide calls the tools one after the other");
for (const call of calls) {
  JSON.parse(call.function.arguments);
  const results = newMessages.filter((message) => message.role === "tool" && message.toolCallId === call.id);
  expect(results.length === 1, `${call.function.name} has one result`);
}
const passed = calls.find((call) => call.function.name === "pull_data");
expect(passed.function.arguments.includes("@state:"), "the area is passed by reference");
const kinds = new Set(events.filter((event) => event.type === "ACTIVITY_SNAPSHOT").map((event) => event.activityType));
expect(kinds.has("state.published") && kinds.has("state.consumed"), "values that moved are told");

const thread = await (await plainFetch(`${base}/threads/${agent.threadId}`)).json();
expect(isDeepStrictEqual(agent.state.toolState, thread.state), "the client holds the state of the thread");
const withoutActivities = (messages) => messages.filter((message) => message.role !== "activity").map(({ id }) => id);
expect(
  isDeepStrictEqual(withoutActivities(agent.messages), withoutActivities(thread.messages)),
  "the client holds the messages of the thread",
);

// A client that goes away ends its run.
const leaving = new AbortController();
const response = await plainFetch(`${base}/runs`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ threadId: agent.threadId, messages: [{ id: "late", role: "user", content: "what can you do?" }] }),
  signal: leaving.signal,
});
await response.body.getReader().read();
leaving.abort();
const idle = await (await plainFetch(`${base}/threads/${agent.threadId}/idle`)).json();
expect(idle.running === false, "nothing runs for a client that has gone");
expect(complaints.length === 0, `nothing was complained about${complaints.map((line) => `\n${line}`).join("")}`);
