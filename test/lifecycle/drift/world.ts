import { expect } from "vitest";
import type { StoredWebhook } from "../../../src/simulator/index.js";
import { api } from "../simulator.js";
import { odd } from "./odd-times.js";
import { type Declaration, type Recorded, type Stack, startProbing, up } from "./stack.js";

/** A kind of drift that a refresh shows. */
export type Shown = (typeof KINDS)[number];

export const KINDS = ["gone", "name", "enabled", "changedOutsidePulumi"] as const;

/** The figures of all histories. */
export interface Figures {
  refreshes: number;
  /** The number of probed webhooks. */
  probes: number;
  /** The drift that was shown, by kind. */
  shown: Partial<Record<Shown, number>>;
  ups: number;
}

/** A stack whose webhooks are refreshed with a probe, and a person at the dashboard. */
export class World {
  readonly #stack: Stack = { program: new Map(), records: [] };
  readonly #figures: Figures;
  /** The ids of webhooks edited in the dashboard, until an update sends all their fields. */
  readonly #edited = new Set<string>();
  /** When each webhook last changed, if a reply contained it; NaN if the time has no zone. */
  readonly #known = new Map<string, number>();
  /** The ids of webhooks whose create returned no times, and that nothing has updated or dated since. */
  readonly #onlyCreated = new Set<string>();

  constructor(figures: Figures) {
    this.#figures = figures;
  }

  /** Moves the API's clock, the only one that counts. */
  pass(seconds: number): void {
    api.behavior.clockSkewSeconds += seconds;
  }

  /** Edits the webhook of a resource in the dashboard, if it exists. */
  edit(resource: string, act: (webhook: StoredWebhook) => void): void {
    const { id } = this.#stack.records.find((record) => record.resource === resource) ?? {};
    const webhook = id === undefined ? undefined : this.#webhook(id);
    if (webhook === undefined) return;
    act(webhook);
    this.#edited.add(webhook.id);
  }

  /** Changes the program and runs an up. */
  async declare(resource: string, declaration: Declaration): Promise<void> {
    await this.#forgetGone();
    this.#stack.program.set(resource, declaration);
    await this.up();
  }

  /** Runs an up, and checks that it leaves nothing to do. */
  async up(): Promise<void> {
    await this.#forgetGone();
    api.clearCalls();
    this.#figures.ups++;
    const old = new Set(this.#stack.records.map(({ id }) => id));
    ({ records: this.#stack.records } = await up(this.#stack));
    for (const { operation, body } of api.calls) {
      if (operation !== "update") continue;
      const { webhook_id: id } = Object(body);
      this.#edited.delete(id);
      this.#learn(id);
    }
    for (const { id } of this.#stack.records.filter((record) => !old.has(record.id))) {
      if (api.behavior.timestampsInCreateReply) this.#learn(id);
      else this.#learnCreated(id);
    }
    expect(await this.#planned()).toBe(0);
    for (const { resource, id } of this.#stack.records) {
      // An up reverts every edit that a refresh has recorded.
      if (!this.#edited.has(id)) expect(this.#webhook(id)).toMatchObject(this.#declared(resource));
    }
  }

  /** Refreshes the stack or previews a refresh, and compares the shown drift with the real one. */
  async refresh({ keep }: { keep: boolean }): Promise<void> {
    const before = this.#stack.records;
    const expected = before.map((record) => this.#expected(record));
    const after = await this.#read(before);
    if (keep) this.#keep(after);
    const findRead = (id: string) => after.find((record) => record?.id === id);
    const seen = before.map(({ resource, id }) => this.#shown(resource, findRead(id)));

    this.#figures.refreshes++;
    this.#figures.probes += before.length;
    for (const [index, { resource, outputs }] of before.entries()) {
      const { must = [], may = [] } = expected[index] ?? {};
      const shown = seen[index] ?? [];
      const falseAlarms = shown.filter((kind) => !may.includes(kind));
      const missed = must.filter((kind) => !shown.includes(kind));
      const evidence = JSON.stringify({ recorded: outputs, read: after[index]?.outputs });
      expect({ resource, falseAlarms, missed }, evidence).toEqual({ resource, falseAlarms: [], missed: [] });
      for (const kind of shown) this.#figures.shown[kind] = (this.#figures.shown[kind] ?? 0) + 1;
    }
    // Webhooks that an earlier refresh found to be gone are created, too.
    const missing = this.#stack.program.size - before.length;
    // What is gone for certain has left the state, and is created.
    if (keep) expect(await this.#planned()).toBe(missing + seen.filter((shown) => shown.length > 0).length);
  }

  /** Refreshes if a webhook is gone: an update of it would fail. */
  async #forgetGone(): Promise<void> {
    const isGone = this.#stack.records.some(({ id }) => this.#webhook(id) === undefined);
    if (isGone) await this.refresh({ keep: true });
  }

  /** Records what a refresh has read. */
  #keep(after: readonly (Recorded | undefined)[]): void {
    this.#stack.records = after.filter((record) => record !== undefined);
    const isReadable = odd.oddities.zone !== "epoch";
    for (const { id } of this.#stack.records) {
      if (!this.#known.has(id) || (this.#onlyCreated.has(id) && isReadable)) this.#learn(id);
    }
  }

  /** Notes that a reply contained the time of the last change. */
  #learn(id: string): void {
    const { zone } = odd.oddities;
    this.#known.delete(id);
    this.#onlyCreated.delete(id);
    // The provider ignores a time that is a number.
    if (zone === "epoch") return;
    const { updatedAt = "" } = this.#webhook(id) ?? {};
    this.#known.set(id, zone === "local" ? Number.NaN : Date.parse(updatedAt));
  }

  /** Notes that nothing has changed a webhook since its create, whose reply had no times. */
  #learnCreated(id: string): void {
    this.#known.set(id, Date.parse(this.#webhook(id)?.createdAt ?? ""));
    this.#onlyCreated.add(id);
  }

  /** Reads all webhooks in a new process, as a refresh and its preview do. */
  async #read(records: readonly Recorded[]): Promise<(Recorded | undefined)[]> {
    const run = startProbing();
    return Promise.all(
      records.map(async (record) => {
        const read = await run.read(record.id, structuredClone(record.outputs));
        return read && { ...record, outputs: read.outputs, inputs: read.inputs ?? record.inputs };
      }),
    );
  }

  /** Returns the drift that must be shown of a webhook, and the drift that may be. */
  #expected({ resource, id, outputs }: Recorded): { must: Shown[]; may: Shown[] } {
    const webhook = this.#webhook(id);
    if (webhook === undefined) return { must: ["gone"], may: ["gone"] };
    const declared = this.#declared(resource);
    const fields = (["name", "enabled"] as const).filter((field) => webhook[field] !== declared[field]);
    const mark = ["changedOutsidePulumi"] as const;
    if (outputs.changedOutsidePulumi !== undefined)
      return { must: [...fields, ...mark], may: [...fields, ...mark] };
    if (!this.#edited.has(id)) return { must: [], may: [] };
    return { must: this.#canBeDated(webhook) ? [...fields, ...mark] : fields, may: [...fields, ...mark] };
  }

  /** Reports whether the time of an edit must reveal it: replies contain it, and it is close neither to the known time nor to now. */
  #canBeDated({ id, updatedAt }: StoredWebhook): boolean {
    const { zone, date } = odd.oddities;
    const { emptyUpdate, clockSkewSeconds } = api.behavior;
    const isReadable = zone !== "epoch" && zone !== "local" && date !== "none";
    if (!isReadable || emptyUpdate !== "leaves updated_at") return false;
    const edited = Date.parse(updatedAt);
    const now = Date.now() + clockSkewSeconds * 1000;
    const since = edited - (this.#known.get(id) ?? edited);
    // With seconds to spare: on a slow machine a probe takes long, and a change during it cannot be dated.
    return since > 3000 && now - edited > (date === "coarse" ? 18_000 : 8000);
  }

  #shown(resource: string, record: Recorded | undefined): Shown[] {
    if (record === undefined) return ["gone"];
    const declared = this.#declared(resource);
    const { changedOutsidePulumi } = record.outputs;
    // The outputs make the engine plan an update, and the inputs make it show the drift.
    expect(record.inputs.changedOutsidePulumi).toBe(changedOutsidePulumi);
    return [
      ...(["name", "enabled"] as const).filter((field) => record.inputs[field] !== declared[field]),
      ...(changedOutsidePulumi === undefined ? [] : (["changedOutsidePulumi"] as const)),
    ];
  }

  async #planned(): Promise<number> {
    return (await up(this.#stack, true)).changes;
  }

  #webhook(id: string): StoredWebhook | undefined {
    return api.webhooks.find((webhook) => webhook.id === id);
  }

  #declared(resource: string): Declaration {
    return this.#stack.program.get(resource) ?? expect.fail(`${resource} is not declared`);
  }
}
