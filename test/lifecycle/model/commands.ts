import fc from "fast-check";
import type { State } from "../../../src/lifecycle/state.js";
import type { Behaviour } from "../../../src/simulator/index.js";
import type { Alias, Declaration, Kill, ProviderName, Recorded, Sdk } from "./engine.js";
import { SDKS } from "./engine.js";
import type { Trouble } from "./faults.js";
import { refreshTroubles, troubles } from "./faults.js";
import { currentOf, isInDoubt, unrecorded } from "./invariants.js";
import type { Model } from "./model.js";
import type { World } from "./world.js";

/** The logical names that a program may use. */
export const RESOURCES = ["hook-0", "hook-1", "hook-2", "hook-3", "hook-4", "hook-5"] as const;
export const KEYS = ["key-canary-4711", "key-canary-4712", 'key-canary-"\\+/4713'] as const;
export const SECRETS = ["whsec-canary-0815", "whsec-canary-0816", 'whsec-canary-"é\\/+ 0817'] as const;

/** An act of a person: on the program, in the dashboard, at the API, or with the pulumi command. */
class Command implements fc.AsyncCommand<Model, World> {
  readonly #label: string;
  readonly #isPossible: (model: Readonly<Model>) => boolean;
  readonly #act: (model: Model, world: World) => unknown;

  constructor(
    label: string,
    isPossible: (model: Readonly<Model>) => boolean,
    act: (model: Model, world: World) => unknown,
  ) {
    this.#label = label;
    this.#isPossible = isPossible;
    this.#act = act;
  }

  check(model: Readonly<Model>): boolean {
    return this.#isPossible(model);
  }

  async run(model: Model, world: World): Promise<void> {
    world.note(this.#label);
    await this.#act(model, world);
  }

  toString(): string {
    return this.#label;
  }
}

const resource = fc.constantFrom(...RESOURCES);
const name = fc.constantFrom("Orders", "Invoices", "Refunds", 'É "quoted" \\ <b>');
const secret = fc.constantFrom(undefined, ...SECRETS);
const provider = fc.constantFrom<ProviderName>("default", "default", "own");
const fields = { path: fc.nat(3), name, enabled: fc.boolean() };
const andTwins = fc.nat(3).map((n) => n > 0);
/** Resources that share their URL may have equal inputs. */
const isShared = fc.nat(3).map((n) => n === 0);
const urlOf = (resource: string, path: number, isShared = false) =>
  `https://example.com/${isShared ? "shared" : resource}/${path}`;

// Changes of the program. The person knows the README, and makes no mistake here.

const declare = fc
  .record({ resource, provider, ...fields, isShared, secret, deleteBeforeReplace: fc.boolean() })
  .map(({ resource, provider, path, name, enabled, isShared, secret, deleteBeforeReplace }) => {
    const declaration: Declaration = {
      provider,
      url: urlOf(resource, path, isShared),
      name,
      enabled,
      ...(secret !== undefined && { secret }),
      deleteBeforeReplace,
    };
    return new Command(
      `declare ${resource} ${JSON.stringify(declaration)}`,
      (model) => isFree(model, resource) && (model.hasTwins || !isShared) && model.canUse(provider),
      (model) => model.program.set(resource, declaration),
    );
  });

function isFree(model: Readonly<Model>, resource: string): boolean {
  const current = currentOf(model.records, resource);
  const { id = "", pendingReplacement } = current ?? {};
  if (current !== undefined && !model.canDeclareAgain(current)) return false;
  if (model.isRecordedTwice(id)) return false;
  // The warning said to look for the webhook that was dropped in doubt first.
  if (isInDoubt({ id }) && pendingReplacement) return false;
  return !model.program.has(resource) && !model.isAlias(resource) && !model.isImported(id);
}

const declareTwin = fc.record({ resource, of: resource, provider }).map(
  ({ resource, of, provider }) =>
    new Command(
      `declare ${resource} of the Provider ${provider} as a twin of ${of}`,
      (model) => model.hasTwins && model.program.has(of) && isFree(model, resource) && model.canUse(provider),
      (model) => {
        const declared = model.program.get(of);
        if (declared === undefined) return;
        const { import: _, alias: __, ...twin } = declared;
        model.program.set(resource, { ...twin, provider });
      },
    ),
);

const change = fc
  .record({
    resource,
    change: fc.record({ ...fields, isShared }, { requiredKeys: [] }),
    andTwins,
  })
  .map(({ resource, change: { path, isShared = false, ...change }, andTwins }) => {
    const changed = { ...change, ...(path !== undefined && { url: urlOf(resource, path, isShared) }) };
    return new Command(
      `change ${resource}${andTwins ? " and its twins" : ""} to ${JSON.stringify(changed)}`,
      (model) => model.program.has(resource) && (model.hasTwins || !isShared),
      (model) => {
        for (const one of andTwins ? model.twinsOf(resource) : [resource]) {
          model.change(one, (old) => ({ ...old, ...changed }));
        }
      },
    );
  });

const changeSecret = fc.record({ resource, secret, andTwins }).map(
  ({ resource, secret, andTwins }) =>
    new Command(
      `change the secret of ${resource}${andTwins ? " and its twins" : ""} to ${secret}`,
      (model) => model.program.has(resource),
      (model) => {
        for (const one of andTwins ? model.twinsOf(resource) : [resource]) {
          model.change(one, (old) => withSecret(old, secret));
        }
      },
    ),
);

function withSecret({ secret: _, ...rest }: Declaration, secret: unknown): Declaration {
  return typeof secret === "string" ? { ...rest, secret } : rest;
}

/** Reverts the program to the recorded state, as after a failed up. */
const revert = fc.constant(
  new Command(
    "revert the program to the recorded state",
    (model) => model.reverted().length > 0,
    (model) => {
      for (const record of model.reverted()) declareAsRecorded(model, record);
    },
  ),
);

function declareAsRecorded(model: Model, { resource, provider, outputs }: Recorded): void {
  const { url, name, enabled, secret } = outputs as State;
  const { alias } = model.program.get(resource) ?? {};
  model.program.set(resource, {
    provider,
    url,
    name,
    enabled,
    ...(secret !== undefined && { secret }),
    ...(alias !== undefined && { alias }),
  });
}

/** Takes back what was changed since, as after a run that failed or was killed. */
const goBack = fc.constant(
  new Command(
    "go back to the program of the last up that ended well",
    (model) => model.applied().length > 0,
    (model) => {
      const applied = new Map(model.applied());
      for (const resource of [...model.program.keys()]) {
        if (!applied.has(resource) && !model.isBeingRenamed(resource)) model.program.delete(resource);
      }
      for (const [resource, { import: _, alias: __, ...declared }] of applied) {
        const { alias } = model.program.get(resource) ?? {};
        model.program.set(resource, { ...declared, ...(alias !== undefined && { alias }) });
      }
    },
  ),
);

const remove = resource.map(
  (resource) =>
    new Command(
      `remove ${resource}`,
      (model) => model.program.has(resource) && !model.isBeingRenamed(resource),
      (model) => model.program.delete(resource),
    ),
);

/** For Pulumi it stays the same resource. Another process manages it from then on. */
const move = fc.record({ resource, provider }).map(
  ({ resource, provider }) =>
    new Command(
      `move ${resource} to the Provider ${provider}`,
      (model) => model.program.has(resource) && model.canUse(provider),
      (model) => model.change(resource, (old) => ({ ...old, provider })),
    ),
);

const by = fc.constantFrom<Alias["by"]>("options", "transformation");

/** For Pulumi it stays the same resource. Its records get the new name when an up saves the resource. */
const renameWithAlias = fc.record({ from: resource, to: resource, by }).map(
  ({ from, to, by }) =>
    new Command(
      `rename ${from} to ${to} with an alias by ${by}`,
      (model) =>
        model.program.has(from) && model.program.get(from)?.alias === undefined && model.isUnused(to),
      (model) => model.rename(from, to, by),
    ),
);

/** Then nothing but the alias shows that the webhook which it replaces is still needed. */
const renameDoubt = fc.record({ to: resource, by, nth: fc.nat(5) }).map(
  ({ to, by, nth }) =>
    new Command(
      `rename webhook in doubt ${nth} to ${to} with an alias by ${by}`,
      (model) => renamableDoubts(model).length > 0 && model.isUnused(to),
      (model) => {
        const doubts = renamableDoubts(model);
        const { resource = "" } = doubts[nth % doubts.length] ?? {};
        model.rename(resource, to, by);
      },
    ),
);

const renamableDoubts = (model: Readonly<Model>) =>
  model.inDoubt().filter(({ resource }) => model.program.get(resource)?.alias === undefined);

const dropAlias = resource.map(
  (resource) =>
    new Command(
      `remove the alias of ${resource}`,
      (model) => model.program.get(resource)?.alias !== undefined && !model.isBeingRenamed(resource),
      (model) => model.change(resource, ({ alias: _, ...rest }) => rest),
    ),
);

const importStranger = fc.record({ resource, provider, nth: fc.nat(5), ...fields, secret }).map(
  ({ resource, nth, path, secret, ...rest }) =>
    new Command(
      `import stranger ${nth} as ${resource}`,
      (model) => model.isUnused(resource) && model.strangers().length > 0 && model.canUse(rest.provider),
      (model) => {
        const strangers = model.strangers();
        const id = strangers[nth % strangers.length];
        if (id === undefined) return;
        const url = urlOf(resource, path);
        model.program.set(resource, { ...rest, url, import: id, ...(secret !== undefined && { secret }) });
      },
    ),
);

/** Removes the option after the import, or if there is nothing to import. */
const dropImport = resource.map(
  (resource) =>
    new Command(
      `remove the option import of ${resource}`,
      (model) => {
        const { import: id } = model.program.get(resource) ?? {};
        if (id === undefined) return false;
        return (
          !model.webhooks.has(id) ||
          (model.isHealthy(resource) && currentOf(model.records, resource)?.id === id)
        );
      },
      (model) => {
        model.change(resource, withoutImport);
      },
    ),
);

function withoutImport({ import: _, ...rest }: Declaration): Declaration {
  return rest;
}

// Mistakes of a person: a webhook has two owners. They are refused, and then taken back.

/** Renames without an alias, maybe to another Provider. For Pulumi it is another resource, which imports the webhook. */
const rename = fc.record({ from: resource, to: resource, provider }).map(
  ({ from, to, provider }) =>
    new Command(
      `up after ${from} was renamed to ${to} of the Provider ${provider} with import, and take it back`,
      (model) =>
        model.program.get(from)?.alias === undefined &&
        model.isHealthy(from) &&
        model.isUnused(to) &&
        model.canUse(provider),
      async (model, world) => {
        const { id } = currentOf(model.records, from) ?? {};
        const declaration = model.program.get(from);
        if (id === undefined || declaration === undefined) return;
        model.program.delete(from);
        model.program.set(to, { ...declaration, provider, url: urlOf(to, 0), import: id });
        await world.upRefused(to, id);
        model.program.delete(to);
        model.program.set(from, declaration);
      },
    ),
);

/** Imports a webhook that is recorded, maybe for the deletion of what it was replaced by. */
const importRecorded = fc.record({ resource, provider, nth: fc.nat(9), ...fields }).map(
  ({ resource, path, nth, ...rest }) =>
    new Command(
      `up that imports recorded webhook ${nth} as ${resource} of the Provider ${rest.provider}, and take it back`,
      (model) =>
        model.isUnused(resource) &&
        model.records.some((record) => !isInDoubt(record)) &&
        model.canUse(rest.provider),
      async (model, world) => {
        const ids = model.records.filter((record) => !isInDoubt(record)).map(({ id }) => id);
        const id = ids[nth % ids.length] ?? "";
        model.program.set(resource, { ...rest, url: urlOf(resource, path), import: id });
        await world.upRefused(resource, id);
        model.program.delete(resource);
      },
    ),
);

/** Imports one webhook as two resources, maybe of two Providers, and takes the one back that is not recorded. */
const importTwice = fc
  .record({
    one: resource,
    other: resource,
    nth: fc.nat(5),
    ...fields,
    providers: fc.tuple(provider, provider),
  })
  .map(
    ({ one, other, nth, path, providers, ...rest }) =>
      new Command(
        `up that imports stranger ${nth} as ${one} and ${other} of the Providers ${providers}, and take one back`,
        (model) =>
          one !== other &&
          model.isUnused(one) &&
          model.isUnused(other) &&
          model.strangers().length > 0 &&
          providers.every((provider) => model.canUse(provider)),
        async (model, world) => {
          const strangers = model.strangers();
          const id = strangers[nth % strangers.length] ?? "";
          for (const [index, resource] of [one, other].entries()) {
            const provider = providers[index] ?? "default";
            model.program.set(resource, { ...rest, provider, url: urlOf(resource, path), import: id });
          }
          await world.upRefused(other, id);
          model.program.delete(currentOf(model.records, other) === undefined ? other : one);
        },
      ),
  );

// Changes at the API.

const rotateKey = fc.record({ key: fc.constantFrom(...KEYS), isSet: fc.boolean() }).map(
  ({ key, isSet }) =>
    new Command(
      `rotate the key to ${key}${isSet ? "" : ", and forget to set it"}`,
      () => true,
      (model, { api }) => {
        api.apiKey = key;
        if (isSet) model.key = key;
      },
    ),
);

const setKey = fc.constant(
  new Command(
    "set the right key",
    () => true,
    (model, { api }) => {
      model.key = api.apiKey;
    },
  ),
);

const behaviours: fc.Arbitrary<Partial<Behaviour>> = fc.record(
  {
    idPlace: fc.constantFrom("data.webhook.id", "data.id", "webhook.id", "id"),
    idType: fc.constantFrom("number", "string"),
    firstId: fc.constantFrom("4711", "9007199254740993", "123456789012345678901234567890"),
    enabledType: fc.constantFrom("boolean", "string"),
    timestampsInCreateReply: fc.boolean(),
    timestampPrecision: fc.constantFrom("microseconds", "milliseconds", "seconds"),
    errorShape: fc.constantFrom("message", "errors", "nested"),
    clockSkewSeconds: fc.constantFrom(0, -3600, 3600),
  },
  { requiredKeys: [] },
);

const changeBehaviour = behaviours.map(
  (behaviour) =>
    new Command(
      `set the API's behaviour ${JSON.stringify(behaviour)}`,
      // Without the times of creates, nothing shows that an id was used again.
      ({ usesIdsAgain }) =>
        !usesIdsAgain ||
        (behaviour.timestampsInCreateReply !== false && behaviour.clockSkewSeconds === undefined),
      (_, { api }) => {
        api.behaviour = { ...api.behaviour, ...behaviour };
      },
    ),
);

const useIdsAgain = fc.constant(
  new Command(
    "let the API use the ids of deleted webhooks again",
    (model) => !model.usesIdsAgain && model.mayUseIdsAgain(),
    (model, { api }) => {
      model.usesIdsAgain = true;
      api.behaviour = { ...api.behaviour, deletedIds: "used again", timestampsInCreateReply: true };
    },
  ),
);

const clearOmitted = fc.constant(
  new Command(
    "let the API clear omitted fields",
    (model) => model.omittedFields === undefined,
    (model, { api }) => {
      model.omittedFields = "cleared";
      api.behaviour = { ...api.behaviour, omittedFields: "cleared" };
    },
  ),
);

/** Sets the probe only if the API keeps omitted fields, as the doctor advises. */
const probe = fc.constantFrom("off" as const, "probe" as const).map(
  (drift) =>
    new Command(
      `set webhooks:drift ${drift}`,
      (model) => model.omittedFields !== "cleared",
      (model) => {
        model.omittedFields = "kept";
        model.drift = drift;
      },
    ),
);

const dashboardCreate = fc.record({ path: fc.nat(9), name, enabled: fc.boolean() }).map(({ path, ...rest }) =>
  inDashboard("create a webhook", 0, (_, world) => {
    const { api } = world;
    const { deletedIds } = api.behaviour;
    // A limit: a delete that is repeated would delete a webhook in the dashboard that got its id.
    api.behaviour.deletedIds = "never used again";
    api.dashboard.create({ ...rest, url: urlOf("dashboard", path) });
    api.behaviour.deletedIds = deletedIds;
  }),
);

const dashboardEdit = fc
  .record({ nth: fc.nat(9), path: fc.nat(9), name, enabled: fc.boolean() })
  .map(({ nth, path, ...rest }) =>
    inDashboard(`edit webhook ${nth}`, 1, (model, world) => {
      const id = model.anyWebhook(nth);
      world.api.dashboard.edit(id, { ...rest, url: urlOf("dashboard", path) });
      model.edited.add(id);
    }),
  );

const dashboardDelete = fc.nat(9).map((nth) =>
  inDashboard(`delete webhook ${nth}`, 1, (model, world) => {
    const id = model.anyWebhook(nth);
    // A limit: only the reply to an update shows that another webhook has got the id.
    if (model.usesIdsAgain && model.owners.has(id)) return;
    world.api.dashboard.delete(id);
    model.gone.add(id);
  }),
);

function inDashboard(label: string, least: number, act: (model: Model, world: World) => void): Command {
  return new Command(
    `in the dashboard, ${label}`,
    (model) => model.webhooks.size >= least,
    (model, world) => {
      act(model, world);
      model.webhooks = world.webhooks();
    },
  );
}

// Runs of the pulumi command.

const noTroubles = fc.constant<Trouble[]>([]);
const maybeTroubles = fc.oneof({ weight: 2, arbitrary: noTroubles }, { weight: 3, arbitrary: troubles });
const during = (troubles: readonly Trouble[]) =>
  troubles.length === 0 ? "" : ` while ${troubles.map(({ label }) => label).join("; ")}`;
const goesOn = ({ continueOnError, sdk }: { continueOnError: boolean; sdk: Sdk }) =>
  continueOnError ? ` --continue-on-error with SDK ${sdk}` : "";

/** A kill, if the engine can be killed. */
const maybeKill = fc.option(fc.record<Kill>({ nth: fc.nat(2), isSent: fc.boolean() }), {
  freq: 4,
  nil: undefined,
});
const killed = (kill: Kill | undefined) =>
  kill === undefined ? "" : ` killed ${kill.isSent ? "after" : "before"} the request of change ${kill.nth}`;

const up = fc
  .record({
    troubles: maybeTroubles,
    patience: fc.constantFrom("short", "short", "long"),
    parallel: fc.constantFrom(1, 2, 16),
    replaced: fc.option(resource, { freq: 8, nil: undefined }),
    continueOnError: fc.boolean(),
    sdk: fc.constantFrom(...SDKS),
    repeatsCreates: fc.nat(7).map((n) => n === 0),
    kill: maybeKill,
  })
  .map(({ troubles, replaced, kill, ...options }) => {
    const { patience, parallel, continueOnError, sdk, repeatsCreates } = options;
    const target = replaced === undefined ? "" : ` --replace ${replaced}`;
    const more = goesOn({ continueOnError, sdk });
    const hook = repeatsCreates ? " and an error hook" : "";
    return new Command(
      `up --parallel ${parallel}${target}${more} with ${patience} deadlines${hook}${during(troubles)}${killed(kill)}`,
      (model) => kill === undefined || model.canBeKilled,
      (model, world) => {
        const isTarget = replaced !== undefined && model.isReplaceable(replaced) && model.isHealthy(replaced);
        const replace = new Set(isTarget ? [replaced] : []);
        return world.up({ ...options, troubles, replace, kill });
      },
    );
  });

/** Follows the error of a webhook in doubt: looks at the dashboard, then imports the webhook or creates it again. */
const resolve = fc
  .record({
    troubles: maybeTroubles,
    all: fc.boolean(),
    continueOnError: fc.boolean(),
    sdk: fc.constantFrom(...SDKS),
  })
  .map(
    ({ troubles, all, ...options }) =>
      new Command(
        `resolve ${all ? "what is" : "one of those"} in doubt, with an up${goesOn(options)}${during(troubles)}`,
        (model) => model.inDoubt().length > 0,
        (model, world) => {
          const replace = new Set<string>();
          for (const { resource } of all ? model.inDoubt() : model.inDoubt().slice(0, 1)) {
            const declaration = model.program.get(resource);
            const [found] = unrecorded(model, model.owners, resource);
            if (declaration === undefined || declaration.import !== undefined) continue;
            if (found !== undefined) model.program.set(resource, { ...declaration, import: found });
            else if (model.isReplaceable(resource)) replace.add(resource);
          }
          return world.up({ ...options, troubles, replace });
        },
      ),
  );

/** Follows the error of a webhook that is gone. */
const createAgain = maybeTroubles.map(
  (troubles) =>
    new Command(
      `create again what is gone, with an up${during(troubles)}`,
      (model) => model.missing().some((resource) => model.isReplaceable(resource)),
      (model, world) => {
        const missing = model.missing().filter((resource) => model.isReplaceable(resource));
        for (const resource of missing) model.change(resource, withoutImport);
        return world.up({ troubles, replace: new Set(missing) });
      },
    ),
);

/** Follows the error of a delete that may have taken effect, for a webhook that is declared after all. */
const keepAfterAll = maybeTroubles.map(
  (troubles) =>
    new Command(
      `declare again what may be deleted, with an up --replace${during(troubles)}`,
      (model) => model.keepable().length > 0,
      (model, world) => {
        const kept = model.keepable();
        for (const record of kept) declareAsRecorded(model, record);
        return world.up({ troubles, replace: new Set(kept.map(({ resource }) => resource)) });
      },
    ),
);

const refresh = fc.record({ troubles: fc.oneof(noTroubles, refreshTroubles), runProgram: fc.boolean() }).map(
  ({ troubles, runProgram }) =>
    new Command(
      `refresh${runProgram ? " --run-program" : ""}${during(troubles)}`,
      (model) => model.records.length > 0,
      (_, world) => world.refresh({ troubles, runProgram }),
    ),
);

const destroy = fc.record({ troubles: maybeTroubles, runProgram: fc.boolean(), kill: maybeKill }).map(
  ({ troubles, runProgram, kill }) =>
    new Command(
      `destroy${runProgram ? " --run-program" : ""}${during(troubles)}${killed(kill)}`,
      (model) => model.records.length > 0 && (kill === undefined || model.canBeKilled),
      (_, world) => world.destroy({ troubles, runProgram, kill }),
    ),
);

/** A mistake: all webhooks are recorded at another URL. An unrecorded one could rightly be created there. */
const switchAccount = fc.constant(
  new Command(
    "up with another account's URL",
    ({ program, records }) =>
      program.size > 0 && [...program.keys()].every((resource) => currentOf(records, resource) !== undefined),
    (_, world) => world.upElsewhere(),
  ),
);

/** Builds histories of commands in any order. Impossible commands are skipped. */
export const histories = (maxCommands: number) =>
  fc.commands(
    [
      fc.oneof(
        ...often(24, up),
        ...often(12, declare, declareTwin, change, resolve),
        ...often(8, changeSecret, renameDoubt),
        ...often(6, revert, goBack, importStranger, dropImport, createAgain, keepAfterAll),
        ...often(4, move, renameWithAlias, dropAlias),
        ...often(3, remove, rename, setKey, dashboardCreate, refresh),
        ...often(2, rotateKey, dashboardEdit, dashboardDelete, changeBehaviour, importRecorded, importTwice),
        ...often(1, probe, clearOmitted, useIdsAgain, switchAccount, destroy),
      ),
    ],
    { maxCommands, size: "max" },
  );

function often(weight: number, ...commands: fc.Arbitrary<Command>[]) {
  return commands.map((arbitrary) => ({ weight, arbitrary }));
}
