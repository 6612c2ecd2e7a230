import * as pulumi from "@pulumi/pulumi";
import { noteOf } from "../journal/place.js";
import type { Passed } from "../stack/hidden-properties.js";
import { writeDeclared } from "../stack/hidden-properties.js";
import type { Holder } from "../stack/past.js";
import type { Managed, RecordedStack } from "../stack/recorded-stack.js";
import { keyOf } from "../stack/resource-key.js";
import { WEBHOOK_TYPE } from "../stack/stack-export.js";
import { findEarlierUrns } from "./earlier-urns.js";
import type { ProgramRun } from "./program-run.js";
import { currentRun } from "./program-run.js";

/** A webhook as the constructor receives it. */
interface Webhook {
  /** The resource's logical name. */
  name: string;
  args: object;
  options: pulumi.CustomResourceOptions;
}

/** What the state and the program say of other resources. A preview may not know it yet. */
type Others = { holders?: pulumi.Output<Holder[]>; twin?: pulumi.Output<string | undefined> };

/**
 * Describes a webhook to the provider, which never receives a URN and cannot read the state.
 *
 * @returns undefined if no engine runs the program, as under mocks.
 */
export async function describeDeclared(webhook: Webhook): Promise<Passed<Others> | undefined> {
  const run = currentRun();
  if (run === undefined) return undefined;
  const { name, args, options } = webhook;
  const stack = await run.stack();
  const urn = await urnOf(name, options.parent);
  const ignored = FIELDS.filter((field) =>
    options.ignoreChanges?.some((ignored) => ignored === field || ignored === "*"),
  );
  // With ignoreChanges an argument has the value that is recorded, which may be none.
  const given = Object.entries(args).flatMap(([argument, value]) =>
    value == null || ignored.includes(argument) ? [] : [argument],
  );
  const note = noteOf(run.createsFolder, { urn, organization: pulumi.getOrganization() });
  const declared = { key: keyOf(urn), given, note, ...(ignored.length > 0 && { ignored }) };
  if (stack === undefined) return writeDeclared(declared, {});
  const { parent, aliases } = options;
  const earlierUrns = stack.mayBeRenamed(urn) ? await findEarlierUrns({ name, parent, aliases }) : [];
  const resource = { ...webhook, urn, earlierUrns };
  const past = stack.pastOf(resource);
  return writeDeclared({ ...declared, past }, findOthers({ run, stack, resource }));
}

const FIELDS = ["url", "name", "enabled", "secret"];

interface Search {
  run: ProgramRun;
  stack: RecordedStack;
  resource: Webhook & { urn: string; earlierUrns: readonly string[] };
}

/** Finds other resources that have, import, or may be the same webhook. */
function findOthers({ run, stack, resource }: Search): Others {
  const { name, args, options, urn } = resource;
  const own = run.accounts.nameOf(options.provider ?? options.parent?.getProvider(WEBHOOK_TYPE));
  if (options.import !== undefined) {
    // An output, since a preview may not know the id yet.
    const holders = pulumi.output(options.import).apply((id) => {
      const importing = run.addImport(String(id), { urn, provider: own }).map((importer) => ({
        ...importer,
        isOwn: false,
        baseUrl: run.accounts.find(importer.provider)?.baseUrl,
      }));
      const all = pulumi.output([...importing, ...stack.holdersOf(String(id), urn)]);
      return all.apply((resources) => withAccounts(run, own, resources));
    });
    return { holders: pulumi.unsecret(holders) };
  }
  if (!stack.hasUnresolved) return {};
  const { url, name: declaredName = name }: Record<string, unknown> = { ...args };
  const twin = pulumi.all([url, declaredName]).apply(([knownUrl, knownName]) => {
    const twins = stack.twinsOf(resource, { url: knownUrl, name: knownName });
    return withAccounts(run, own, twins).apply((all) => all.find(({ hasOtherKey }) => !hasOtherKey)?.urn);
  });
  return { twin: pulumi.unsecret(twin) };
}

/** Adds whether the Provider of each resource has another key than the own one. */
function withAccounts<Value>(
  run: ProgramRun,
  own: string | undefined,
  resources: readonly Managed<Value>[],
): pulumi.Output<(Value & { hasOtherKey: boolean })[]> {
  const all = resources.map(({ provider, ...resource }) =>
    run.accounts.haveDifferentKeys(own, provider).apply((hasOtherKey) => ({ ...resource, hasOtherKey })),
  );
  return pulumi.all(all) as pulumi.Output<(Value & { hasOtherKey: boolean })[]>; // The declaration unwraps Value, which has no outputs.
}

/** The type of the root of a stack. It is no part of the URNs of the resources below it. */
const ROOT_TYPE = "pulumi:pulumi:Stack";

/** Returns the URN of a webhook. pulumi.createUrn() returns a wrong one if the name of the parent contains "::". */
async function urnOf(name: string, parent: pulumi.Resource | undefined): Promise<string> {
  const prefix = `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::`;
  const [, , parentType = ROOT_TYPE] = parent === undefined ? [] : (await resolved(parent.urn)).split("::");
  return `${prefix}${parentType === ROOT_TYPE ? "" : `${parentType}$`}${WEBHOOK_TYPE}::${name}`;
}

function resolved<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => {
    output.apply(resolve);
  });
}
