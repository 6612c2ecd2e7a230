import { defineConfig } from "vitest/config";

/** Tests that run the real engine: it is obtained, and the packed package is installed, once for all of them. */
const engine = {
  globalSetup: "test/engine/setup.ts",
  hookTimeout: 300_000,
  sequence: { concurrent: true },
  maxConcurrency: 2,
  maxWorkers: 2,
};

/** Tests that need more than this process: a browser, the built command, servers and proxies of their own. */
const INTEGRATION = ["test/**/*.browser.test.ts", "test/**/*.process.test.ts", "test/scripts/*.test.ts"];

export default defineConfig({
  test: {
    coverage: {
      include: ["src/**"],
      // These run in browsers.
      exclude: ["src/simulator/ui/browser/**"],
      // Code that runs in processes of its own is tested and not counted: the CLI, and all that the engine runs.
      thresholds: { lines: 88, statements: 88, functions: 85, branches: 84 },
    },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: [...INTEGRATION, "test/engine/**", "test/chaos/**"],
        },
      },
      { extends: true, test: { name: "integration", include: INTEGRATION } },
      {
        extends: true,
        test: { ...engine, name: "engine", include: ["test/engine/*.test.ts"], testTimeout: 300_000 },
      },
      {
        // The long ones, for a command of their own: npm run chaos.
        extends: true,
        test: { ...engine, name: "chaos", include: ["test/chaos/*.test.ts"], testTimeout: 3_600_000 },
      },
    ],
  },
});
