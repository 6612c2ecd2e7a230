import type { Changes, ReadResult, Result } from "../../../src/lifecycle/values.js";
import { fromStruct } from "../../../src/plugin/struct.js";
import { WebhookPlugin } from "../../../src/plugin/webhook-plugin.js";
import { messages } from "../../../src/pulumi/sdk-internals.js";
import type { Surroundings } from "../../../src/pulumi/surroundings.js";
import { storedProvider } from "../../../src/record/properties.js";
import { startProvider } from "../../dynamic/provider/provider.js";
import { toRequest } from "../../plugin/messages.js";
import { providerUrn, settingsOf } from "./accounts.js";
import type { Properties, State } from "./state.js";

interface Operation {
  urn: string;
  id: string;
  /** What is recorded: for a check the inputs, otherwise the outputs. */
  olds: Properties;
  news: Properties;
}

/** What the engine asks of a provider, whichever face that has. */
export interface Face {
  /** @throws Error with all problems. */
  check(operation: Omit<Operation, "id">): Promise<Properties>;
  diff(operation: Operation): Promise<Partial<Changes>>;
  create(operation: Pick<Operation, "urn" | "news">): Promise<Result>;
  update(operation: Operation): Promise<Result>;
  /** Without what is recorded, it is an import by the engine's own option. */
  read(operation: Pick<Operation, "urn" | "id"> & { olds?: Properties }): Promise<ReadResult | undefined>;
  delete(operation: Omit<Operation, "news">): Promise<void>;
}

type Start = (
  surroundings: Surroundings,
  given: { name: string; state: State; apiKey: string },
) => Face | Promise<Face>;

/** What starts the provider of each face in a process, for the Provider with a name. */
export const FACES: Record<State["face"], Start> = {
  /** As the SDK calls the dynamic provider. */
  dynamic({ log, notes }, { name, state, apiKey }) {
    const explicit = name !== "default" && { explicitProvider: name };
    const provider = startProvider({ ...explicit, ...settingsOf(state, apiKey) }, { log, notes });
    const withText = (properties: unknown) => ({ ...Object(properties), __provider: storedProvider });
    return {
      async check({ olds, news }) {
        const { inputs, failures = [] } = await provider.check(olds, news);
        requireNone(failures.map(({ property, reason }) => property + reason));
        return withText(inputs);
      },
      diff: ({ id, olds, news }) => provider.diff(id, olds, news),
      async create({ news }) {
        const { id, outs } = await provider.create(news);
        return { id, outputs: withText(outs) };
      },
      async update({ id, olds, news }) {
        const { outs } = await provider.update(id, olds, news);
        return { id, outputs: withText(outs) };
      },
      async read({ id, olds }) {
        const { id: found, props, inputs } = await provider.read(id, olds);
        return found === undefined ? undefined : { outputs: Object(props), ...(inputs && { inputs }) };
      },
      delete: ({ id, olds }) => provider.delete(id, olds),
    };
  },

  /** As the plugin's service calls it, without gRPC. */
  async plugin(surroundings, { name, state, apiKey }) {
    const plugin = new WebhookPlugin(surroundings);
    const settings = { urn: providerUrn(state, name), args: settingsOf(state, apiKey) };
    await plugin.configure(toRequest("configure", settings));
    return {
      async check(change) {
        const response = await plugin.check(toRequest("check", change));
        requireNone(response.getFailuresList().map((failure) => failure.getReason()));
        return revealed(response.getInputs());
      },
      async diff(change) {
        const response = await plugin.diff(toRequest("diff", change));
        const changes = response.getChanges() === messages.DiffResponse.DiffChanges.DIFF_SOME;
        return { changes, replaces: response.getReplacesList() };
      },
      async create({ urn, news }) {
        const response = await plugin.create(toRequest("create", { urn, properties: news }));
        return { id: response.getId(), outputs: revealed(response.getProperties()) };
      },
      async update(change) {
        const response = await plugin.update(toRequest("update", change));
        return { id: change.id, outputs: revealed(response.getProperties()) };
      },
      async read({ olds: properties, ...known }) {
        const reply = await plugin.read(toRequest("read", { ...known, ...(properties && { properties }) }));
        if (reply.getId() === "") return undefined;
        const inputs = revealed(reply.getInputs());
        const outputs = revealed(reply.getProperties());
        // The engine passes the recorded inputs, and gets them back if nothing differs.
        return { outputs, ...(Object.keys(inputs).length > 0 && { inputs }) };
      },
      async delete({ olds: properties, ...known }) {
        await plugin.delete(toRequest("delete", { ...known, properties }));
      },
    };
  },
};

const revealed = (...[struct]: Parameters<typeof fromStruct>) => fromStruct(struct).values;

function requireNone(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(problems.join("\n"));
}
