/** Reports whether this is the executable for machines without Node.js. */
export const isExecutable = process.getBuiltinModule?.("node:sea")?.isSea() ?? false;

/** The name of the command line: the executable of the plugin contains it, for machines without Node.js. */
export const OWN_NAME = isExecutable ? "pulumi-resource-webhooks" : "pulumi-webhooks";

/** What a person enters to run this package's commands. Pulumi does not put its plugins on PATH. */
export const OWN_COMMAND = isExecutable ? shellArgument(process.execPath) : `npx ${OWN_NAME}`;

/**
 * Writes an argument of a command that a person may copy into a shell. Names come from programs, the state and the API:
 * none of them may run as code. A URN is always quoted, which also shows where it ends in a sentence.
 */
export function shellArgument(text: string): string {
  return /^(?!urn:)[\w.,:/@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The environment variable by which the command `drift` passes the options that name its stack to the providers of its refresh. */
export const STACK_OPTION = "PULUMI_WEBHOOKS_STACK_OPTION";

let servedStack: string | undefined;
let servedFolder: string | undefined;

/** Lets the commands in the messages of this process name its stack: a provider's process serves one. */
export function serveStack(stack: string): void {
  servedStack = stack;
}

/** Lets the commands in the messages of this process name the folder to run them in. Default: the current one. */
export function serveFolder(folder: string | undefined): void {
  servedFolder = folder;
}

/**
 * Returns the options that name a stack, its config file and its folder in a command.
 * @param stack default: the one that this process serves. The dynamic provider learns it in an up, not in a refresh or a destroy.
 */
export function stackOption(stack?: string, configFile?: string): string {
  const passed = process.env[STACK_OPTION];
  if (stack === undefined && passed !== undefined) return passed;
  const option = (name: string, value?: string) =>
    value === undefined ? "" : ` --${name} ${shellArgument(value)}`;
  const named = option("stack", stack ?? servedStack) || " --stack <name>";
  return named + option("config-file", configFile) + option("cwd", servedFolder);
}

/**
 * Says how to resolve the webhooks of a stack: by the command, or where a pipeline accepts answers, such as `the workflow Recover`: nobody
 * can run a command on its machines. Its jobs set the variable.
 * @param rest what follows the command.
 */
export function resolveAdvice(stack?: string, rest = ""): string {
  const place = findPlace();
  return place === undefined ? `Run ${OWN_COMMAND} resolve${stackOption(stack)}${rest}` : `Start ${place}`;
}

/** Says how to unlock a stack whose run was killed: by Pulumi, or where a pipeline accepts answers. */
export function unlockAdvice(stack: string): string {
  const place = findPlace();
  return place === undefined ? `run pulumi cancel${stackOption(stack)}` : `start ${place} with unlock`;
}

function findPlace(): string | undefined {
  return process.env.PULUMI_WEBHOOKS_ANSWER_IN || undefined;
}
