/** Checks messages of MCP Apps against the schema that the official package publishes. */
import schema from "@modelcontextprotocol/ext-apps/schema.json" with { type: "json" };
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Message } from "./frame.js";

const SHAPES: Record<string, [message: string, result?: string]> = {
  "ui/initialize": ["McpUiInitializeRequest", "McpUiInitializeResult"],
  "ui/message": ["McpUiMessageRequest", "McpUiMessageResult"],
  "ui/open-link": ["McpUiOpenLinkRequest", "McpUiOpenLinkResult"],
  "ui/resource-teardown": ["McpUiResourceTeardownRequest", "McpUiResourceTeardownResult"],
  "ui/notifications/initialized": ["McpUiInitializedNotification"],
  "ui/notifications/size-changed": ["McpUiSizeChangedNotification"],
  "ui/notifications/tool-input": ["McpUiToolInputNotification"],
  "ui/notifications/tool-result": ["McpUiToolResultNotification"],
  "ui/notifications/tool-cancelled": ["McpUiToolCancelledNotification"],
  "ui/notifications/host-context-changed": ["McpUiHostContextChangedNotification"],
};

const ajv = addFormats.default(new Ajv2020({ strict: false }));
const compiled = new Map<string, ValidateFunction>();

function validator(name: string): ValidateFunction {
  const known = compiled.get(name);
  if (known) return known;
  const definition = (schema.$defs as Record<string, object>)[name];
  if (!definition) throw new Error(`the official schema has no ${name}`);
  const validate = ajv.compile(satisfiable(definition));
  compiled.set(name, validate);
  return validate;
}

/**
 * The published schema closes each half of an intersection (`containerDimensions`), so that no value with members of
 * both halves is valid. The halves are opened here; every other object stays closed.
 */
function satisfiable<T>(schema: T, inIntersection = false): T {
  if (Array.isArray(schema)) return schema.map((item) => satisfiable(item, inIntersection)) as T;
  if (typeof schema !== "object" || schema === null) return schema;
  const members = Object.entries(schema).filter(([key]) => !(inIntersection && key === "additionalProperties"));
  return Object.fromEntries(
    members.map(([key, value]) => [key, satisfiable(value, inIntersection || key === "allOf")]),
  ) as T;
}

/** Says what is wrong with a message, if anything; a response is judged by the request among `asked`. */
export function violation(message: Message, asked: Message[]): string | undefined {
  const request = message.method ? message : asked.find((other) => other.method && other.id === message.id);
  const [messageShape, resultShape] = SHAPES[request?.method ?? ""] ?? [];
  if (!message.method) return message.result && resultShape ? check(resultShape, message.result) : undefined;
  const { method, params } = message;
  if (messageShape) return check(messageShape, params === undefined ? { method } : { method, params });
  return method?.startsWith("ui/") ? `unknown method ${method}` : undefined;
}

function check(name: string, value: unknown): string | undefined {
  const valid = validator(name);
  return valid(value) ? undefined : `${name}: ${ajv.errorsText(valid.errors)} in ${JSON.stringify(value)}`;
}
