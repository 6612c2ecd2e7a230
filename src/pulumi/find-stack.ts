import { parseStackName, type StackName } from "../record/stack-name.js";
import { startPulumi } from "./cli.js";
import { hasOrganizations, projectName } from "./project.js";

/** A stack as the CLI lists it, by its full name. */
interface ListedStack {
  name: string;
  /** Whether a run has it. Only an HTTP backend shows that. */
  updateInProgress?: boolean;
}

/** Reads the name of a stack, as far as a text says it. One of another project needs its full name in any backend. */
export function readStackName(text: string): StackName {
  const folder = process.cwd();
  const project = projectName(folder) ?? "";
  const name = parseStackName(text, project);
  return hasOrganizations(folder) || name.project !== project ? name : { ...name, organization: undefined };
}

/** Finds the name of the stack that a command means. @param given the option `--stack`. Default: the selected stack, which the CLI knows. */
export async function findStack(given?: string): Promise<StackName> {
  if (given !== undefined && !hasOrganizations(process.cwd())) return readStackName(given);
  const selects = given === undefined ? [] : ["--stack", given];
  const full = await startPulumi(["stack", "--show-name", FULL_NAMES, ...selects]).text;
  return readStackName(full.trim());
}

const FULL_NAMES = "--fully-qualify-stack-names";

/**
 * Completes the name of the stack that runs, for a plugin: neither its environment nor the engine's protocol names the organization.
 * @throws an error whose message says why it cannot be known, and what to do.
 */
export async function completeStackName(name: StackName, folder: string): Promise<StackName> {
  if (!hasOrganizations(folder)) return name;
  const { project, stack } = name;
  const args = ["stack", "ls", "--json", FULL_NAMES, "--project", project];
  const all: ListedStack[] = JSON.parse(await startPulumi(args, { folder }).text);
  const namesakes = all.filter((one) => one.name.endsWith(`/${project}/${stack}`));
  const found = findRunning(namesakes, process.env.PULUMI_STACK);
  if (found !== undefined) return { ...name, organization: found.name.split("/")[0] };
  const listed = namesakes.map((one) => one.name).join(" and ") || "none";
  throw new Error(
    `The service does not show in which organization the stack ${project}/${stack} runs; it lists ${listed}. Set PULUMI_STACK to its full name, do not pass --stack, and check that the access token can see it.`,
  );
}

/**
 * Finds which of the stacks that have one name runs: an up, a refresh and a destroy are in progress, a preview is not, beside which another
 * one may be in progress.
 *
 * @param selected the variable `PULUMI_STACK`, which the option `--stack` overrides.
 * @returns undefined if several may be it, or if what shows it contradicts.
 */
export function findRunning(
  namesakes: readonly ListedStack[],
  selected: string | undefined,
): ListedStack | undefined {
  const isRunning = ({ updateInProgress }: ListedStack) => updateInProgress === true;
  const isSelected = ({ name }: ListedStack) => name === selected;
  const [found, ...others] = [isRunning, isSelected].reduce(
    (possible, shows) => (namesakes.some(shows) ? possible.filter(shows) : possible),
    namesakes,
  );
  return others.length === 0 ? found : undefined;
}
