import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// A test belongs to a class by what it needs, which its name or its folder says. The classes run one after the other.

/** Other processes, a browser, other networks, or minutes; or it measures the memory and the time of this process. */
const MACHINE = [
  "{test,simulator/test}/**/*.{browser,process}.test.ts",
  "test/scripts/*.test.ts",
  "test/client/faults/bounds.test.ts",
  "test/lifecycle/drift/false-alarms.test.ts",
  "test/lifecycle/search/*.test.ts",
];

/** The Pulumi engine. The set-up provides it, and installs the packed package, once for all of them. */
const ENGINE = ["test/{e2e,examples}/*.slow.test.ts", "test/e2e/!(*.long).test.ts"];

/** The Pulumi engine with what stands around it: languages, backends, pipelines. */
const LONG = ["test/**/*.long.test.ts"];

/** The Pulumi engine, for hours. */
const CHAOS = ["test/chaos/*.test.ts"];

/** Limits for what never ends, not for what a busy machine makes slow. */
const MINUTE = 60_000;
const engine = { globalSetup: "test/support/setup.ts", hookTimeout: 10 * MINUTE };

export default defineConfig({
  test: {
    // Most tests wait: for processes, or for time to pass.
    maxWorkers: 2 * availableParallelism(),
    coverage: {
      include: ["src/**", "simulator/src/**"],
      exclude: [
        // Tested as commands, in processes of their own, which are not counted.
        "src/commands/{index,pulumi-resource-webhooks}.ts",
        "simulator/src/bin.ts",
        "src/commands/{drift/drift,resolve/resolve}-command.ts",
        "src/commands/resolve/{find-unresolved,write-state}.ts",
        "src/pulumi/refuse-old-node.ts",
      ],
      thresholds: { lines: 92, statements: 91, functions: 90, branches: 90 },
    },
    projects: [
      {
        // This process alone, with its own loopback interface: runs anywhere, however busy the machine is.
        extends: true,
        test: {
          name: "unit",
          include: ["{test,simulator/test}/**/*.test.ts"],
          exclude: [...MACHINE, ...ENGINE, ...LONG, ...CHAOS],
          testTimeout: MINUTE,
          hookTimeout: MINUTE,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "machine",
          include: MACHINE,
          testTimeout: 2 * MINUTE,
          hookTimeout: 2 * MINUTE,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // npm test leaves out *.slow.test.ts.
        extends: true,
        test: {
          ...engine,
          name: "engine",
          include: ENGINE,
          testTimeout: 20 * MINUTE,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // Run by npm run test:long.
        extends: true,
        test: { ...engine, name: "long", include: LONG, testTimeout: 20 * MINUTE },
      },
      {
        // Run by npm run chaos.
        extends: true,
        test: { ...engine, name: "chaos", include: CHAOS, testTimeout: 60 * MINUTE },
      },
    ],
  },
});
