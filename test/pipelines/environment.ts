import { delimiter, dirname } from "node:path";

/** What a run of the tests adds to the environment, and a runner does not have. */
const OURS =
  /^(PULUMI_|WEBHOOKS_|GITHUB_|CI_|AWS_|VITEST|npm_)|^(CI|NODE_ENV|NODE_OPTIONS|TEST|MODE|DEV|PROD|SSR)$/;

/** Builds the environment of a clean machine, with Node.js 24 and these folders first on PATH. */
export function cleanEnvironment(folders: readonly string[] = []): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !OURS.test(name));
  const path = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  return {
    ...Object.fromEntries(inherited),
    PATH: [...folders, dirname(process.execPath), ...path].join(delimiter),
    // npm's cache is that of the machine; it asks the registry only for what is not in it.
    npm_config_prefer_offline: "true",
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
    GIT_AUTHOR_NAME: "A person",
    GIT_AUTHOR_EMAIL: "person@example.com",
    GIT_COMMITTER_NAME: "A person",
    GIT_COMMITTER_EMAIL: "person@example.com",
  };
}
