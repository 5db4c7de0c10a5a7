/**
 * One JSON-RPC 2.0 conversation with another window.
 *
 * Only messages from that very window count, and from the first one on only those of its origin. The origin cannot be
 * known before: a sandboxed frame is told nothing about the page around it.
 */
import type { JsonObject } from "./protocol.js";

/** Standard code of an answer to a request that the receiver does not offer. */
export const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

/** A page that floods its host is broken; refusing early makes that visible. */
const MAX_PENDING_REQUESTS = 100;

/** An error that travels in a response. */
export class RpcError extends Error {
  override readonly name = "RpcError";

  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** What the other side may ask of us. */
export interface PeerHandlers {
  /** Answers a request; a thrown `RpcError` becomes the error response. */
  request(method: string, params: JsonObject): Promise<JsonObject>;
  notification(method: string, params: JsonObject): void;
}

/** The part of `Window` that a conversation needs. */
export type OwnWindow = Pick<Window, "addEventListener" | "removeEventListener">;
export type OtherWindow = Pick<Window, "postMessage">;

type Id = string | number;

interface Pending {
  resolve(result: JsonObject): void;
  reject(error: Error): void;
}

export class Peer {
  readonly #pending = new Map<Id, Pending>();
  #lastId = 0;
  #origin: string | undefined;

  constructor(
    readonly own: OwnWindow,
    readonly other: OtherWindow,
    readonly handlers: PeerHandlers,
  ) {
    own.addEventListener("message", this.#receive);
  }

  /** Stops listening and fails what is still waiting. */
  close(): void {
    this.own.removeEventListener("message", this.#receive);
    for (const { reject } of this.#pending.values()) reject(new Error("the view was closed"));
    this.#pending.clear();
  }

  notify(method: string, params: JsonObject): void {
    this.#send({ method, params });
  }

  /** Asks and waits for the answer, for at most `timeout` milliseconds (for ever without one). */
  request(method: string, params: JsonObject, timeout?: number): Promise<JsonObject> {
    if (this.#pending.size >= MAX_PENDING_REQUESTS) {
      return Promise.reject(new Error(`cannot send ${method}: ${MAX_PENDING_REQUESTS} requests are still unanswered`));
    }
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = timeout === undefined ? undefined : setTimeout(() => this.#expire(id, method, timeout), timeout);
      const settle = () => clearTimeout(timer);
      this.#pending.set(id, {
        resolve: (result) => (settle(), resolve(result)),
        reject: (error) => (settle(), reject(error)),
      });
      this.#send({ id, method, params });
    });
  }

  #expire(id: Id, method: string, timeout: number): void {
    this.notify("notifications/cancelled", { requestId: id, reason: "timeout" });
    this.#take(id)?.reject(new Error(`the host did not answer ${method} within ${timeout / 1000} s`));
  }

  #take(id: Id): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #send(message: JsonObject): void {
    this.other.postMessage({ jsonrpc: "2.0", ...message }, this.#target);
  }

  /** An opaque origin cannot be named, so the window is then the only address. */
  get #target(): string {
    return this.#origin && this.#origin !== "null" ? this.#origin : "*";
  }

  readonly #receive = (event: MessageEvent): void => {
    const message: unknown = event.data;
    if (event.source !== this.other || !isObject(message) || message["jsonrpc"] !== "2.0") return;
    if (event.origin !== (this.#origin ??= event.origin)) return;

    const { id, method } = message;
    const params = isObject(message["params"]) ? message["params"] : {};
    if (typeof method !== "string") {
      if (isId(id)) this.#settle(id, message);
    } else if (isId(id)) {
      void this.#answer(id, method, params);
    } else if (id === undefined) {
      this.handlers.notification(method, params);
    }
  };

  #settle(id: Id, { result, error }: JsonObject): void {
    if (isObject(error)) {
      const code = typeof error["code"] === "number" ? error["code"] : INTERNAL_ERROR;
      this.#take(id)?.reject(new RpcError(code, String(error["message"] ?? "the host refused")));
    } else {
      this.#take(id)?.resolve(isObject(result) ? result : {});
    }
  }

  async #answer(id: Id, method: string, params: JsonObject): Promise<void> {
    try {
      this.#send({ id, result: await this.handlers.request(method, params) });
    } catch (cause) {
      const code = cause instanceof RpcError ? cause.code : INTERNAL_ERROR;
      this.#send({ id, error: { code, message: cause instanceof Error ? cause.message : String(cause) } });
    }
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is Id {
  return typeof value === "string" || typeof value === "number";
}
