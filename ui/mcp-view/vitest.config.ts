import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "jsdom",
    include: ["test/*.test.ts"],
    setupFiles: ["test/setup.ts"],
    restoreMocks: true,
    // The official transport writes every message to the console.
    onConsoleLog: (log) => !/^(Parsed|Sending|Ignoring) message/.test(log),
  },
});
