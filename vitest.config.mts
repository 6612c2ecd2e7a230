import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Tests on the real engine. The set-up provides it, and installs the packed package, once for all of them. */
const engine = {
  globalSetup: "test/engine/setup.ts",
  hookTimeout: 300_000,
  sequence: { groupOrder: 1 },
};

/** Tests that need other processes: a browser, the built command, scripts. */
const INTEGRATION = ["test/**/*.browser.test.ts", "test/**/*.process.test.ts", "test/scripts/*.test.ts"];

/** Tests on the real engine that npm test has no time for. */
const SLOW = "test/**/*.slow.test.ts";

export default defineConfig({
  test: {
    // Most tests wait: for processes, or for time to pass.
    maxWorkers: 2 * availableParallelism(),
    coverage: {
      include: ["src/**"],
      exclude: [
        "src/simulator/ui/browser/**",
        // Tested as commands, in processes of their own, which are not counted.
        "src/cli/{index,drift,resolve,simulator,stack-state,provider-keys,empty-files}.ts",
        "src/refuse-old-node.ts",
      ],
      thresholds: { lines: 92, statements: 91, functions: 90, branches: 90 },
    },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: [...INTEGRATION, SLOW, "test/engine/**", "test/chaos/**", "test/pipelines/**"],
          // Before the engine's processes use all cores: some of these tests measure time.
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: "integration", include: INTEGRATION, sequence: { groupOrder: 1 } } },
      {
        extends: true,
        test: {
          ...engine,
          name: "engine",
          include: ["test/engine/*.test.ts"],
          exclude: [SLOW],
          testTimeout: 300_000,
        },
      },
      {
        // Run by npm run test:slow.
        extends: true,
        test: { ...engine, name: "slow", include: [SLOW], testTimeout: 300_000 },
      },
      {
        // Every step of the pipelines in examples, run by npm run test:pipelines.
        extends: true,
        test: {
          name: "pipelines",
          include: ["test/pipelines/*.test.ts"],
          globalSetup: "test/pipelines/setup.ts",
          hookTimeout: 300_000,
          testTimeout: 900_000,
        },
      },
      {
        // The long tests, run by npm run chaos.
        extends: true,
        test: { ...engine, name: "chaos", include: ["test/chaos/*.test.ts"], testTimeout: 3_600_000 },
      },
    ],
  },
});
