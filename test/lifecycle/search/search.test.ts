import { it } from "vitest";
import { report } from "../../figures.js";
import { search } from "./search.js";

/** By how many steps the histories are longer than in npm test: npm run chaos sets it. */
const MORE_STEPS = Number(process.env.SEARCH_MORE_STEPS ?? 0);

const WORLDS = [
  ["one webhook", ["a"], false, "off", 2],
  ["one webhook that exists", ["a"], true, "off", 1],
  ["one webhook with the probe", ["a"], false, "probe", 1],
  ["one webhook that exists, with the probe", ["a"], true, "probe", 1],
  ["two webhooks that look alike", ["a", "b"], false, "off", 1],
  ["two that look alike and exist", ["a", "b"], true, "off", 1],
  ["two of two Providers", ["a", "eu-b"], false, "off", 1],
  ["two of two Providers that exist", ["a", "eu-b"], true, "off", 1],
] as const;

it.for((["dynamic", "plugin"] as const).flatMap((face) => WORLDS.map((world) => [face, ...world] as const)))(
  "keeps all promises with the %s face in every history of %s",
  { timeout: 7_200_000 },
  async ([face, what, names, areDeployed, drift, steps], context) => {
    const depth = steps + MORE_STEPS;
    const counted = await search({ names, areDeployed, face, drift, depth });
    report(context, `${face}, ${what}: ${counted}`);
  },
);
