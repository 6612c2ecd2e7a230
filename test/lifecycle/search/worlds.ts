import { it } from "vitest";
import { report } from "../../figures.js";
import { type SearchOptions, search } from "./search.js";

/** By how many steps the histories are longer than in npm test: npm run chaos sets it. */
const MORE_STEPS = Number(process.env.SEARCH_MORE_STEPS ?? 0);

const ALL = { kind: "all", areDeployed: true, drift: "off", depth: 1 } as const;
const ORDINARY = { ...ALL, kind: "ordinary" } as const;
const FORCED = { ...ORDINARY, drift: "probe", refresh: "always" } as const;
const NEW = { areDeployed: false } as const;

const WORLDS: Record<string, Omit<SearchOptions, "face">> = {
  "one webhook": { ...ALL, ...NEW, names: ["a"], depth: 2 },
  "one webhook that exists, with the probe": { ...ALL, names: ["a"], drift: "probe" },
  "two webhooks that look alike": { ...ALL, ...NEW, names: ["a", "b"] },
  "two that look alike and exist": { ...ALL, names: ["a", "b"] },
  "two of two Providers": { ...ALL, ...NEW, names: ["a", "eu-b"] },
  "two of two Providers that exist": { ...ALL, names: ["a", "eu-b"] },
  "one webhook, with another account's key at times": { ...ORDINARY, ...NEW, names: ["a"], depth: 2 },
  "two of two accounts that number alike": { ...ORDINARY, names: ["a", "other-b"] },
  "one webhook, with refreshes that the engine forces": { ...FORCED, names: ["a"], depth: 2 },
  "two, with refreshes that the engine forces": { ...FORCED, names: ["a", "b"] },
};

export const searchWith = (face: SearchOptions["face"]) =>
  it.for(Object.entries(WORLDS))(
    `keeps all promises with the ${face} face in every history of %s`,
    { timeout: 7_200_000 },
    async ([what, world], context) => {
      const counted = await search({ ...world, face, depth: world.depth + MORE_STEPS });
      report(context, `${face}, ${what}: ${counted}`);
    },
  );
