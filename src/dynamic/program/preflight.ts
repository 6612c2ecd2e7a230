import { createRequire } from "node:module";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { oldNodeProblem } from "../../pulumi/node-version.js";
import { findRole, isConfigSecret } from "../../pulumi/sdk-internals.js";
import { printStackName, type StackName, toStackName } from "../../record/stack-name.js";
import { plainKeyProblem, SettingGuide } from "../../settings/setting-guide.js";
import { unknownSettingsProblem } from "../../settings/setting-names.js";

/** The engines whose program passed. An inline program of the Automation API may run several times in one process. */
const passed = new WeakSet<object>();

/**
 * Refuses, before anything is declared, a program whose webhooks could not be managed or would expose the API key.
 *
 * Under mocks there is no engine, and nothing is loaded or stored. An inline program of the Automation API does not run in
 * its work directory, so only its settings are checked.
 *
 * @throws RunError that says what to do.
 */
export function runPreflight(): void {
  const engine = pulumi.runtime.getEngine();
  if (engine === undefined || passed.has(engine)) return;
  // The provider runs on the program's Node.js. An old one would fail to load it, with a stack trace per webhook.
  const environment = findRole() !== undefined ? [oldNodeProblem(), packageProblem()] : [];
  const problems = [...environment, keyProblem(), settingsProblem()].filter((one) => one !== undefined);
  if (problems.length > 0) throw new pulumi.RunError(problems.join("\n"));
  passed.add(engine);
}

/** Returns the name of the stack that runs the program. */
export function runningStack(): StackName {
  const [organization, project, stack] = [pulumi.getOrganization(), pulumi.getProject(), pulumi.getStack()];
  return toStackName({ organization, project, stack });
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
    return `Pulumi cannot load pulumi-webhooks from the program's directory, ${process.cwd()}. Add it to the program's own dependencies: npm install pulumi-webhooks`;
  }
}

/** Pulumi keeps the stack's config in the state of dynamic providers, where the key would be in plain text, too. */
function keyProblem(): string | undefined {
  const isPlain =
    new pulumi.Config("webhooks").get("apiKey") !== undefined && !isConfigSecret("webhooks:apiKey");
  return isPlain ? plainKeyProblem(new SettingGuide({ stack: printStackName(runningStack()) })) : undefined;
}

/** A misspelled setting would have no effect. In a project named webhooks, `webhooks:` is its own config as well. */
function settingsProblem(): string | undefined {
  if (pulumi.getProject() === "webhooks") return undefined;
  const keys = Object.keys(pulumi.runtime.allConfig());
  const names = keys.filter((key) => key.startsWith("webhooks:")).map((key) => key.slice("webhooks:".length));
  return unknownSettingsProblem({ names, stack: printStackName(runningStack()) });
}
