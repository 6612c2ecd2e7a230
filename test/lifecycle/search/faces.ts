import { WebhookProvider } from "../../../src/dynamic/provider/webhook-provider.js";
import type { Changes, ReadResult, Received, Result } from "../../../src/lifecycle/values.js";
import { WebhookPlugin } from "../../../src/plugin/webhook-plugin.js";
import type { Surroundings } from "../../../src/pulumi/surroundings.js";
import { storedProvider } from "../../../src/record/properties.js";
import { type Properties, providerUrn, type State, settingsOf } from "./state.js";

interface Operation {
  urn: string;
  id: string;
  /** What is recorded: for a check the inputs, otherwise the outputs. */
  olds: Properties;
  /** The inputs. */
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
    const provider = new WebhookProvider({ log, notes });
    const explicit = name === "default" ? {} : { explicitProvider: name };
    const config: Properties = { ...explicit, ...settingsOf(state, apiKey) };
    const get = (key: string) => config[key.replace("webhooks:", "")] as string | undefined; // All are texts.
    void provider.configure({ config: { get, require: (key) => get(key) ?? "" } });
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
    await plugin.configure(providerUrn(state, name), receive(settingsOf(state, apiKey)));
    return {
      async check({ urn, olds, news }) {
        const { values, problems } = await plugin.check({ urn, olds: receive(olds), news: receive(news) });
        requireNone(problems);
        return values;
      },
      diff: ({ olds, news, ...known }) =>
        plugin.diff({ ...known, olds: receive(olds), news: receive(news), ignored: [] }),
      create: ({ urn, news }) => plugin.create({ urn, inputs: receive(news) }),
      update: ({ olds, news, ...known }) =>
        plugin.update({ ...known, olds: receive(olds), news: receive(news) }),
      read: ({ olds, ...known }) =>
        olds === undefined ? plugin.readImport(known) : plugin.read({ ...known, outputs: receive(olds) }),
      delete: ({ olds, ...known }) => plugin.delete({ ...known, outputs: receive(olds) }),
    };
  },
};

const receive = (values: Properties): Received => ({ values, secrets: new Set(["secret", "apiKey"]) });

function requireNone(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(problems.join("\n"));
}
