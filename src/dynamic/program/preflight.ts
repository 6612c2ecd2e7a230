import { createRequire } from "node:module";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { oldNodeProblem } from "../../pulumi/node-version.js";
import { findRole, isConfigSecret } from "../../pulumi/sdk-internals.js";
import { printStackName } from "../../record/stack-name.js";
import { plainKeyProblem } from "../../settings/setting-guide.js";
import { findUnknownSettings } from "../../settings/setting-names.js";
import { currentRun } from "./program-run.js";

/**
 * Refuses, before anything is declared, a program whose webhooks could not be managed or would expose the API key.
 *
 * Under mocks there is no engine, and nothing is loaded or stored. An inline program of the Automation API does not run in
 * its work directory, so only its settings are checked.
 */
export function runPreflight(): void {
  const run = currentRun();
  if (run === undefined || run.hasPassedPreflight) return;
  // The provider runs on the program's Node.js. An old one would fail to load it, with a stack trace per webhook.
  const environment = findRole() === undefined ? [] : [oldNodeProblem(), packageProblem()];
  const keys = Object.keys(pulumi.runtime.allConfig()).map((key) => key.split(":"));
  const names = keys.flatMap(([namespace, name = ""]) => (namespace === "webhooks" ? name : []));
  // Pulumi keeps the stack's config in the state of dynamic providers, where the key would be in plain text, too.
  const isPlain = names.includes("apiKey") && !isConfigSecret(pulumi.runtime, "webhooks:apiKey");
  const plainKey = isPlain ? plainKeyProblem({ stack: printStackName(run.name) }) : undefined;
  const unknown = findUnknownSettings(names, run.name.project);
  const problems = [...environment, plainKey, ...unknown.problems].filter((one) => one !== undefined);
  if (problems.length > 0) throw new pulumi.RunError(problems.join("\n"));
  for (const line of unknown.warnings) void pulumi.log.warn(line);
  run.hasPassedPreflight = true;
}

/**
 * Pulumi loads the stored provider from the program's directory. If only a library of the program depends on this
 * package, a strict package manager hides it there, and every operation would fail with "Cannot find module".
 */
function packageProblem(): string | undefined {
  try {
    createRequire(join(process.cwd(), "program.js")).resolve("pulumi-webhooks/provider");
    return undefined;
  } catch {
    // Pulumi runs the component, but resolves the stored text in the project that uses it, which may have no modules at all.
    if (findRole() === "component")
      return "A component package cannot declare webhooks of the dynamic provider: Pulumi loads that from the project which uses the component. Declare them with the plugin of pulumi-webhooks, which is in the package too: see docs/languages.md.";
    return `Pulumi cannot load pulumi-webhooks from the program's directory, ${process.cwd()}. Add pulumi-webhooks to the dependencies in the package.json there, and install them.`;
  }
}
