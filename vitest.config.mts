import { defineConfig } from "vitest/config";

/** Tests that run the real engine: it is got, and the packed package is installed, once for all of them. */
const engine = {
  globalSetup: "test/engine/setup.mts",
  hookTimeout: 300_000,
  sequence: { concurrent: true },
  maxConcurrency: 2,
  maxWorkers: 2,
};

export default defineConfig({
  test: {
    coverage: {
      include: ["src/**"],
      // Browsers run these.
      exclude: ["src/simulator/ui/browser/**"],
      // What runs in processes of its own is tested and not counted: the CLI, and all that the engine runs.
      thresholds: { lines: 88, statements: 88, functions: 85, branches: 84 },
    },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: [
            "test/*.test.ts",
            "test/setup/*.test.mts",
            "test/faults/*.test.mts",
            "test/model/*.test.mts",
            "test/simulator/*.test.ts",
            "test/drift/*.test.mts",
          ],
        },
      },
      {
        extends: true,
        test: { ...engine, name: "engine", include: ["test/engine/*.test.mts"], testTimeout: 300_000 },
      },
      {
        // The long ones, for a command of their own: npm run chaos.
        extends: true,
        test: { ...engine, name: "chaos", include: ["test/chaos/*.test.mts"], testTimeout: 3_600_000 },
      },
    ],
  },
});
