import type { dynamic } from "@pulumi/pulumi";
import { WebhookLifecycle } from "../../lifecycle/lifecycle.js";
import { type Properties, RecordedError } from "../../lifecycle/run.js";
import type { Surroundings } from "../../pulumi/surroundings.js";
import {
  KEY,
  OWNERS,
  RESOURCE_CONTEXT,
  type ResourceContext,
  readKey,
  SECRET_NAME,
  SECRET_URL,
  TIMEOUTS,
  writeKey,
} from "../../record/properties.js";
import { toSecret } from "../../record/special-values.js";
import { stackOf } from "../../record/urn.js";
import { parseSettings } from "../../settings/settings.js";
import { StackBeforeRun } from "../../stack/stack-before-run.js";

/** By default there is no engine, nothing is noted, and the program alone reads the state. */
type SomeSurroundings = Pick<Surroundings, "log"> & Partial<Surroundings>;

/** The lifecycle of webhooks, as a dynamic provider of Pulumi's Node.js SDK. */
export class WebhookProvider implements dynamic.ResourceProvider<Properties, Properties> {
  readonly #surroundings: SomeSurroundings;
  readonly #lifecycle: WebhookLifecycle;
  #reading: Promise<StackBeforeRun | undefined> | undefined;

  constructor(surroundings: SomeSurroundings) {
    this.#surroundings = surroundings;
    this.#lifecycle = new WebhookLifecycle(surroundings.log, surroundings.signal, surroundings.notes);
  }

  /**
   * Stores the settings; check reports their problems. It neither waits nor throws: the SDK uses the provider for other
   * webhooks before this has ended, and after it has failed.
   */
  async configure({ config }: dynamic.ConfigureRequest): Promise<void> {
    const read = (key: string) => config.get(key);
    this.#lifecycle.configure(parseSettings({ config: read, environment: process.env }));
  }

  /**
   * Fails if the gate is closed, or if a transform has removed what the program says of the resource: a failed check ends the engine's
   * run before any delete. A failure never names its property: the CLI would print the value along with it.
   */
  async check(
    olds: Properties,
    {
      [KEY]: recorded,
      [RESOURCE_CONTEXT]: text,
      [OWNERS]: owners,
      [TIMEOUTS]: timeouts,
      ...news
    }: Properties,
  ): Promise<dynamic.CheckResult<Properties>> {
    if (typeof text !== "string") return { inputs: news, failures: [{ property: "", reason: UNDESCRIBED }] };
    const context = await this.#completeContext(JSON.parse(text), owners, news.import);
    const { urn } = context;
    const { inputs, problems, stamp } = await this.#lifecycle.check({ context, olds, news });
    const reasons = context.gate === undefined ? problems : [context.gate, ...problems];
    return {
      inputs: {
        ...inputs,
        [KEY]: writeKey(urn, stamp),
        ...(timeouts !== undefined && { [TIMEOUTS]: timeouts }),
      },
      failures: reasons.map((reason) => ({ property: "", reason })),
    };
  }

  async diff(id: string, olds: Properties, news: Properties): Promise<dynamic.DiffResult> {
    // The SDK runs the text in a webhook's outputs for each read and delete. The plugin records none: an update adds it.
    const mustRecord = !("__provider" in olds) || deadlineOf(olds, "delete") !== deadlineOf(news, "delete");
    return this.#lifecycle.diff({ key: readKey(news).key, id, olds, news, mustRecord });
  }

  async create(inputs: Properties): Promise<dynamic.CreateResult<Properties>> {
    try {
      const { key } = readKey(inputs);
      const deadlineSeconds = deadlineOf(inputs, "create");
      const { id, outputs } = await this.#lifecycle.create({ key, inputs, deadlineSeconds });
      return { id, outs: withTimeouts(hideGenerated(outputs), inputs) };
    } catch (error) {
      throw toEngineError(error, inputs);
    }
  }

  async update(id: string, olds: Properties, news: Properties): Promise<dynamic.UpdateResult<Properties>> {
    try {
      const { key } = readKey(news);
      const deadlineSeconds = deadlineOf(news, "update");
      const { outputs } = await this.#lifecycle.update({ key, id, olds, news, deadlineSeconds });
      return { outs: withTimeouts(keepSecret(outputs), news) };
    } catch (error) {
      // Not that of the old outputs: the plugin records none.
      throw toEngineError(error, { ...olds, ...news });
    }
  }

  async read(id: string, properties: Properties = {}): Promise<dynamic.ReadResult<Properties>> {
    const result = await this.#lifecycle.read(id, properties);
    if (result === undefined) return {};
    const { outputs, inputs } = result;
    const props = hideGenerated(outputs);
    return inputs === undefined ? { id, props } : { id, props, inputs };
  }

  delete(id: string, properties: Properties): Promise<void> {
    return this.#lifecycle.delete(id, properties, { deadlineSeconds: deadlineOf(properties, "delete") });
  }

  /**
   * Completes what the program says of a resource.
   *
   * A program that sets PULUMI_BACKEND_URL, or an inline program of the Automation API, may have another backend in its environment
   * than the engine, which has started this process. What it has read is then that of another stack, so this process reads the state
   * itself.
   *
   * @param owners their JSON. A preview may not know it yet.
   */
  async #completeContext(
    context: ResourceContext,
    owners: unknown,
    importId: unknown,
  ): Promise<ResourceContext> {
    const { log, notes, readStack } = this.#surroundings;
    const { urn, organization, program, gate: _, hasCutOffChanges: __, ...rest } = context;
    if (program === undefined || readStack === undefined || program.notesFolder === notes?.folder) {
      const hasOwners = typeof owners === "string" && owners.startsWith("[");
      return hasOwners ? { ...context, owners: JSON.parse(owners) } : context;
    }
    const { closedGate } = program;
    this.#reading ??= readStack(stackOf(urn, organization), { closedGate, warn: log.warn });
    const stack = await this.#reading;
    if (stack === undefined) return { ...context, past: { kind: "unread" } };
    const described = StackBeforeRun.describe(stack, { urn, closedGate });
    return { ...rest, urn, organization, program, ...described, owners: stack.ownersOf(String(importId)) };
  }
}

const UNDESCRIBED =
  'A transform of the program has removed what pulumi-webhooks passes with each webhook, or has set ignoreChanges to "*". Without that, a webhook could be created twice. Return all of args.props from the transform, as in { ...args.props, enabled: false }, and let ignoreChanges name the inputs.';

/** Returns what the option `customTimeouts` sets for an operation, in seconds. */
function deadlineOf(
  { [TIMEOUTS]: timeouts }: Properties,
  operation: "create" | "update" | "delete",
): number | undefined {
  return Object(timeouts)[operation];
}

/** Returns outputs to record, with the time limits that the program sets now. */
function withTimeouts(
  { [TIMEOUTS]: _, ...outputs }: Properties,
  { [TIMEOUTS]: timeouts }: Properties,
): Properties {
  return timeouts === undefined ? outputs : { ...outputs, [TIMEOUTS]: timeouts };
}

/**
 * Makes the engine keep a failed create or update under its id, and call update for it the next time. The SDK adds
 * `__provider` to results only: without it here, nothing could ever be done with the recorded webhook again.
 */
function toEngineError(error: unknown, inputs: Properties): unknown {
  if (!(error instanceof RecordedError)) return error;
  const properties = { ...withTimeouts(keepSecret(error.outputs), inputs), __provider: inputs.__provider };
  return Object.assign(error, { properties, reasons: [error.message] });
}

/** Makes a secret of what the API has made: no input is one in its place. */
function hideGenerated({ generatedSecret, ...outputs }: Properties): Properties {
  return generatedSecret === undefined ? outputs : { ...outputs, generatedSecret: toSecret(generatedSecret) };
}

/**
 * Returns outputs for the record of a failure. The engine takes as secrets what is one in the new inputs, so a url or a
 * name that was a secret before would be in plain text.
 */
function keepSecret({ [SECRET_URL]: isUrl, [SECRET_NAME]: isName, ...outputs }: Properties): Properties {
  const { url, name } = outputs;
  return {
    ...hideGenerated(outputs),
    ...(isUrl === true && { [SECRET_URL]: isUrl, url: toSecret(url) }),
    ...(isName === true && { [SECRET_NAME]: isName, name: toSecret(name) }),
  };
}
