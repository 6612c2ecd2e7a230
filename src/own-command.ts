import { shellArgument } from "./shell-argument.js";

const isExecutable = process.getBuiltinModule?.("node:sea").isSea() ?? false;

/** The name of the command line: the executable of the plugin contains it, for machines without Node.js. */
export const OWN_NAME = isExecutable ? "pulumi-resource-webhooks" : "pulumi-webhooks";

/** What a person enters to run this package's commands. Pulumi does not put its plugins on PATH. */
export const OWN_COMMAND = isExecutable ? shellArgument(process.execPath) : `npx ${OWN_NAME}`;
