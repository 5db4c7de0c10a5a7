/** A frame and its host page as two windows that talk by `postMessage`, recorded and checked against the official schema. */
import { vi } from "vitest";
import { Bridge } from "../src/bridge.js";
import { violation } from "./schema.js";

export interface Message {
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

export const HOST_ORIGIN = "https://host.example";

export class Frame {
  /** The view's window; hosts post to it. */
  readonly window = Object.assign(new EventTarget(), {
    document,
    postMessage: (data: unknown) => this.#deliverChecked(data),
  }) as unknown as Window;
  readonly fromView: { message: Message; targetOrigin: string }[] = [];
  readonly toView: Message[] = [];
  /** What was wrong with any message, of either side. */
  readonly violations: string[] = [];
  readonly bridge: Bridge;

  /** The page around the frame as the view sees it; what arrives here is dispatched on the real test window. */
  readonly #host = {
    postMessage: (data: unknown, targetOrigin: string) => {
      const message = structuredClone(data) as Message;
      this.fromView.push({ message, targetOrigin });
      this.#check(message, this.toView);
      dispatch(window, message, this.window, "null");
    },
  };

  constructor() {
    Object.assign(this.window, { parent: this.#host });
    this.bridge = new Bridge(this.window);
  }

  /** Delivers a message to the view, from its host unless told otherwise. */
  deliver(data: unknown, source: unknown = this.#host, origin = HOST_ORIGIN): void {
    dispatch(this.window, structuredClone(data), source, origin);
  }

  /** As an official host sends it: the message must be what the protocol says. */
  #deliverChecked(data: unknown): void {
    const message = structuredClone(data) as Message;
    this.#check(
      message,
      this.fromView.map((sent) => sent.message),
    );
    this.toView.push(message);
    this.deliver(message);
  }

  #check(message: Message, asked: Message[]): void {
    const found = violation(message, asked);
    if (found) this.violations.push(found);
  }

  /** The first message the view sent that has this method, waited for. */
  sent(method: string): Promise<Message> {
    return vi.waitUntil(() => this.fromView.map((sent) => sent.message).find((message) => message.method === method));
  }

  /** What the view answered to the request with this id, waited for. */
  answerTo(id: string | number): Promise<Message> {
    return vi.waitUntil(() =>
      this.fromView.map((sent) => sent.message).find((message) => message.id === id && !message.method),
    );
  }
}

/** As a browser does it: in a task of its own, and with the sender stated. */
function dispatch(target: EventTarget, data: unknown, source: unknown, origin: string): void {
  setTimeout(() => target.dispatchEvent(Object.assign(new Event("message"), { data, source, origin })));
}
