import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parseBehaviorTexts } from "../src/cli/simulator.js";
import { startSimulator } from "../src/simulator/index.js";
import { runWithoutTerminal } from "./doctor/run-doctor.js";

const PAGE = readFileSync(join(import.meta.dirname, "../docs/doctor.md"), "utf8");
/** A command that starts a simulator, and below it what the doctor prints. */
const REPORTS = [...PAGE.matchAll(/`npx pulumi-webhooks simulator(.*)`\n\n```text\n([\s\S]*?)```/g)].map(
  ([, options = "", report]) => ({ options, report }),
);

it("docs/doctor.md shows two reports", () => {
  expect(REPORTS).toHaveLength(2);
});

it.each(REPORTS)(
  "docs/doctor.md shows what the doctor prints about a simulator$options",
  async ({ options, report }) => {
    const behavior = options.split(" --behavior ").slice(1);
    const simulator = await startSimulator({ behavior: parseBehaviorTexts(behavior) });
    onTestFinished(() => simulator.close());
    const env = { WEBHOOKS_BASE_URL: simulator.url, WEBHOOKS_API_KEY: simulator.apiKey };
    const { out } = await runWithoutTerminal(env);
    const shown = out
      .replaceAll(simulator.url, "https://api.example.com/v1")
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "2026-01-01T12:00:00Z");
    expect(report).toBe(shown);
  },
);
