import * as pulumi from "@pulumi/pulumi";
import { type Described, IMPORTERS, ignoredOf, RESOURCE_CONTEXT } from "../../record/properties.js";
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
    [RESOURCE_CONTEXT]: describe(run, webhook),
    ...(importId !== undefined && { [IMPORTERS]: importersOf(run, importId, webhook) }),
  };
}

async function describe(run: ProgramRun, { name, args, options }: Webhook): Promise<string> {
  const ignored = ignoredOf(options.ignoreChanges);
  const described: Described = {
    urn: await urnOf(name, options.parent),
    organization: run.name.organization,
    // With ignoreChanges an argument has the value that is recorded, which may be none.
    given: Object.keys(args).filter((name) => args[name] != null && !ignored.includes(name)),
    ...(ignored.length > 0 && { ignored }),
    isPreview: run.isPreview,
  };
  return JSON.stringify(described);
}

/** Lists the other imports of a webhook in the program, as JSON. A preview may not know its id yet. */
function importersOf(
  run: ProgramRun,
  importId: pulumi.Input<pulumi.ID>,
  { name, options }: Webhook,
): pulumi.Output<string> {
  const importers = pulumi.output(importId).apply(async (id) => {
    const urn = await urnOf(name, options.parent);
    const others = run.imports.get(id) ?? [];
    const baseUrl = baseUrlOf(options);
    run.imports.set(id, [...others, { urn, ...(baseUrl !== undefined && { baseUrl }) }]);
    return JSON.stringify(others);
  });
  return pulumi.unsecret(importers);
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
