import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    coverage: { include: ["src/**"] },
    projects: [
      {
        extends: true,
        test: { name: "unit", include: ["test/*.test.ts", "test/setup/*.test.mts"] },
      },
      {
        extends: true,
        test: {
          name: "engine",
          include: ["test/engine/*.test.mts"],
          globalSetup: "test/engine/setup.mts",
          testTimeout: 300_000,
          hookTimeout: 300_000,
          sequence: { concurrent: true },
          maxConcurrency: 2,
          maxWorkers: 2,
        },
      },
    ],
  },
});
