import { expect } from "vitest";
import type { StoredWebhook } from "../../../simulator/src/index.js";
import type { Properties, ReadResult, Result } from "../../../src/lifecycle/run.js";
import { readPast } from "../../../src/record/past.js";
import { declare, startRun } from "../runs.js";
import { api } from "../simulator.js";
import { odd } from "./odd-times.js";

export interface Declaration {
  url: string;
  name: string;
  enabled: boolean;
}

/** The kinds of drift that a refresh shows. */
export const KINDS = ["gone", "name", "enabled", "changedOutsidePulumi"] as const;
type Shown = (typeof KINDS)[number];

/** The figures of all histories. */
export const figures = {
  refreshes: 0,
  /** The number of probed webhooks. */
  probes: 0,
  /** The drift that was shown, by kind. */
  shown: { gone: 0, name: 0, enabled: 0, changedOutsidePulumi: 0 } satisfies Record<Shown, number>,
  ups: 0,
};

/** A webhook in the state. */
interface Recorded extends Result {
  inputs: Properties;
}

/** Starts a provider process that probes. */
const startProbing = () => startRun({ drift: "probe", baseUrl: odd.url });

/** A stack whose webhooks are refreshed with a probe, and a person at the dashboard. */
export class World {
  readonly #program = new Map<string, Declaration>();
  readonly #records = new Map<string, Recorded>();
  /** When a webhook that was edited in the dashboard had changed before, by its id, until an update sends all its fields. */
  readonly #edited = new Map<string, number>();
  /** Whether the API has not changed how it writes times. */
  isSteady = true;

  /** Moves the API's clock, the only one that counts. */
  pass(seconds: number): void {
    api.behavior.clockSkewSeconds += seconds;
  }

  /** Edits the webhook of a resource in the dashboard, if it exists. */
  edit(resource: string, act: (id: string) => void): void {
    const { id, updatedAt } = this.#webhookOf(this.#records.get(resource)) ?? {};
    if (id === undefined) return;
    act(id);
    if (!this.#edited.has(id)) this.#edited.set(id, Date.parse(updatedAt ?? ""));
  }

  /** Changes the program and runs an up. */
  async declare(resource: string, declaration: Declaration): Promise<void> {
    await this.#forgetGone();
    this.#program.set(resource, declaration);
    await this.up();
  }

  /** Runs an up, and checks that it leaves nothing to do. It reverts every edit that a refresh has recorded. */
  async up(): Promise<void> {
    await this.#forgetGone();
    api.clearCalls();
    figures.ups++;
    await this.#apply();
    for (const { operation, body } of api.calls)
      if (operation === "update") this.#edited.delete(Object(body).webhook_id);
    expect(await this.#apply({ isPreview: true })).toBe(0);
    for (const [resource, record] of this.#records)
      if (!this.#edited.has(record.id))
        expect(this.#webhookOf(record)).toMatchObject({ ...this.#program.get(resource) });
  }

  /** Refreshes the stack or previews a refresh, and compares the shown drift with the real one. */
  async refresh({ keep }: { keep: boolean }): Promise<void> {
    // Webhooks that an earlier refresh found to be gone are created by the next up.
    let planned = this.#program.size - this.#records.size;
    const run = startProbing();
    const reading = [...this.#records].map(async ([resource, record]) => {
      const expected = this.#expected(resource, record);
      const found = await run.read(record.id, structuredClone(record.outputs));
      return { resource, record, expected, found };
    });
    figures.refreshes++;
    for (const { resource, record, expected, found } of await Promise.all(reading)) {
      const shown = this.#shown(resource, found && { ...record, ...found });
      const falseAlarms = shown.filter((kind) => !expected.may.includes(kind));
      const missed = expected.must.filter((kind) => !shown.includes(kind));
      const evidence = JSON.stringify({ recorded: record.outputs, read: found?.outputs });
      expect({ resource, falseAlarms, missed }, evidence).toEqual({ resource, falseAlarms: [], missed: [] });
      figures.probes++;
      for (const kind of shown) figures.shown[kind]++;
      if (shown.length > 0) planned++;
      if (keep) this.#record(resource, found && { ...record, ...found });
    }
    if (keep) expect(await this.#apply({ isPreview: true })).toBe(planned);
  }

  /** Goes through the steps of an up as an engine does. @returns how many webhooks change. */
  async #apply({ isPreview = false } = {}): Promise<number> {
    const run = startProbing();
    const applied = [...this.#program].map(async ([resource, declaration]): Promise<number> => {
      const record = this.#records.get(resource);
      const past = record === undefined ? ({ kind: "new" } as const) : readPast(record);
      const webhook = declare(run, { urn: resource, past });
      const inputs = { ...declaration };
      expect(await webhook.check(record?.inputs ?? {}, inputs)).toEqual([]);
      const difference = record && (await webhook.diff(record.id, record.outputs, inputs));
      expect(difference ?? {}).not.toHaveProperty("replaces");
      const changes = difference?.changes !== false;
      if (isPreview) return Number(changes);
      const result =
        record === undefined
          ? await webhook.create(inputs)
          : changes
            ? await webhook.update(record.id, record.outputs, inputs)
            : record;
      this.#record(resource, { ...result, inputs });
      return Number(changes);
    });
    return (await Promise.all(applied)).reduce((all, count) => all + count, 0);
  }

  #record(resource: string, record: Recorded | undefined): void {
    if (record === undefined) this.#records.delete(resource);
    else this.#records.set(resource, record);
  }

  /** Refreshes if a webhook is gone: an update of it would fail. */
  async #forgetGone(): Promise<void> {
    const isGone = [...this.#records.values()].some((record) => this.#webhookOf(record) === undefined);
    if (isGone) await this.refresh({ keep: true });
  }

  /** Returns the drift that must be shown of a webhook, and the drift that may be. */
  #expected(resource: string, record: Recorded): Record<"must" | "may", readonly Shown[]> {
    const webhook = this.#webhookOf(record);
    if (webhook === undefined) return { must: ["gone"], may: ["gone"] };
    const declared = this.#program.get(resource);
    const fields = (["name", "enabled"] as const).filter((field) => webhook[field] !== declared?.[field]);
    const may = [...fields, "changedOutsidePulumi"] as const;
    // A name that changes without its time is the API's own form of it.
    const isForm = webhook.name === record.outputs.apiName || !this.#isLate(webhook);
    const shown = fields.filter((field) => field !== "name" || !isForm);
    const must = [...shown, "changedOutsidePulumi"] as const;
    if (record.outputs.changedOutsidePulumi !== undefined) return { must, may };
    if (!this.#edited.has(record.id)) return { must: [], may: [] };
    return { must: this.#canBeDated(webhook) ? must : shown, may };
  }

  /** Reports whether the time of an edit must reveal it: replies contain it, and it is close neither to the known time nor to now. */
  #canBeDated(webhook: StoredWebhook): boolean {
    const { zone, date } = odd.oddities;
    const { emptyUpdate, clockSkewSeconds } = api.behavior;
    const isReadable = zone !== "epoch" && zone !== "local" && date !== "none";
    if (!this.isSteady || !isReadable || emptyUpdate !== "leaves updated_at") return false;
    const edited = Date.parse(webhook.updatedAt);
    const now = Date.now() + clockSkewSeconds * 1000;
    // With seconds to spare: on a slow machine a probe takes long, and a change during it cannot be dated.
    const isOld = now - edited > (date === "coarse" ? 18_000 : 8000);
    return isOld && this.#isLate(webhook);
  }

  /** Reports whether the edit of a webhook was surely later than what was known before. */
  #isLate({ id, updatedAt }: StoredWebhook): boolean {
    const edited = Date.parse(updatedAt);
    return edited - (this.#edited.get(id) ?? edited) > 3000;
  }

  #shown(resource: string, record: (ReadResult & Recorded) | undefined): Shown[] {
    if (record === undefined) return ["gone"];
    const { inputs, outputs } = record;
    const declared = this.#program.get(resource);
    // The outputs make the engine plan an update, and the inputs make it show the drift.
    expect(inputs.changedOutsidePulumi).toBe(outputs.changedOutsidePulumi);
    return [
      ...(["name", "enabled"] as const).filter((field) => inputs[field] !== declared?.[field]),
      ...(outputs.changedOutsidePulumi === undefined ? [] : (["changedOutsidePulumi"] as const)),
    ];
  }

  #webhookOf(record: Recorded | undefined): StoredWebhook | undefined {
    return api.webhooks.find((webhook) => webhook.id === record?.id);
  }
}
