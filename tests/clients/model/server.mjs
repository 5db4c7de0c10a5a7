// A small language model behind the wire of OpenAI: `node server.mjs MODEL.gguf`.
//
// It has what a client must cope with: text as it is generated, calls whose arguments come in pieces, counts of tokens,
// a conversation that is too long, and a caller who goes away. One request is answered at a time, on one thread.

import { createServer } from "node:http";
import { LlamaCompletion, getLlama } from "node-llama-cpp";

/** Tokens that the model was trained on at once. */
const CONTEXT = 8192;
const MAX_OUTPUT = 256;
const END = "<|im_end|>";

const llama = await getLlama({ build: "never", gpu: false, maxThreads: 1, logLevel: "error" });
const model = await llama.loadModel({ modelPath: process.argv[2] });
const context = await model.createContext({ contextSize: CONTEXT, threads: 1 });
const completion = new LlamaCompletion({ contextSequence: context.getSequence() });

/** A conversation in the form the model was trained on. */
function prompt(messages, tools) {
  const offered = tools.map(({ function: { name, description = "" } }) => `- ${name}: ${description.slice(0, 200)}`);
  const list = offered.length ? `\n\nYou have these tools:\n${offered.join("\n")}` : "";
  const parts = messages.map(({ role, content, tool_calls: calls = [] }) => {
    const text = typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("");
    const called = calls.map(({ function: { name, arguments: given } }) => `${name} ${given}`).join("\n");
    const said = [text, called].filter(Boolean).join("\n");
    return role === "tool" ? ["user", `The tool returned: ${said}`] : [role, said];
  });
  const [first] = parts;
  if (first?.[0] === "system") first[1] += list;
  else parts.unshift(["system", `You are a helpful assistant.${list}`]);
  return parts.map(([role, text]) => `<|im_start|>${role}\n${text}${END}\n`).join("") + "<|im_start|>assistant\n";
}

/** What of a JSON schema can become a grammar; whatever is more than that is a text. */
function plain(schema = {}) {
  if (schema.enum) return { enum: schema.enum };
  if (schema.type === "object" && schema.properties) {
    const properties = Object.entries(schema.properties).map(([name, inner]) => [name, plain(inner)]);
    return { type: "object", properties: Object.fromEntries(properties) };
  }
  if (["boolean", "integer", "number"].includes(schema.type)) return { type: schema.type };
  return { type: "string", maxLength: 60 };
}

/** The name of the tool that the model would rather call than answer, if there is one. */
async function choice(text, tools, signal) {
  const names = [...tools.map((tool) => tool.function.name), "answer"];
  const grammar = await llama.createGrammar({ grammar: `root ::= ${names.map((name) => `"${name}"`).join(" | ")}` });
  const hint = "(I call a tool by its name, or say: answer) ";
  const chosen = await completion.generateCompletion(model.tokenize(text + hint, true), {
    grammar, signal, maxTokens: 24, temperature: 0,
  });
  return tools.find((tool) => tool.function.name === chosen.trim());
}

/** Generates an answer or a call, telling each piece; gives the reason of its end. */
async function generate(body, tell, signal) {
  const { messages, tools = [], tool_choice: wanted = "auto", max_tokens: most = MAX_OUTPUT } = body;
  const text = prompt(messages, tools);
  const tokens = model.tokenize(text, true);
  if (tokens.length + MAX_OUTPUT > CONTEXT) throw Object.assign(new Error("too long"), { code: "context_length_exceeded" });
  let written = 0;
  const options = { signal, maxTokens: Math.min(most, MAX_OUTPUT), temperature: 0, onToken: (more) => (written += more.length) };
  // Such a small model would call for ever; after a result it answers.
  const mayCall = tools.length > 0 && wanted !== "none" && messages.at(-1).role === "user";
  const tool = mayCall ? await choice(text, tools, signal) : undefined;
  if (tool) {
    const { name, parameters } = tool.function;
    const grammar = await llama.createGrammarForJsonSchema(plain(parameters));
    const call = { index: 0, id: `call_${Date.now()}`, type: "function", function: { name, arguments: "" } };
    tell({ role: "assistant", tool_calls: [call] });
    const onTextChunk = (piece) => tell({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
    await completion.generateCompletion(model.tokenize(`${text}${name} `, true), { ...options, grammar, onTextChunk });
  } else {
    tell({ role: "assistant", content: "" });
    await completion.generateCompletion(tokens, {
      ...options, customStopTriggers: [END, "<|im_start|>"], onTextChunk: (content) => tell({ content }),
    });
  }
  const usage = { prompt_tokens: tokens.length, completion_tokens: written, total_tokens: tokens.length + written };
  return { reason: tool ? "tool_calls" : written >= options.maxTokens ? "length" : "stop", usage };
}

let aborted = 0;
let last = Promise.resolve();

async function answer(request, response) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const body = JSON.parse(Buffer.concat(pieces).toString());
  const gone = new AbortController();
  response.on("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  const chunk = (choices, more = {}) => {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
    const event = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 0, model: body.model, choices, ...more };
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  };
  const turn = last.then(() => generate(body, (delta) => chunk([{ index: 0, delta, finish_reason: null }]), gone.signal));
  last = turn.catch(() => {});
  try {
    const { reason, usage } = await turn;
    chunk([{ index: 0, delta: {}, finish_reason: reason }]);
    chunk([], { usage });
    response.end("data: [DONE]\n\n");
  } catch (error) {
    if (gone.signal.aborted) aborted += 1;
    else if (!response.headersSent) {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: error.message, type: "invalid_request_error", code: error.code } }));
    } else response.destroy(error);
  }
}

const server = createServer((request, response) => {
  if (request.method === "POST" && request.url === "/v1/chat/completions") return void answer(request, response);
  // How many requests were given up, for those who want to see that they were.
  if (request.url === "/aborted") return void response.end(String(aborted));
  response.writeHead(404).end();
});
server.listen(0, "127.0.0.1", () => console.error(`the model serves at http://127.0.0.1:${server.address().port}/v1/`));
