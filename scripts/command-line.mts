import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/**
 * Parses a script's options.
 *
 * Ends the process after printing the help text: with 0 for `--help`, with 2 for a wrong option.
 */
export function parseOptions<const Options extends ParseArgsOptionsConfig>(help: string, options: Options) {
  const args = process.argv.slice(2);
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(help);
    process.exit();
  }
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${help}`);
    process.exit(2);
  }
}
