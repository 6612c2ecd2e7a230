import { expect } from "vitest";
import type { WebhookLifecycle } from "../../../src/lifecycle/lifecycle.js";
import type { Properties } from "../../../src/lifecycle/run.js";
import { readPast } from "../../../src/stack/past.js";
import { declare } from "../runs.js";

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

interface Up {
  run: WebhookLifecycle;
  program: ReadonlyMap<string, Declaration>;
  records: readonly Recorded[];
  isPreview?: boolean;
}

/** Goes through the steps of an up as an engine does. @returns the new state, and how many webhooks change. */
export async function up({ run, program, records, isPreview = false }: Up) {
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
