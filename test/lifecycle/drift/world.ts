import { expect } from "vitest";
import type { StoredWebhook } from "../../../simulator/src/index.js";
import type { Properties, Result } from "../../../src/lifecycle/values.js";
import { readPast } from "../../../src/record/past.js";
import { declare, startRun } from "../runs.js";
import { api } from "../simulator.js";

export interface Declaration {
  url: string;
  name: string;
  enabled: boolean;
}

export const KINDS = ["gone", "name", "enabled", "changedOutsidePulumi"] as const;
type Shown = (typeof KINDS)[number];

/** The figures of all histories. */
export const figures = {
  refreshes: 0,
  probes: 0,
  shown: { gone: 0, name: 0, enabled: 0, changedOutsidePulumi: 0 } satisfies Record<Shown, number>,
};

const startProbing = () => startRun({ drift: "probe" });

/** Refreshes webhooks in one run, or previews that. */
export async function refresh(webhooks: readonly Managed[], keeps: boolean): Promise<void> {
  figures.refreshes++;
  const run = startProbing();
  await Promise.all(webhooks.map((webhook) => webhook.read(run, keeps)));
}

/** A webhook that the program declares, in a stack whose webhooks are refreshed with a probe. */
export class Managed {
  declared: Declaration;
  #recorded: (Result & { inputs: Properties }) | undefined;
  /** When it had changed before somebody edited it in the dashboard, until an update sends all its fields. */
  #changedBefore: number | undefined;

  constructor(declared: Declaration) {
    this.declared = declared;
  }

  /** Reports whether an update would fail: a refresh comes first. */
  get isGone(): boolean {
    return this.#recorded !== undefined && this.#webhook === undefined;
  }

  get #webhook(): StoredWebhook | undefined {
    return api.webhooks.find(({ id }) => id === this.#recorded?.id);
  }

  edit(act: (id: string) => void): void {
    const { id, updatedAt } = this.#webhook ?? {};
    if (id === undefined || updatedAt === undefined) return;
    act(id);
    this.#changedBefore ??= Date.parse(updatedAt);
  }

  /** Runs an up, which leaves nothing to do. It reverts every edit that a refresh has recorded. */
  async up(): Promise<void> {
    const inputs = { ...this.declared };
    const recorded = this.#recorded;
    if (recorded === undefined || (await this.#hasChanges())) {
      const past =
        recorded === undefined ? ({ kind: "new" } as const) : readPast(recorded.id, recorded.outputs);
      const webhook = declare(startProbing(), { past });
      const result =
        recorded === undefined
          ? webhook.declareNew(inputs)
          : webhook.update(recorded.id, recorded.outputs, inputs);
      this.#recorded = { ...(await result), inputs };
      this.#changedBefore = undefined;
    }
    expect(await this.#hasChanges()).toBe(false);
    if (this.#changedBefore === undefined) expect(this.#webhook).toMatchObject(inputs);
  }

  /** Reports whether a preview shows a change. */
  async #hasChanges(): Promise<boolean> {
    if (this.#recorded === undefined) return true;
    const webhook = declare(startProbing(), { past: readPast(this.#recorded.id, this.#recorded.outputs) });
    return (await webhook.plan(this.#recorded.id, this.#recorded.outputs, { ...this.declared })).changes;
  }

  /** Reads it, and compares the shown drift with the real one. */
  async read(run: ReturnType<typeof startRun>, keeps: boolean): Promise<void> {
    const recorded = this.#recorded;
    if (recorded === undefined) return;
    const expected = this.#expected(recorded.outputs);
    const found = await run.read(recorded.id, structuredClone(recorded.outputs));
    const next = found && { ...recorded, ...found };
    const shown = this.#shown(next);
    const falseAlarms = shown.filter((kind) => !expected.may.includes(kind));
    const missed = expected.must.filter((kind) => !shown.includes(kind));
    const evidence = JSON.stringify({ recorded: recorded.outputs, read: found?.outputs });
    expect({ falseAlarms, missed }, evidence).toEqual({ falseAlarms: [], missed: [] });
    figures.probes++;
    for (const kind of shown) figures.shown[kind]++;
    if (!keeps) return;
    this.#recorded = next;
    // The first time is what later probes compare with.
    const isFirst = recorded.outputs.updatedAt === undefined && next?.outputs.updatedAt !== undefined;
    if (isFirst && this.#webhook && this.#changedBefore !== undefined)
      this.#changedBefore = Date.parse(this.#webhook.updatedAt);
    expect(await this.#hasChanges()).toBe(shown.length > 0);
  }

  /** Returns the drift that must be shown, and the drift that may be. */
  #expected({
    apiName,
    changedOutsidePulumi,
    updatedAt,
  }: Properties): Record<"must" | "may", readonly Shown[]> {
    const webhook = this.#webhook;
    if (webhook === undefined) return { must: ["gone"], may: ["gone"] };
    const fields = (["name", "enabled"] as const).filter((field) => webhook[field] !== this.declared[field]);
    const may = [...fields, "changedOutsidePulumi"] as const;
    // A name that changes without its time is the API's own form of it.
    const isForm = webhook.name === apiName || !this.#isLate(webhook);
    const shown = fields.filter((field) => field !== "name" || !isForm);
    const must = [...shown, "changedOutsidePulumi"] as const;
    if (changedOutsidePulumi !== undefined) return { must, may };
    if (this.#changedBefore === undefined) return { must: [], may: [] };
    return { must: updatedAt !== undefined && this.#canBeDated(webhook) ? must : shown, may };
  }

  /** Reports whether the time of an edit must reveal it: replies contain it, and it is close neither to the known time nor to now. */
  #canBeDated(webhook: StoredWebhook): boolean {
    const { emptyUpdate, clockSkewSeconds } = api.behavior;
    const now = Date.now() + clockSkewSeconds * 1000;
    const isOld = now - Date.parse(webhook.updatedAt) > 4000;
    return emptyUpdate === "leaves updated_at" && isOld && this.#isLate(webhook);
  }

  /** Reports whether the edit was surely later than what was known before. */
  #isLate({ updatedAt }: StoredWebhook): boolean {
    const edited = Date.parse(updatedAt);
    return edited - (this.#changedBefore ?? edited) > 3000;
  }

  #shown(read: (Result & { inputs: Properties }) | undefined): Shown[] {
    if (read === undefined) return ["gone"];
    const { inputs, outputs } = read;
    // The outputs make the engine plan an update, and the inputs make it show the drift.
    expect(inputs.changedOutsidePulumi).toBe(outputs.changedOutsidePulumi);
    return [
      ...(["name", "enabled"] as const).filter((field) => inputs[field] !== this.declared[field]),
      ...(outputs.changedOutsidePulumi === undefined ? [] : (["changedOutsidePulumi"] as const)),
    ];
  }
}
