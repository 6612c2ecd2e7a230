import { expect } from "vitest";
import { WebhookLifecycle } from "../../../src/lifecycle/lifecycle.js";
import type { Properties } from "../../../src/lifecycle/run.js";
import { readPast } from "../../../src/stack/past.js";
import { parse } from "../../settings/parse.js";

export interface Declaration {
  url: string;
  name: string;
  enabled: boolean;
  import?: string;
}

/** A webhook in the state. */
export interface Recorded {
  resource: string;
  id: string;
  inputs: Properties;
  outputs: Properties;
}

/** Starts a provider process that probes. All lines that it shows must match. */
export function startProbing(account: { apiKey: string; baseUrl: string }, lines: RegExp): WebhookLifecycle {
  const show = (line: string) => expect(line).toMatch(lines);
  const run = new WebhookLifecycle({ warn: show, progress: () => {} });
  run.configure(parse({ ...account, drift: "probe", deadlineSeconds: "60" }));
  return run;
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
  const applied = [...program].map(async ([key, news]): Promise<Recorded> => {
    const record = records.find(({ resource }) => resource === key);
    const past = record === undefined ? ({ kind: "new" } as const) : readPast(record);
    const declared = { urn: key, given: Object.keys(news), past };
    const olds = record?.inputs ?? {};
    const { inputs, problems } = await run.check({ key, declared, olds, news: { ...news } });
    expect(problems).toEqual([]);
    if (record === undefined) {
      changes++;
      const created = isPreview ? { id: "", outputs: {} } : await run.create({ key, inputs });
      return { resource: key, inputs, ...created };
    }
    const { id, outputs } = record;
    const difference = await run.diff({ key, id, olds: outputs, news: inputs });
    expect(difference).not.toHaveProperty("replaces");
    if (!difference.changes) return { ...record, inputs };
    changes++;
    if (isPreview) return record;
    return { resource: key, inputs, ...(await run.update({ key, id, olds: outputs, news: inputs })) };
  });
  return { records: await Promise.all(applied), changes };
}
