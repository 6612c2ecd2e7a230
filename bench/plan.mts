// The measurements: their sizes and their order. Contestants alternate, so that a slow minute of the machine affects all.

import type { Api, ApiOptions, Requests } from "./api.mts";
import { startApi } from "./api.mts";
import type { ProviderContestant } from "./provider-process.mts";
import { firstCall, loading, memoryOverCalls } from "./provider-process.mts";
import type { Contestant, Figures, Options, Stack, StateFormat, Workshop } from "./stacks.mts";
import { CliError, CONTESTANTS, STATE_FORMATS } from "./stacks.mts";

export type Scenario =
  | "up"
  | "up with checkpoints"
  | "preview"
  | "refresh"
  | "preview without changes"
  | "up without changes"
  | "state format"
  | "journal"
  | "rate limit"
  | "latency"
  | "load"
  | "first call"
  | "resident memory"
  | "live memory";

/** One measurement of one contestant. A scenario omits what it does not measure. */
export interface Sample extends Partial<Figures> {
  scenario: Scenario;
  contestant: Contestant | "@pulumi/pulumi alone";
  /** The number of webhooks, or of calls. */
  count: number;
  parallel?: number;
  /** Whether the package could read the stack's state at the start of the program. */
  readsState?: boolean;
  format?: StateFormat;
  keepsJournal?: boolean;
  stateBytes?: number;
  requests?: Requests;
  /** The CLI ended with an error. */
  failed?: true;
  /** The memory of the provider's process after each 1,000 calls. */
  megabytes?: number[];
}

export interface Sizes {
  /** The webhooks of an up without checkpoints. */
  count: number;
  /** The webhooks of an up with checkpoints. */
  saved: number;
  rounds: number;
  /** The calls to the provider's process. */
  calls: number;
  /** The stack sizes at which the reading of the state is measured. Figures of earlier versions have none. */
  reading?: number[];
  /** The stack sizes that show the growth, with checkpoints and without. */
  growth: { saved: number[]; unsaved: number[] };
}

export const SHORT: Sizes = {
  count: 300,
  saved: 300,
  rounds: 3,
  calls: 3000,
  reading: [10, 300],
  growth: { saved: [10, 100], unsaved: [10, 100] },
};
export const LONG: Sizes = {
  count: 1000,
  saved: 500,
  rounds: 5,
  calls: 10_000,
  reading: [10, 1000],
  growth: { saved: [10, 100, 1000], unsaved: [10, 100, 2000] },
};

/** The contestants whose cost is compared at every size. */
export const MANY: Contestant[] = ["pulumi-webhooks", "plugin", "no-op", "built-in", "naive-fetch"];
const LATENCY_MILLISECONDS = 50;
export const RATE_LIMIT = { perSecond: 20, burst: 20, headers: false };
export const RATE_LIMITED = 200;

export interface Step {
  label: string;
  run: () => Promise<Sample[]>;
}

/** Lists every measurement, in order. */
export function plan(workshop: Workshop, port: number, sizes: Sizes): Step[] {
  const bench = new Bench(workshop, port);
  const rounds = Array.from({ length: sizes.rounds }, (_, round) => round);
  const inTurn = <T,>(things: readonly T[], round: number): T[] => {
    const first = round % things.length;
    return [...things.slice(first), ...things.slice(0, first)];
  };
  return [
    // The first run of a program compiles it; Pulumi keeps the result.
    ...CONTESTANTS.map((each) => bench.warmUp(each)),
    ...rounds.flatMap((round) => inTurn(MANY, round).map((each) => bench.up(each, sizes.count))),
    ...rounds.flatMap((round) => inTurn(MANY, round).map((each) => bench.life(each, sizes.saved))),
    ...rounds.flatMap((round) =>
      inTurn(["pulumi-webhooks", "sleeper"] as const, round).map((each) => bench.latency(each, sizes.count)),
    ),
    ...rounds.flatMap((round) =>
      inTurn([8, 200], round).map((parallel) => bench.rateLimit("pulumi-webhooks", parallel)),
    ),
    bench.rateLimit("naive-fetch", 8),
    ...rounds.flatMap((round) =>
      inTurn(STATE_FORMATS, round).map((each) => bench.stateFormat(each, sizes.saved)),
    ),
    // The journal costs less than the time of a run varies.
    ...[...rounds, ...rounds, ...rounds].flatMap((round) =>
      inTurn([true, false], round).map((keepsJournal) => bench.journal(keepsJournal, sizes.count)),
    ),
    ...(sizes.reading ?? []).map((count) => bench.reading(count, sizes.rounds)),
    // These take a second each.
    ...[...rounds, ...rounds, ...rounds].flatMap((round) => [
      ...inTurn([true, false], round).map((withPackage) => bench.load(withPackage)),
      ...inTurn(["pulumi-webhooks", "no-op"] as const, round).map((each) => bench.firstCall(each)),
    ]),
    ...(["resident", "live"] as const).flatMap((memory) =>
      (["pulumi-webhooks", "no-op"] as const).map((each) => bench.memory(memory, each, sizes.calls)),
    ),
    bench.up("naive-axios", 100),
    ...sizes.growth.unsaved.flatMap((count) => MANY.map((each) => bench.up(each, count))),
    ...sizes.growth.saved.flatMap((count) => MANY.map((each) => bench.savedUp(each, count))),
  ];
}

class Bench {
  readonly #workshop: Workshop;
  readonly #port: number;

  constructor(workshop: Workshop, port: number) {
    this.#workshop = workshop;
    this.#port = port;
  }

  warmUp(contestant: Contestant): Step {
    const { run } = this.up(contestant, 1);
    return { label: `warm-up: ${contestant}`, run: () => run().then(() => []) };
  }

  up(contestant: Contestant, count: number): Step {
    return this.#onStack("up", contestant, { count, checkpoints: false });
  }

  savedUp(contestant: Contestant, count: number): Step {
    return this.#onStack("up with checkpoints", contestant, { count, checkpoints: true });
  }

  stateFormat(format: StateFormat, count: number): Step {
    return this.#onStack("state format", "pulumi-webhooks", { count, checkpoints: true, format });
  }

  journal(keepsJournal: boolean, count: number): Step {
    return this.#onStack("journal", "pulumi-webhooks", { count, checkpoints: false, keepsJournal });
  }

  /** Measures an up with checkpoints, then a preview and a refresh without changes. */
  life(contestant: Contestant, count: number): Step {
    const label = `up with checkpoints, preview, refresh of ${count}: ${contestant}`;
    return {
      label,
      run: () =>
        this.#withStack(contestant, { count, checkpoints: true }, {}, async (stack, api) => [
          await upSample("up with checkpoints", { contestant, count }, stack, api),
          { scenario: "preview", contestant, count, ...(await stack.preview()) },
          { scenario: "refresh", contestant, count, ...(await stack.refresh()) },
        ]),
    };
  }

  /** Measures previews and ups that find nothing to do, with the reading of the stack's state and without, in turn. */
  reading(count: number, rounds: number): Step {
    const contestant = "pulumi-webhooks";
    return {
      label: `preview and up of ${count} without changes, with and without reading the state`,
      run: () =>
        this.#withStack(contestant, { count, checkpoints: false }, {}, async (stack) => {
          await stack.up();
          // The first run after the creates compiles and caches.
          await stack.preview();
          const samples: Sample[] = [];
          for (let round = 0; round < rounds; round++) {
            for (const readsState of round % 2 === 0 ? [true, false] : [false, true]) {
              const sample = { contestant, count, readsState } as const;
              const preview = await stack.preview({ readsState });
              samples.push({ ...sample, scenario: "preview without changes", ...preview });
              const up = await stack.up({ readsState });
              samples.push({ ...sample, scenario: "up without changes", ...up });
            }
          }
          return samples;
        }),
    };
  }

  latency(contestant: Contestant, count: number): Step {
    const api = { latencyMilliseconds: LATENCY_MILLISECONDS };
    return this.#onStack("latency", contestant, { count, parallel: 64, checkpoints: false }, api);
  }

  rateLimit(contestant: Contestant, parallel: number): Step {
    const options = { count: RATE_LIMITED, parallel, checkpoints: false };
    return this.#onStack("rate limit", contestant, options, { rateLimit: RATE_LIMIT });
  }

  load(withPackage: boolean): Step {
    const contestant = withPackage ? "pulumi-webhooks" : "@pulumi/pulumi alone";
    return {
      label: `load ${contestant}`,
      run: async () => {
        const wallSeconds = await loading({ project: this.#workshop.project, withPackage });
        return [{ scenario: "load", contestant, count: 1, wallSeconds }];
      },
    };
  }

  firstCall(contestant: ProviderContestant): Step {
    return {
      label: `first call of the provider's process: ${contestant}`,
      run: async () => {
        await using api = await this.#api();
        const wallSeconds = await firstCall({ project: this.#workshop.project, contestant, api });
        return [{ scenario: "first call", contestant, count: 1, wallSeconds }];
      },
    };
  }

  memory(memory: "resident" | "live", contestant: ProviderContestant, count: number): Step {
    return {
      label: `${memory} memory of the provider's process over ${count} calls: ${contestant}`,
      run: async () => {
        await using api = await this.#api();
        const megabytes = await memoryOverCalls({
          project: this.#workshop.project,
          api,
          calls: count,
          contestant,
          memory,
        });
        return [{ scenario: `${memory} memory`, contestant, count, megabytes }];
      },
    };
  }

  #api(options: ApiOptions = {}): Promise<Api> {
    return startApi({ ...options, port: this.#port });
  }

  #onStack(scenario: Scenario, contestant: Contestant, options: Options, api: ApiOptions = {}): Step {
    const { checkpoints: _, ...sample } = { contestant, ...options };
    const { count, parallel, format, keepsJournal } = options;
    const details = [format, parallel && `--parallel ${parallel}`, keepsJournal === false && "without it"];
    const label = `${[`${scenario} of ${count}`, ...details.filter(Boolean)].join(", ")}: ${contestant}`;
    return {
      label,
      run: () =>
        this.#withStack(contestant, options, api, async (stack, running) => [
          await upSample(scenario, sample, stack, running),
        ]),
    };
  }

  async #withStack(
    contestant: Contestant,
    options: Options,
    apiOptions: ApiOptions,
    work: (stack: Stack, api: Api) => Promise<Sample[]>,
  ): Promise<Sample[]> {
    await using api = await this.#api(apiOptions);
    await using stack = await this.#workshop.stack(contestant, options);
    return await work(stack, api);
  }
}

/** Measures an up, and checks that it created every resource and every webhook. */
async function upSample(
  scenario: Scenario,
  sample: Pick<Sample, "contestant" | "count" | "parallel" | "format" | "keepsJournal">,
  stack: Stack,
  api: Api,
): Promise<Sample> {
  const { contestant, count } = sample;
  let figures: Figures | { failed: true };
  try {
    figures = await stack.up();
  } catch (error) {
    // Naive providers are expected to fail at a rate limit.
    if (!(error instanceof CliError && scenario === "rate limit" && contestant !== "pulumi-webhooks"))
      throw error;
    figures = { failed: true };
  }
  const requests = await api.requests();
  const usesTheApi = requests.sent > 0;
  if (!("failed" in figures)) {
    const created = [await stack.resources(), ...(usesTheApi ? [requests.webhooks] : [])];
    if (created.some((number) => number !== count)) {
      throw new Error(`${contestant} created ${created.join(" and ")} of ${count}`);
    }
  }
  return {
    scenario,
    ...sample,
    ...figures,
    stateBytes: await stack.stateBytes(),
    ...(usesTheApi && { requests }),
  };
}
