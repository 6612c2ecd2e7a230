import * as pulumi from "@pulumi/pulumi";
import { ignoredOf, OWNERS, RESOURCE_CONTEXT, type ResourceContext } from "../../record/properties.js";
import { WEBHOOK_TYPE } from "../../stack/stack-export.js";
import { baseUrlOf } from "./declared-base-url.js";
import { currentRun, type ProgramRun } from "./program-run.js";

interface Webhook {
  name: string;
  args: Record<string, unknown>;
  options: pulumi.CustomResourceOptions;
}

/** Describes a webhook to the provider, which never receives a URN: by hidden inputs, which check removes. Under mocks, it has none. */
export function describeResource(webhook: Webhook): pulumi.Inputs {
  const run = currentRun();
  if (run === undefined) return {};
  const { import: importId } = webhook.options;
  return {
    [RESOURCE_CONTEXT]: contextOf(run, webhook),
    ...(importId !== undefined && { [OWNERS]: ownersOf(run, importId, webhook) }),
  };
}

async function contextOf(run: ProgramRun, { name, args, options }: Webhook): Promise<string> {
  const [stack, urn] = await Promise.all([run.stack(), urnOf(name, options.parent)]);
  const ignored = ignoredOf(options.ignoreChanges);
  const { isPreview } = run;
  const context: ResourceContext = {
    urn,
    organization: run.name.organization,
    // With ignoreChanges an argument has the value that is recorded, which may be none.
    given: Object.keys(args).filter((name) => args[name] != null && !ignored.includes(name)),
    ...(stack?.describe(urn, isPreview) ?? { past: { kind: "unread" } }),
    ...(ignored.length > 0 && { ignored }),
    program: { notesFolder: run.notesFolder, isPreview },
  };
  return JSON.stringify(context);
}

/** Lists who has a webhook to import, or imports it, too, as JSON. A preview may not know its id yet. */
function ownersOf(
  run: ProgramRun,
  importId: pulumi.Input<pulumi.ID>,
  { name, options }: Webhook,
): pulumi.Output<string> {
  const owners = pulumi.output(importId).apply(async (id) => {
    const [stack, urn] = await Promise.all([run.stack(), urnOf(name, options.parent)]);
    const importers = run.imports.get(id) ?? [];
    const baseUrl = baseUrlOf(options);
    run.imports.set(id, [...importers, { urn, ...(baseUrl !== undefined && { baseUrl }) }]);
    return JSON.stringify([...(stack?.ownersOf(String(id)) ?? []), ...importers]);
  });
  return pulumi.unsecret(owners);
}

/** The type of the root of a stack. It is no part of the URNs of the resources below it. */
const ROOT_TYPE = "pulumi:pulumi:Stack";

/** Returns the URN of a webhook. pulumi.createUrn() returns a wrong one if the name of the parent contains "::". */
async function urnOf(name: string, parent: pulumi.Resource | undefined): Promise<string> {
  const parentUrn = parent && (await new Promise<string>((resolve) => parent.urn.apply(resolve)));
  const [, , parentType = ROOT_TYPE] = parentUrn?.split("::") ?? [];
  const prefix = `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::`;
  return `${prefix}${parentType === ROOT_TYPE ? "" : `${parentType}$`}${WEBHOOK_TYPE}::${name}`;
}
