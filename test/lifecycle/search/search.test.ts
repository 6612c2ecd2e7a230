import { it } from "vitest";
import { report } from "../../figures.js";
import { search } from "./search.js";

/** By how many steps the histories are longer than in npm test: npm run chaos sets it. */
const MORE_STEPS = Number(process.env.SEARCH_MORE_STEPS ?? 0);

it.for([
  { what: "one webhook", names: ["a"], drift: "off", depth: 2 },
  { what: "one webhook with the probe", names: ["a"], drift: "probe", depth: 2 },
  { what: "two webhooks that look alike", names: ["a", "b"], drift: "off", depth: 1 },
] as const)(
  "keeps all promises in every history of $what",
  { timeout: 7_200_000 },
  async ({ what, names, drift, depth }, context) => {
    report(context, `${what}: ${await search({ names, renamed: "c", drift, depth: depth + MORE_STEPS })}`);
  },
);
