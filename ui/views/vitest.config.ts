import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { "@periplus/mcp-view": fileURLToPath(new URL("test/bridge.ts", import.meta.url)) } },
  test: {
    environment: "jsdom",
    include: ["test/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Where nothing works, waiting for every test to time out says no more.
    bail: 5,
  },
});
