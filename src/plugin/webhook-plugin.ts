import { WebhookLifecycle } from "../lifecycle/lifecycle.js";
import type { Properties, Received } from "../lifecycle/values.js";
import { Empty, messages, type StructPb } from "../pulumi/sdk-internals.js";
import type { Surroundings } from "../pulumi/surroundings.js";
import { INPUTS, OUTPUTS, valuesOf } from "../record/fields.js";
import { isInDoubt } from "../record/in-doubt-id.js";
import {
  ignoredOf,
  RESOURCE_KEY,
  type ResourceContext,
  resourceKeyOf,
  writeResourceKey,
} from "../record/properties.js";
import { UNKNOWN } from "../record/special-values.js";
import { printStackName, type StackName } from "../record/stack-name.js";
import { logicalNameOf, stackOf } from "../record/urn.js";
import type { StackBeforeRun } from "../stack/stack-before-run.js";
import { serveStack } from "../wording/command.js";
import { failed, messageOf } from "../wording/errors.js";
import { toDiffResponse } from "./diff-response.js";
import { findSettingProblems, parseProviderSettings } from "./provider-settings.js";
import { fromStruct, toStruct } from "./struct.js";

/** The lifecycle of webhooks, by the methods of the engine's protocol: with URNs, secrets, and previews of creates and updates. */
export class WebhookPlugin {
  readonly #surroundings: Surroundings;
  #configured: WebhookLifecycle | undefined;
  /** Its secrets are some in outputs, too: the base URL may be one. */
  #settings: Received = { values: {}, secrets: new Set() };
  #naming: Promise<{ name?: StackName; problem?: string }> | undefined;
  #reading: Promise<StackBeforeRun | undefined> | undefined;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  async checkConfig(request: messages.CheckRequest): Promise<messages.CheckResponse> {
    const [urn, inputs] = [request.getUrn(), fromStruct(request.getNews())];
    await this.#nameStack(urn);
    const { problems, warnings } = findSettingProblems(urn, inputs.values);
    for (const line of warnings) await this.#surroundings.log.warn(line);
    return toCheckResponse(toStruct(inputs.values, inputs), problems);
  }

  async configure(request: messages.ConfigureRequest): Promise<messages.ConfigureResponse> {
    const [urn, inputs] = [request.getUrn() ?? "", fromStruct(request.getArgs())];
    await this.#nameStack(urn);
    this.#settings = inputs;
    const settings = parseProviderSettings(urn, inputs.values);
    this.#configured = new WebhookLifecycle(settings, this.#surroundings);
    return new messages.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
  }

  async check(request: messages.CheckRequest): Promise<messages.CheckResponse> {
    const urn = request.getUrn();
    const [{ values: olds }, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
    // With ignoreChanges the engine copies the recorded input of the dynamic provider. No SDK has such an input.
    const { import: _, ...values } = news.values;
    const context = await this.#contextOf(urn, values);
    const checked = await this.#lifecycle.check({ context, olds, news: { ...news, values } });
    const key = checked.stamp !== undefined && { [RESOURCE_KEY]: writeResourceKey(urn, checked.stamp) };
    return toCheckResponse(toStruct({ ...checked.inputs, ...key }, news), checked.problems);
  }

  async diff(request: messages.DiffRequest): Promise<messages.DiffResponse> {
    return toDiffResponse(request, await this.#lifecycle.diff(changeOf(request)));
  }

  /** @throws WebhookError also if the stack is not known: it may have an unresolved create of this webhook. */
  async create(request: messages.CreateRequest): Promise<messages.CreateResponse> {
    const [urn, inputs] = [request.getUrn(), fromStruct(request.getProperties())];
    const response = new messages.CreateResponse();
    if (request.getPreview()) {
      const none = inputs.values.secret === undefined ? {} : { generatedSecret: undefined };
      const olds = { ...valuesOf(OUTPUTS, () => UNKNOWN), ...none };
      return response.setProperties(this.toStruct(expectOutputs(inputs, olds), inputs));
    }
    const { name, problem } = await this.#nameStack(urn);
    if (name === undefined) throw failed("Creating a webhook", `no request was sent. ${problem}`);
    const creating = { key: resourceKeyOf(urn), inputs, deadlineSeconds: deadlineOf(request) };
    const { id, outputs } = await this.#lifecycle.create(creating);
    return response.setId(id).setProperties(this.toStruct(outputs, inputs));
  }

  async update(request: messages.UpdateRequest): Promise<messages.UpdateResponse> {
    const change = changeOf(request);
    const { olds, news } = change;
    const response = new messages.UpdateResponse();
    if (request.getPreview())
      return response.setProperties(this.toStruct(expectOutputs(news, olds.values), news));
    const { outputs } = await this.#lifecycle.update({ ...change, deadlineSeconds: deadlineOf(request) });
    return response.setProperties(this.toStruct(outputs, news));
  }

  /** Reads a webhook that is recorded, or one that the engine imports or that a `get` names by its id only: both pass no outputs. */
  async read(request: messages.ReadRequest): Promise<messages.ReadResponse> {
    const [id, urn] = [request.getId(), request.getUrn()];
    const [outputs, inputs] = [fromStruct(request.getProperties()), fromStruct(request.getInputs())];
    const isImport = Object.keys(outputs.values).length === 0 && !EXISTS.test(logicalNameOf(urn));
    const isRecorded = outputs.values.baseUrl !== undefined || isInDoubt(id);
    if (!isImport && !isRecorded) throw failed(`Reading webhook ${id}`, NO_READ);
    const result = isImport
      ? await this.#lifecycle.readImport({ id, context: await this.#contextOf(urn, {}, id) })
      : await this.#lifecycle.read(id, outputs);
    const response = new messages.ReadResponse();
    if (result === undefined) return response;
    const { secrets = outputs.secrets } = result;
    const read = { ...outputs, secrets };
    return response
      .setId(id)
      .setProperties(this.toStruct(result.outputs, read))
      .setInputs(this.toStruct(result.inputs ?? inputs.values, inputs, read));
  }

  async delete(request: messages.DeleteRequest) {
    const [id, outputs] = [request.getId(), fromStruct(request.getProperties())];
    const known = { urn: request.getUrn(), deadlineSeconds: deadlineOf(request) };
    await this.#lifecycle.delete(id, outputs, known);
    return new Empty();
  }

  toStruct(values: Properties, ...received: readonly Received[]): StructPb.Struct {
    return toStruct(values, ...received, this.#settings);
  }

  /** The engine configures a provider before it does anything else. */
  get #lifecycle(): WebhookLifecycle {
    if (this.#configured === undefined) throw new Error("The engine has not configured this provider.");
    return this.#configured;
  }

  /** Finds the name of the stack, which commands in messages then have, once. @returns why it is not known, otherwise. */
  #nameStack(urn: string): Promise<{ name?: StackName; problem?: string }> {
    this.#naming ??= this.#surroundings.completeName(stackOf(urn, undefined)).then(
      (name) => {
        serveStack(printStackName(name));
        return { name };
      },
      (error) => ({ problem: messageOf(error) }),
    );
    return this.#naming;
  }

  /** Reads the stack, once. A refresh or a destroy does not need it, and ends the process earlier. */
  #readStack(urn: string): Promise<StackBeforeRun | undefined> {
    this.#reading ??= this.#nameStack(urn).then(async ({ name, problem }) => {
      const { log, readStack } = this.#surroundings;
      if (name !== undefined) return readStack(name, { warnsOfGate: true, warn: log.warn });
      await log.warn(`The state of this stack was not read. ${problem}`);
      return undefined;
    });
    return this.#reading;
  }

  /** Describes a resource, as the program of the dynamic provider does. @param importId the id that the engine imports. */
  async #contextOf(urn: string, given: Properties, importId = ""): Promise<ResourceContext> {
    const [{ name }, stack] = [await this.#nameStack(urn), await this.#readStack(urn)];
    return {
      urn,
      organization: name?.organization,
      given: Object.keys(given),
      defaultName: logicalNameOf(urn),
      owners: stack?.ownersOf(importId) ?? [],
      ...(stack?.describe(urn) ?? { past: { kind: "unread" } }),
    };
  }
}

/** The names that the engine gives to what no resource is: a program asks whether a webhook exists. */
const EXISTS = /^__exists__\d+$/;

/** The SDKs of all languages have a method that reads a webhook by its id. */
const NO_READ =
  "the API has no read operation. Declare the webhook with the option import, or pass its id as config.";

/** Returns the outputs that a create or an update is going to have, as far as a preview knows them. */
function expectOutputs({ values }: Received, olds: Properties): Properties {
  const inputs = Object.fromEntries(INPUTS.map((name) => [name, values[name]]));
  return { createdAt: UNKNOWN, ...olds, ...inputs, updatedAt: UNKNOWN };
}

function changeOf(request: messages.DiffRequest | messages.UpdateRequest) {
  const [olds, news] = [fromStruct(request.getOlds()), fromStruct(request.getNews())];
  const ignored = ignoredOf(request.getIgnorechangesList());
  return { key: resourceKeyOf(request.getUrn()), id: request.getId(), olds, news, ignored };
}

/** Returns the option `customTimeouts` for an operation, in seconds. The engine passes zero if the program does not set it. */
function deadlineOf(request: { getTimeout(): number }): number | undefined {
  return request.getTimeout() || undefined;
}

/** A failure never names its property: the CLI would print the value along with it. */
function toCheckResponse(inputs: StructPb.Struct, problems: readonly string[]): messages.CheckResponse {
  const failures = problems.map((reason) => new messages.CheckFailure().setReason(reason));
  return new messages.CheckResponse().setInputs(inputs).setFailuresList(failures);
}
