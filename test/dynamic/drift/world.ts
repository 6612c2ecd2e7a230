import { expect } from "vitest";
import { WebhookProvider } from "../../../src/dynamic/webhook-provider.js";
import type { Simulator, StoredWebhook } from "../../../src/simulator/index.js";
import type { Declaration, Recorded, Settings } from "../model/engine.js";
import { ReenactedEngine } from "../model/engine.js";
import type { OddApi } from "./odd-times.js";

/** What a refresh shows of a webhook: of the drift that there can be, what there is. */
export type Shown = "gone" | "name" | "enabled" | "changedOutsidePulumi";

/** What was done and seen, over all histories. */
export interface Figures {
  refreshes: number;
  /** Webhooks that were looked at in them, and what was shown, by its kind. */
  probes: number;
  shown: Partial<Record<Shown, number>>;
  ups: number;
}

export interface WorldOptions {
  api: Simulator;
  /** Before the simulator. */
  odd: OddApi;
  figures: Figures;
}

/** A stack whose webhooks are refreshed with a probe, and a person at the dashboard. */
export class World {
  readonly api: Simulator;
  readonly odd: OddApi;
  readonly #program = new Map<string, Declaration>();
  readonly #figures: Figures;
  readonly #engine = new ReenactedEngine();
  /** The ids edited or deleted in the dashboard, until all their fields were sent anew. */
  readonly #edited = new Set<string>();
  /** When each webhook was last changed, as the API has told it and Pulumi must know it; NaN where that cannot be read. */
  readonly #known = new Map<string, number>();
  #records: readonly Recorded[] = [];

  constructor({ api, odd, figures }: WorldOptions) {
    this.api = api;
    this.odd = odd;
    this.#figures = figures;
  }

  /** Time passes, by the API's clock: no one else's counts. */
  pass(seconds: number): void {
    this.api.behaviour.clockSkewSeconds += seconds;
  }

  /** Does something in the dashboard to the webhook of a resource, where there is one. */
  edit(resource: string, act: (webhook: StoredWebhook) => void): void {
    const { id } = this.#records.find((record) => record.resource === resource) ?? {};
    const webhook = this.api.webhooks.find((one) => one.id === id);
    if (webhook === undefined) return;
    act(webhook);
    this.#edited.add(webhook.id);
  }

  /** Changes the program and brings the stack up. */
  async declare(resource: string, change: (old?: Declaration) => Declaration): Promise<void> {
    await this.#forgetGone();
    const declaration = change(this.#program.get(resource));
    this.#program.set(resource, declaration);
    await this.up();
    // It has done its work, and there would be nothing to adopt once the webhook is gone.
    delete declaration.import;
  }

  /** Brings the stack up, after which nothing may be left to do. */
  async up(): Promise<void> {
    await this.#forgetGone();
    this.api.clearCalls();
    this.#figures.ups++;
    expect(await this.#engine.up({ program: this.#program, settings: this.#settings() })).toMatchObject({
      ok: true,
    });
    const old = new Set(this.#records.map(({ id }) => id));
    this.#records = await this.#engine.records();
    for (const { operation, body } of this.api.calls) {
      const { webhook_id } = Object(body);
      if (operation !== "update") continue;
      this.#edited.delete(webhook_id);
      this.#learn(webhook_id);
    }
    const created = this.#records.filter(({ id }) => !old.has(id) && !this.#known.has(id));
    if (this.api.behaviour.timestampsInCreateReply) for (const { id } of created) this.#learn(id);
    expect(await this.#planned()).toBe(0);
    for (const { resource, id } of this.#records) {
      // An edit that no refresh has recorded is not undone; every other one is.
      if (!this.#edited.has(id)) expect(this.#webhook(id)).toMatchObject(this.#declared(resource));
    }
  }

  /** Refreshes the stack, as a preview or for good, and compares what it shows with what there is to show. */
  async refresh({ keep }: { keep: boolean }): Promise<void> {
    const before = this.#records;
    const expected = before.map((record) => this.#expected(record));
    const after = keep ? await this.#refreshed() : await Promise.all(before.map((one) => this.#looked(one)));
    const seen = before.map(({ resource, id }) =>
      this.#shown(
        resource,
        after.find((record) => record?.id === id),
      ),
    );

    this.#figures.refreshes++;
    this.#figures.probes += before.length;
    for (const [index, { resource, outputs }] of before.entries()) {
      const { must = [], may = [] } = expected[index] ?? {};
      const shown = seen[index] ?? [];
      const falseAlarms = shown.filter((kind) => !may.includes(kind));
      const missed = must.filter((kind) => !shown.includes(kind));
      const told = JSON.stringify({ recorded: outputs, told: after[index]?.outputs });
      expect({ resource, falseAlarms, missed }, told).toEqual({ resource, falseAlarms: [], missed: [] });
      for (const kind of shown) this.#figures.shown[kind] = (this.#figures.shown[kind] ?? 0) + 1;
    }
    // Those that an earlier refresh found to be gone are to be created, too.
    const missing = this.#program.size - before.length;
    if (keep) expect(await this.#planned()).toBe(missing + seen.filter((shown) => shown.length > 0).length);
  }

  /** An update of one that is gone would fail, and say so. */
  async #forgetGone(): Promise<void> {
    if (this.#records.some(({ id }) => this.#webhook(id) === undefined)) await this.refresh({ keep: true });
  }

  async #refreshed(): Promise<readonly Recorded[]> {
    const outcome = await this.#engine.refresh({ settings: this.#settings(), runProgram: true });
    expect(outcome).toMatchObject({ ok: true, lines: [] });
    this.#records = await this.#engine.records();
    for (const { id } of this.#records) if (!this.#known.has(id)) this.#learn(id);
    return this.#records;
  }

  /** A reply has told when a webhook was last changed, and is recorded. */
  #learn(id: string): void {
    const { zone } = this.odd.oddities;
    this.#known.delete(id);
    // A number is not what the API's document shows, and is passed over.
    if (zone === "epoch") return;
    const { updatedAt = "" } = this.#webhook(id) ?? {};
    this.#known.set(id, zone === "local" ? Number.NaN : Date.parse(updatedAt));
  }

  /** What a preview sees: nothing of it is kept. */
  async #looked(record: Recorded): Promise<Recorded | undefined> {
    const provider = new WebhookProvider({ warn: expect.unreachable, progress: expect.unreachable });
    const settings = Object.entries(this.#settings());
    const config = new Map(settings.map(([key, value]) => [`webhooks:${key}`, `${value}`]));
    const get = (key: string) => config.get(key);
    await provider.configure({ config: { get, require: (key) => get(key) ?? "" } });
    const { id, props, inputs } = await provider.read(record.id, structuredClone(record.outputs));
    return id ? { ...record, outputs: props ?? {}, inputs: inputs ?? record.inputs } : undefined;
  }

  /** What has to be shown of a webhook, and what may be. */
  #expected({ resource, id, outputs }: Recorded): { must: Shown[]; may: Shown[] } {
    const webhook = this.#webhook(id);
    if (webhook === undefined) return { must: ["gone"], may: ["gone"] };
    const declared = this.#declared(resource);
    const told = (["name", "enabled"] as const).filter((field) => webhook[field] !== declared[field]);
    const mark = ["changedOutsidePulumi"] as const;
    if (outputs.changedOutsidePulumi !== undefined)
      return { must: [...told, ...mark], may: [...told, ...mark] };
    if (!this.#edited.has(id)) return { must: [], may: [] };
    return { must: this.#canBeDated(webhook) ? [...told, ...mark] : told, may: [...told, ...mark] };
  }

  /** Whether the time of an edit must give it away: it is told, and is not too close to the known time or to now. */
  #canBeDated({ id, updatedAt }: StoredWebhook): boolean {
    const { zone, date } = this.odd.oddities;
    const { emptyUpdate, clockSkewSeconds } = this.api.behaviour;
    const isTold = zone !== "epoch" && zone !== "local" && date !== "none";
    if (!isTold || emptyUpdate !== "leaves updated_at") return false;
    const edited = Date.parse(updatedAt);
    const now = Date.now() + clockSkewSeconds * 1000;
    const since = edited - (this.#known.get(id) ?? edited);
    // With seconds to spare: what a slow machine takes for a probe counts as time in which anything may have happened.
    return since > 3000 && now - edited > (date === "coarse" ? 18_000 : 8000);
  }

  #shown(resource: string, record: Recorded | undefined): Shown[] {
    if (record === undefined) return ["gone"];
    const declared = this.#declared(resource);
    const { changedOutsidePulumi } = record.outputs;
    // Both are what a person sees: as outputs the drift is planned to be undone, as inputs it is displayed.
    expect(record.inputs.changedOutsidePulumi).toBe(changedOutsidePulumi);
    return [
      ...(["name", "enabled"] as const).filter((field) => record.inputs[field] !== declared[field]),
      ...(changedOutsidePulumi === undefined ? [] : (["changedOutsidePulumi"] as const)),
    ];
  }

  async #planned(): Promise<number> {
    const { ok, changes } = await this.#engine.preview({
      program: this.#program,
      settings: this.#settings(),
    });
    expect(ok).toBe(true);
    return changes;
  }

  #webhook(id: string): StoredWebhook | undefined {
    return this.api.webhooks.find((webhook) => webhook.id === id);
  }

  #declared(resource: string): Pick<Declaration, "url" | "name" | "enabled"> {
    const { url, name, enabled } = this.#program.get(resource) ?? expect.fail(`${resource} is not declared`);
    return { url, name, enabled };
  }

  #settings(): Settings {
    const { apiKey } = this.api;
    return { apiKey, baseUrl: this.odd.url, drift: "probe", timeoutSeconds: 30, deadlineSeconds: 60 };
  }
}
