import { expect } from "vitest";
import type { Properties } from "../../../src/lifecycle/run.js";
import { readPast } from "../../../src/record/past.js";
import { declare, startRun } from "../runs.js";
import { odd } from "./odd-times.js";

export interface Declaration {
  url: string;
  name: string;
  enabled: boolean;
}

/** A webhook in the state. */
export interface Recorded {
  resource: string;
  id: string;
  inputs: Properties;
  outputs: Properties;
}

/** A stack: what the program declares, and what is recorded. */
export interface Stack {
  program: Map<string, Declaration>;
  records: readonly Recorded[];
}

/** Starts a provider process that probes. */
export const startProbing = () => startRun({ drift: "probe", baseUrl: odd.url });

/** Goes through the steps of an up as an engine does. @returns the new state, and how many webhooks change. */
export async function up({ program, records }: Stack, isPreview = false) {
  const run = startProbing();
  let changes = 0;
  const applied = [...program].map(async ([resource, declaration]): Promise<Recorded> => {
    const record = records.find((one) => one.resource === resource);
    const past = record === undefined ? ({ kind: "new" } as const) : readPast(record);
    const webhook = declare(run, { urn: resource, past });
    const inputs = { ...declaration };
    expect(await webhook.check(record?.inputs ?? {}, inputs)).toEqual([]);
    if (record === undefined) {
      changes++;
      const created = isPreview ? { id: "", outputs: {} } : await webhook.create(inputs);
      return { resource, inputs, ...created };
    }
    const { id, outputs } = record;
    const difference = await webhook.diff(id, outputs, inputs);
    expect(difference).not.toHaveProperty("replaces");
    if (!difference.changes) return { ...record, inputs };
    changes++;
    return isPreview ? record : { resource, inputs, ...(await webhook.update(id, outputs, inputs)) };
  });
  return { records: await Promise.all(applied), changes };
}
