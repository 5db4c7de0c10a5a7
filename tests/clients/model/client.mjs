// The agent of a running `periplus web`, answered by a real model: `node client.mjs AGENT MODEL`.
//
// What the model says is its own affair. That it arrives as it is generated, is counted, ends in order and can be cancelled
// is ours.

function expect(condition, what) {
  if (!condition) throw new Error(what);
  console.log(`ok ${what}`);
}

const [agent, model] = process.argv.slice(2).map((url) => url.replace(/\/$/, ""));
const thread = crypto.randomUUID();

/** Sends a message, and gives every event with the time it came at; `onEvent` may act on each. */
async function run(text, onEvent = () => {}) {
  const runId = crypto.randomUUID();
  const response = await fetch(`${agent}/runs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ threadId: thread, runId, messages: [{ id: crypto.randomUUID(), role: "user", content: text }] }),
  });
  const events = [];
  let rest = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + piece).split("\n\n");
    rest = frames.pop();
    for (const frame of frames.filter((frame) => frame.startsWith("data: "))) {
      const event = { ...JSON.parse(frame.slice("data: ".length)), at: performance.now() };
      events.push(event);
      await onEvent(event, runId, events);
    }
  }
  return events;
}

const of = (events, type) => events.filter((event) => event.type === type);
const said = (events) => of(events, "TEXT_MESSAGE_CONTENT").map(({ delta }) => delta).join("");

const plain = await run("Write two sentences about rivers.");
const deltas = of(plain, "TEXT_MESSAGE_CONTENT");
console.log(`   it said: ${JSON.stringify(said(plain))}`);
expect(deltas.length > 3 && deltas.at(-1).at - deltas[0].at > 50, "the answer arrives while it is generated");
const end = plain.at(-1);
expect(end.type === "RUN_FINISHED" && end.outcome.type === "success", "the turn ends in order");
expect(end.usage[0].inputTokens > 20 && end.usage[0].outputTokens > 3, "the tokens are counted");

const greeting = await run("Call the tool hello to greet Ada.");
const calls = of(greeting, "TOOL_CALL_START").map(({ toolCallName }) => toolCallName);
const results = of(greeting, "TOOL_CALL_RESULT");
console.log(`   it called: ${calls.join(", ") || "nothing"}; it said: ${JSON.stringify(said(greeting))}`);
for (const { content } of results) console.log(`   the tool returned: ${JSON.stringify(content)}`);
expect(results.length === calls.length, "every call has its result");
expect(greeting.at(-1).outcome?.type === "success", "the turn with tools ends in order");

let heard = 0;
const story = await run("Write a long story about the sea.", async ({ type }, runId) => {
  if (type === "TEXT_MESSAGE_CONTENT" && ++heard === 3) await fetch(`${agent}/runs/${runId}/cancel`, { method: "POST" });
});
expect(heard >= 3 && story.at(-1).outcome?.type === "cancelled", "a run is cancelled in the middle of its answer");
const deadline = performance.now() + 10_000;
const aborted = async () => Number(await (await fetch(`${new URL(model).origin}/aborted`)).text());
while ((await aborted()) === 0 && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
expect((await aborted()) > 0, "the model is told to stop as well");

const after = await run("Thank you.");
expect(after.at(-1).outcome?.type === "success", "the thread goes on");
