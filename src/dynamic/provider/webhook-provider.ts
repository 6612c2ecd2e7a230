import type { dynamic } from "@pulumi/pulumi";
import { WebhookLifecycle } from "../../lifecycle/lifecycle.js";
import { RecordedError } from "../../lifecycle/run.js";
import type { Properties, Received, Result } from "../../lifecycle/values.js";
import type { Surroundings } from "../../pulumi/surroundings.js";
import { SECRET_OUTPUTS } from "../../record/fields.js";
import {
  OWNERS,
  RESOURCE_CONTEXT,
  RESOURCE_KEY,
  type ResourceContext,
  readResourceKey,
  SECRETS,
  TIMEOUTS,
  writeResourceKey,
} from "../../record/properties.js";
import { wrapSecrets } from "../../record/special-values.js";
import { stackOf } from "../../record/urn.js";
import { parseSettings } from "../../settings/settings.js";
import type { StackBeforeRun } from "../../stack/stack-before-run.js";

/** The lifecycle of webhooks, as a dynamic provider of Pulumi's Node.js SDK. */
export class WebhookProvider implements dynamic.ResourceProvider<Properties, Properties> {
  readonly #surroundings: Surroundings;
  #configured: WebhookLifecycle | undefined;
  #reading: Promise<StackBeforeRun | undefined> | undefined;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /**
   * Stores the settings; check reports their problems. It neither waits nor throws: the SDK uses the provider for other
   * webhooks before this has ended, and after it has failed.
   */
  async configure({ config }: dynamic.ConfigureRequest): Promise<void> {
    const settings = parseSettings({ config: (key) => config.get(key), environment: process.env });
    this.#configured = new WebhookLifecycle(settings, this.#surroundings);
  }

  /**
   * Fails if the gate is closed, or if a transform has removed what the program says of the resource: a failed check ends the engine's
   * run before any delete. A failure never names its property: the CLI would print the value along with it.
   */
  async check(olds: Properties, passed: Properties): Promise<dynamic.CheckResult<Properties>> {
    const { [RESOURCE_CONTEXT]: text, [OWNERS]: owners, ...news } = passed;
    if (typeof text !== "string") return { inputs: news, failures: [{ property: "", reason: UNDESCRIBED }] };
    const context = await this.#completeContext(JSON.parse(text), owners, news.import);
    const { inputs, problems, stamp } = await this.#lifecycle.check({ context, olds, news: receive(news) });
    const reasons = context.gate === undefined ? problems : [context.gate, ...problems];
    return {
      inputs: {
        ...inputs,
        [RESOURCE_KEY]: writeResourceKey(context.urn, stamp),
        ...passedOn(news, secretNamesIn(news)),
      },
      failures: reasons.map((reason) => ({ property: "", reason })),
    };
  }

  async diff(id: string, olds: Properties, news: Properties): Promise<dynamic.DiffResult> {
    return this.#lifecycle.diff(changeOf(id, olds, news));
  }

  async create(inputs: Properties): Promise<dynamic.CreateResult<Properties>> {
    const { key } = readResourceKey(inputs);
    const creating = { key, inputs: receive(inputs), deadlineSeconds: deadlineOf(inputs, "create") };
    return toResult(this.#lifecycle.create(creating), inputs);
  }

  async update(id: string, olds: Properties, news: Properties): Promise<dynamic.UpdateResult<Properties>> {
    const change = { ...changeOf(id, olds, news), deadlineSeconds: deadlineOf(news, "update") };
    const { outs } = await toResult(this.#lifecycle.update(change), news);
    return { outs };
  }

  async read(id: string, properties: Properties = {}): Promise<dynamic.ReadResult<Properties>> {
    const received = receive(properties);
    const result = await this.#lifecycle.read(id, received);
    if (result === undefined) return {};
    const { outputs, inputs, secrets = received.secrets } = result;
    const props = wrapSecrets(outputs, secrets);
    return inputs === undefined ? { id, props } : { id, props, inputs: wrapSecrets(inputs, secrets) };
  }

  delete(id: string, properties: Properties): Promise<void> {
    const deadlineSeconds = deadlineOf(properties, "delete");
    return this.#lifecycle.delete(id, receive(properties), { deadlineSeconds });
  }

  /** The SDK configures a provider before it does anything else. */
  get #lifecycle(): WebhookLifecycle {
    if (this.#configured === undefined) throw new Error("The SDK has not configured this provider.");
    return this.#configured;
  }

  /**
   * Completes what the program says of a resource. A program that sets PULUMI_BACKEND_URL, or an inline program of the Automation API, may
   * have another backend in its environment than the engine, which has started this process. Then this process reads the state itself.
   *
   * @param owners their JSON. A preview may not know it yet.
   */
  async #completeContext(
    context: ResourceContext,
    owners: unknown,
    importId: unknown,
  ): Promise<ResourceContext> {
    const { log, notes, readStack } = this.#surroundings;
    const { gate: _, ...described } = context;
    const { urn, organization, program } = described;
    if (program === undefined || program.notesFolder === notes.folder) {
      const hasOwners = typeof owners === "string" && owners.startsWith("[");
      return hasOwners ? { ...context, owners: JSON.parse(owners) } : context;
    }
    const { isPreview } = program;
    this.#reading ??= readStack(stackOf(urn, organization), { warnsOfGate: isPreview, warn: log.warn });
    const stack = await this.#reading;
    if (stack === undefined) return { ...context, past: { kind: "unread" } };
    return { ...described, ...stack.describe(urn, isPreview), owners: stack.ownersOf(String(importId)) };
  }
}

const UNDESCRIBED =
  'A transform of the program has removed what pulumi-webhooks passes with each webhook, or has set ignoreChanges to "*". Without that, a webhook could be created twice. Return all of args.props from the transform, as in { ...args.props, enabled: false }, and let ignoreChanges name the inputs.';

function changeOf(id: string, olds: Properties, news: Properties) {
  // The SDK runs the text in a webhook's outputs for each read and delete. The plugin records none: an update adds it.
  const isOutdated =
    deadlineOf(olds, "delete") !== deadlineOf(news, "delete") ||
    secretNamesIn(olds).join() !== secretNamesIn(news).join();
  const mustRecord = !("__provider" in olds) || isOutdated;
  return { key: readResourceKey(news).key, id, olds: receive(olds), news: receive(news), mustRecord };
}

/** Returns what the option `customTimeouts` sets for an operation, in seconds. */
function deadlineOf(values: Properties, operation: "create" | "update" | "delete"): number | undefined {
  return Object(values[TIMEOUTS])[operation];
}

/** Reads what the engine passes: plain texts, and what the program says of them. It knows what is a secret among the new inputs only. */
function receive(values: Properties): Received {
  return { values, secrets: new Set([...secretNamesIn(values), ...SECRET_OUTPUTS]) };
}

function secretNamesIn({ [SECRETS]: names }: Properties): string[] {
  return Array.isArray(names) ? names : [];
}

/** Returns what the package itself adds to inputs and outputs: the time limits, and the names of the secrets. */
function passedOn({ [TIMEOUTS]: timeouts }: Properties, names: readonly string[]): Properties {
  return {
    ...(timeouts !== undefined && { [TIMEOUTS]: timeouts }),
    ...(names.length > 0 && { [SECRETS]: names }),
  };
}

/** Returns outputs to record, with the time limits and the secrets of the inputs. @param olds the secrets that were in effect before. */
function toOutputs(recorded: Properties, news: Properties, olds: readonly string[] = []): Properties {
  const { [TIMEOUTS]: _, [SECRETS]: __, ...outputs } = recorded;
  const names = [...new Set([...secretNamesIn(news), ...olds])];
  return { ...wrapSecrets(outputs, new Set([...names, ...SECRET_OUTPUTS])), ...passedOn(news, names) };
}

/**
 * Returns the result of a create or an update. The engine keeps a failed one under its id, and calls update for it the next time. The SDK
 * adds `__provider` to results only: without it here, nothing could ever be done with the recorded webhook again. Not that of the old
 * outputs: the plugin records none.
 */
async function toResult(running: Promise<Result>, news: Properties) {
  try {
    const { id, outputs } = await running;
    return { id, outs: toOutputs(outputs, news) };
  } catch (error) {
    if (!(error instanceof RecordedError)) throw error;
    const outs = toOutputs(error.outputs, news, secretNamesIn(error.outputs));
    const properties = { ...outs, __provider: news.__provider };
    throw Object.assign(error, { properties, reasons: [error.message] });
  }
}
