import { it } from "vitest";
import { report } from "../../figures.js";
import { search } from "./search.js";

/** By how many steps the histories are longer than in npm test: npm run chaos sets it. */
const MORE_STEPS = Number(process.env.SEARCH_MORE_STEPS ?? 0);

it.for([
  { what: "one webhook", names: ["a"], areDeployed: false, drift: "off", depth: 2 },
  { what: "one webhook that exists", names: ["a"], areDeployed: true, drift: "off", depth: 2 },
  { what: "one webhook with the probe", names: ["a"], areDeployed: false, drift: "probe", depth: 1 },
  {
    what: "one webhook that exists, with the probe",
    names: ["a"],
    areDeployed: true,
    drift: "probe",
    depth: 1,
  },
  { what: "two webhooks that look alike", names: ["a", "b"], areDeployed: false, drift: "off", depth: 1 },
  { what: "two that look alike and exist", names: ["a", "b"], areDeployed: true, drift: "off", depth: 1 },
  { what: "two of two Providers", names: ["a", "eu-b"], areDeployed: false, drift: "off", depth: 1 },
  {
    what: "two of two Providers that exist",
    names: ["a", "eu-b"],
    areDeployed: true,
    drift: "off",
    depth: 1,
  },
] as const)(
  "keeps all promises in every history of $what",
  { timeout: 7_200_000 },
  async ({ what, depth, ...options }, context) => {
    const counted = await search({ ...options, renamed: "c", depth: depth + MORE_STEPS });
    report(context, `${what}: ${counted}`);
  },
);
