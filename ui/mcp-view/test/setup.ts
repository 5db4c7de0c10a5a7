import { beforeEach } from "vitest";

/** jsdom has no layout; tests of sizes set heights and fire the observers themselves. */
export class FakeResizeObserver {
  static readonly all: FakeResizeObserver[] = [];
  active = true;

  constructor(readonly fire: () => void) {
    FakeResizeObserver.all.push(this);
  }
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {
    this.active = false;
  }
}

Object.assign(globalThis, { ResizeObserver: FakeResizeObserver });

beforeEach(() => {
  FakeResizeObserver.all.length = 0;
  document.documentElement.removeAttribute("style");
  document.documentElement.removeAttribute("data-theme");
  document.head.replaceChildren();
});
