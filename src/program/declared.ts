import * as pulumi from "@pulumi/pulumi";
import { shortHash } from "../notes/short-hash.js";
import { ignoredOf } from "../stack/arguments.js";
import type { Declared, Passed } from "../stack/hidden-properties.js";
import { writeDeclared } from "../stack/hidden-properties.js";
import { WEBHOOK_TYPE } from "../stack/stack-export.js";
import { currentRun } from "./program-run.js";

/** A webhook as the constructor receives it. */
interface Webhook {
  /** The resource's logical name. */
  name: string;
  args: object;
  options: pulumi.CustomResourceOptions;
}

/** The resource that has the webhook to import. A preview may not know its id yet. */
type Holder = pulumi.Output<string | undefined>;

/**
 * Describes a webhook to the provider, which never receives a URN and cannot read the state.
 *
 * @returns undefined if no engine runs the program, as under mocks.
 */
export async function describeDeclared({
  name,
  args,
  options,
}: Webhook): Promise<Passed<Holder> | undefined> {
  const run = currentRun();
  if (run === undefined) return undefined;
  const { notesFolder } = run;
  const [stack, gate, urn] = await Promise.all([run.stack(), run.gate(), urnOf(name, options.parent)]);
  const ignored = ignoredOf(options.ignoreChanges);
  // With ignoreChanges an argument has the value that is recorded, which may be none.
  const given = Object.entries(args).flatMap(([argument, value]) =>
    value == null || ignored.includes(argument) ? [] : [argument],
  );
  const explicit = options.provider ?? options.parent?.getProvider(WEBHOOK_TYPE);
  const provider = explicit && run.providers.get(explicit);
  const unconfirmed = stack?.countUnconfirmed(provider) ?? 0;
  const declared: Declared = {
    key: shortHash(urn),
    given,
    notePlace: { folder: notesFolder, urn, organization: pulumi.getOrganization() },
    past: stack?.pastOf(urn) ?? { kind: "unread" },
    ...(ignored.length > 0 && { ignored }),
    ...(unconfirmed > 0 && { unconfirmed }),
    ...(gate !== undefined && { gate }),
  };
  if (options.import === undefined || stack === undefined) return writeDeclared(declared);
  if (declared.past.kind === "new" && pulumi.runtime.isDryRun()) explainImport(name, options.import);
  const holder = pulumi.output(options.import).apply((id) => stack.holderOf(String(id), { urn, provider }));
  return writeDeclared(declared, pulumi.unsecret(holder));
}

/** Returns the id of a webhook that the program only reads. @throws RunError if the stack manages one under its name. */
export function readableId(name: string, id: pulumi.Input<pulumi.ID>, parent: pulumi.Resource | undefined) {
  return pulumi.output(id).apply(async (known) => {
    const [stack, urn] = await Promise.all([currentRun()?.stack(), urnOf(name, parent)]);
    const problem = stack?.getProblem(urn);
    if (problem !== undefined) throw new pulumi.RunError(`Webhook.get ${name} failed: ${problem}`);
    return known;
  });
}

/** Shows in a preview what an import does: the plan lists it as a create. */
function explainImport(name: string, importId: pulumi.Input<pulumi.ID>): void {
  pulumi.output(importId).apply((id) => {
    const line = `${name} imports webhook ${id}: pulumi up sends it the declared url, name and enabled, which overwrites what the dashboard shows.`;
    void pulumi.log.info(line);
  });
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
