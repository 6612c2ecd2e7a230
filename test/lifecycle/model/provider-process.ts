import type { dynamic } from "@pulumi/pulumi";
import { WebhookProvider } from "../../../src/dynamic/webhook-provider.js";
import type { Log } from "../../../src/lifecycle/session.js";
import { serializedProvider } from "../../../src/stack/serialized-provider.js";
import type { Properties, ProviderName, Recorded, Settings } from "./engine.js";

/** A create or an update that is recorded: a success, or a failure whose error has an id. */
export interface Result {
  id: string;
  properties: Properties;
  failure?: PartialFailure;
}

export type PartialFailure = Error & { id: string; properties: Properties; reasons: string[] };

/**
 * The process in which the SDK runs a provider, `cmd/dynamic-provider`: it serializes everything, and adds `__provider`
 * to results, but not to the properties of an error.
 */
export class ProviderProcess {
  readonly #provider: WebhookProvider;

  constructor(provider: ProviderName, settings: Settings, log: Log) {
    this.#provider = new WebhookProvider(log);
    const given = { ...settings, ...(provider !== "default" && { explicitProvider: provider }) };
    const config = Object.fromEntries(
      Object.entries(given).map(([key, value]) => [`webhooks:${key}`, `${value}`]),
    );
    const get = (key: string) => config[key];
    this.#provider.configure({ config: { get, require: (key) => get(key) ?? "" } });
  }

  async check(olds: Properties, news: Properties): Promise<Properties> {
    const { inputs, failures = [] } = await this.#provider.check(serialize(olds), serialize(news));
    if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join("\n"));
    return serialize({ ...(inputs ?? news), __provider: news.__provider });
  }

  diff({ id, outputs }: Recorded, news: Properties): Promise<dynamic.DiffResult> {
    return this.#provider.diff(id, serialize(outputs), serialize(news));
  }

  async create(inputs: Properties): Promise<Result> {
    try {
      const { id, outs } = await this.#provider.create(serialize(inputs));
      return { id: checkId(id), properties: serialize({ ...outs, __provider: inputs.__provider }) };
    } catch (error) {
      return toRecordedFailure(error);
    }
  }

  async update({ id, outputs }: Recorded, inputs: Properties): Promise<Result> {
    try {
      const { outs } = await this.#provider.update(id, serialize(outputs), serialize(inputs));
      return { id, properties: serialize({ ...outs, __provider: inputs.__provider }) };
    } catch (error) {
      return toRecordedFailure(error);
    }
  }

  async read({
    id,
    outputs,
  }: Recorded): Promise<{ id: string; properties: Properties; inputs?: Properties }> {
    const { id: readId = "", props, inputs } = await this.#provider.read(id, serialize(outputs));
    const { __provider } = outputs;
    return {
      id: readId,
      properties: serialize({ ...props, __provider }),
      ...(inputs !== undefined && { inputs: serialize({ ...inputs, __provider }) }),
    };
  }

  async delete({ id, outputs }: Recorded): Promise<void> {
    if (outputs.__provider !== serializedProvider) throw new Error("code must be a string");
    await this.#provider.delete(id, serialize(outputs));
  }
}

/** Returns properties as they arrive in the other process. Undefined values are refused there. */
function serialize(properties: Properties): Properties {
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined) throw new Error(`Unexpected struct type: ${key} is undefined`);
  }
  return structuredClone(properties);
}

function checkId(id: unknown): string {
  if (typeof id !== "string" || id === "") throw new Error("provider did not return an ID from Create");
  return id;
}

function toRecordedFailure(error: unknown): Result {
  const failure = error as PartialFailure;
  if (!(error instanceof Error) || !failure.id) throw error;
  return { id: failure.id, properties: serialize(failure.properties), failure };
}
