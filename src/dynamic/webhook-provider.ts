import type { dynamic } from "@pulumi/pulumi";
import { toSecret } from "../engine/secret.js";
import { WebhookLifecycle } from "../lifecycle/lifecycle.js";
import type { Properties } from "../lifecycle/run.js";
import { RecordedError } from "../lifecycle/run.js";
import type { Log } from "../lifecycle/session.js";
import type { Notes } from "../notes/notes.js";
import { parseSettings } from "../settings/settings.js";
import { KEY, readDeclared, SECRET_NAME, SECRET_URL } from "../stack/hidden-properties.js";

/** The lifecycle of webhooks, as a dynamic provider of Pulumi's Node.js SDK. */
export class WebhookProvider implements dynamic.ResourceProvider<Properties, Properties> {
  readonly #lifecycle: WebhookLifecycle;

  /**
   * @param connect connects to the engine. When the signal aborts, nothing more is sent. Default: there is no engine.
   * @param notes note the creates that are sent.
   */
  constructor(log: Log, connect?: () => AbortSignal | undefined, notes?: Notes) {
    this.#lifecycle = new WebhookLifecycle(log, connect, notes);
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
   * Fails if the gate is closed: a failed check ends the engine's run before any delete. A failure never names its property: the
   * CLI would print the value along with it.
   */
  async check(
    olds: Properties,
    { [KEY]: passed, ...news }: Properties,
  ): Promise<dynamic.CheckResult<Properties>> {
    const declared = readDeclared(passed);
    const { inputs, problems } = await this.#lifecycle.check({ declared, olds, news });
    return {
      inputs: { ...inputs, ...(declared !== undefined && { [KEY]: declared.key }) },
      failures: [...[declared?.gate ?? []].flat(), ...problems].map((reason) => ({ property: "", reason })),
    };
  }

  async diff(id: string, olds: Properties, news: Properties): Promise<dynamic.DiffResult> {
    return this.#lifecycle.diff({ key: keyOf(news), id, olds, news });
  }

  async create(inputs: Properties): Promise<dynamic.CreateResult<Properties>> {
    try {
      const { id, outputs } = await this.#lifecycle.create({ key: keyOf(inputs), inputs });
      return { id, outs: outputs };
    } catch (error) {
      throw toEngineError(error, inputs);
    }
  }

  async update(id: string, olds: Properties, news: Properties): Promise<dynamic.UpdateResult<Properties>> {
    try {
      const { outputs } = await this.#lifecycle.update({ key: keyOf(news), id, olds, news });
      return { outs: outputs };
    } catch (error) {
      // Not that of the old outputs: the plugin records none.
      throw toEngineError(error, { ...olds, ...news });
    }
  }

  async read(id: string, properties: Properties = {}): Promise<dynamic.ReadResult<Properties>> {
    const result = await this.#lifecycle.read(id, properties);
    if (result === undefined) return {};
    const { outputs: props, inputs } = result;
    return inputs === undefined ? { id, props } : { id, props, inputs };
  }

  delete(id: string, properties: Properties): Promise<void> {
    return this.#lifecycle.delete(id, properties);
  }
}

function keyOf({ [KEY]: key }: Properties): string | undefined {
  return typeof key === "string" ? key : undefined;
}

/**
 * Makes the engine keep a failed create or update under its id, and call update for it the next time. The SDK adds
 * `__provider` to results only: without it here, nothing could ever be done with the recorded webhook again.
 */
function toEngineError(error: unknown, { __provider }: Properties): unknown {
  if (!(error instanceof RecordedError)) return error;
  const properties = { ...keepSecret(error.outputs), __provider };
  return Object.assign(error, { properties, reasons: [error.message] });
}

/**
 * Returns outputs for the record of a failure. The engine takes as secrets what is one in the new inputs, so a url or a
 * name that was a secret before would be in plain text.
 */
function keepSecret({ [SECRET_URL]: isUrl, [SECRET_NAME]: isName, ...outputs }: Properties): Properties {
  const { url, name } = outputs;
  return {
    ...outputs,
    ...(isUrl === true && { [SECRET_URL]: isUrl, url: toSecret(url) }),
    ...(isName === true && { [SECRET_NAME]: isName, name: toSecret(name) }),
  };
}
