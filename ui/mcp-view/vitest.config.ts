import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "jsdom",
    include: ["test/*.test.ts"],
    setupFiles: ["test/setup.ts"],
    restoreMocks: true,
    testTimeout: 30_000,
    // Where nothing works, waiting for every test to time out says no more.
    bail: 5,
    // The official transport writes every message to the console.
    onConsoleLog: (log) => !/^(Parsed|Sending|Ignoring) message/.test(log),
  },
});
