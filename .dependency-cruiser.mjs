// What the folders of src may import. npm run check:lint refuses the rest, and a test holds the table in CONTRIBUTING.md against it.

/** What each folder may use, beside itself. "." is the files in src itself. */
export const USES = {
  ".": ["dynamic/program", "stack", "record", "settings", "wording"],
  commands: ["plugin", "pulumi", "lifecycle", "client", "stack", "notes", "record", "settings", "wording"],
  "dynamic/program": ["pulumi", "stack", "record", "settings", "wording"],
  dynamic: ["pulumi", "lifecycle", "stack", "record", "settings", "wording"],
  plugin: ["pulumi", "lifecycle", "stack", "record", "settings", "wording"],
  pulumi: ["stack", "notes", "record", "wording"],
  lifecycle: ["client", "notes", "record", "settings", "wording"],
  client: ["record", "settings", "wording"],
  stack: ["notes", "record", "settings", "wording"],
  notes: ["record"],
  record: ["wording"],
  settings: ["record", "wording"],
  wording: [],
};

/** Who may import each package. A user's program loads neither zod nor undici. */
export const USED_BY = {
  undici: ["client/transport.ts", "client/attempt.ts"],
  zod: ["settings/settings.ts", "lifecycle", "commands"],
  "@pulumi": [".", "dynamic", "pulumi", "plugin", "commands"],
};

/** Matches the files of a folder, or one file. */
const pathOf = (name) => (name === "." ? "^src/[^/]+$" : `^src/${name}(/|$)`);
const forbid = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    forbid("no-circle", "Imports point one way.", { path: "^(src|simulator)/" }, { circular: true }),
    ...Object.entries(USES).map(([folder, uses]) =>
      forbid(
        `${folder === "." ? "src" : `src/${folder}`} uses ${uses.join(", ") || "no other folder"}`,
        "Imports point one way.",
        { path: pathOf(folder) },
        { path: "^src/", pathNot: [folder, ...uses].map(pathOf) },
      ),
    ),
    ...Object.entries(USED_BY).map(([name, folders]) =>
      forbid(
        `${name} is for ${folders.join(", ")}`,
        "The others do without it.",
        { path: "^src/", pathNot: folders.map(pathOf) },
        { path: `node_modules/${name}/` },
      ),
    ),
    forbid(
      "sdk-internals.ts alone uses what the SDK does not promise",
      "Tests hold it against the newest SDK.",
      { path: "^src/", pathNot: pathOf("pulumi/sdk-internals.ts") },
      { path: "node_modules/(@pulumi/pulumi/(proto|runtime)|@grpc|google-protobuf)/" },
    ),
    forbid(
      "the plugin and the commands start without the SDK's main module",
      "It loads in half a second, and would add a hundred packages to the executable.",
      { path: "^src/(commands|plugin|pulumi)/" },
      { path: "node_modules/@pulumi/pulumi/index", dependencyTypesNot: ["type-only"] },
    ),
    forbid(
      "the provider and the simulator share no code",
      "The simulator is an API of its own, in a package of its own.",
      { path: "^(src|simulator/src)/" },
      { path: "^(src|simulator)/", pathNot: "^$1/" },
    ),
    forbid(
      "transport.ts is loaded with the first request",
      "It loads undici, which takes longer than all else that a run without changes does.",
      { path: "^src/", pathNot: pathOf("commands") },
      { path: pathOf("client/transport.ts"), dependencyTypesNot: ["dynamic-import", "type-only"] },
    ),
    forbid(
      "programs do not load settings.ts",
      "It loads zod.",
      {
        path: [".", "dynamic/program", "pulumi", "stack", "notes", "record", "settings", "wording"].map(
          pathOf,
        ),
        pathNot: pathOf("settings/settings.ts"),
      },
      { path: pathOf("settings/settings.ts") },
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    // Counts imports of types, too.
    tsPreCompilationDeps: true,
  },
};
