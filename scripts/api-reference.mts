// Writes the API reference in docs/ from the doc comments.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Application, type TypeDocOptions } from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";
import { runGenerator } from "./generated-docs.mts";

const HELP = `Usage: node scripts/api-reference.mts [--check]

Writes docs/api.md and docs/api-simulator.md: everything that the package exports, with the doc comments.

  --check   write nothing; fail if a page is out of date

Exit codes: 0 done, or up to date; 1 out of date, or an export lacks a doc comment; 2 wrong usage.
`;

const root = fileURLToPath(new URL("..", import.meta.url));

/** The anchors of properties, to which nothing links; what returns nothing; and the members of a union, which its first line lists. */
const NEEDLESS =
  /<a id="[^"]*"><\/a> |#+ Returns\n\n(?:`void`|`Promise`\\<`void`\\>)\n\n|^### Union Members\n[\s\S]*?(?=^## )/gm;

/** What users import. The module `pulumi-webhooks/provider` is for Pulumi alone. */
const PAGES = {
  "api.md": { title: "pulumi-webhooks", entryPoint: "src/index.ts" },
  "api-simulator.md": { title: "pulumi-webhooks/simulator", entryPoint: "src/simulator/index.ts" },
};

await runGenerator({
  help: HELP,
  generate: async () => {
    const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-api-"));
    try {
      const pages: Record<string, string> = {};
      for (const [name, page] of Object.entries(PAGES)) {
        pages[name] = await generatePage({ ...page, name, folder });
      }
      return pages;
    } finally {
      await rm(folder, { recursive: true });
    }
  },
});

interface Page {
  name: string;
  title: string;
  entryPoint: string;
  /** The folder to generate in. */
  folder: string;
}

async function generatePage({ name, title, entryPoint, folder }: Page): Promise<string> {
  const options: TypeDocOptions & PluginOptions = {
    plugin: ["typedoc-plugin-markdown"],
    tsconfig: join(root, "tsconfig.json"),
    entryPoints: [join(root, entryPoint)],
    name: title,
    outputs: [{ name: "markdown", path: folder }],
    readme: "none",
    disableSources: true,
    excludeExternals: true,
    requiredToBeDocumented: ["Class", "Interface", "TypeAlias", "Function", "Method", "Accessor", "Variable"],
    validation: { notExported: true, invalidLink: true, invalidPath: true, notDocumented: true },
    treatWarningsAsErrors: true,
    treatValidationWarningsAsErrors: true,
    logLevel: "Warn",
    // Without it, the order in a union depends on code elsewhere.
    compilerOptions: { stableTypeOrdering: true },
    // One page, with a table of each list of properties.
    outputFileStrategy: "modules",
    entryFileName: name,
    hidePageHeader: true,
    hideBreadcrumbs: true,
    hideGroupHeadings: true,
    propertiesFormat: "table",
    interfacePropertiesFormat: "table",
    typeDeclarationFormat: "table",
    tableColumnSettings: { hideDefaults: true, hideModifiers: true },
  };
  const application = await Application.bootstrapWithPlugins(options);
  const project = await application.convert();
  if (project === undefined) throw new Error(`${entryPoint} could not be compiled.`);
  application.validate(project);
  await application.generateOutputs(project);
  if (application.logger.hasErrors() || application.logger.hasWarnings()) {
    throw new Error(`The doc comments of ${entryPoint} have problems; they are above.`);
  }
  return (await readFile(join(folder, name), "utf8")).replaceAll(NEEDLESS, "");
}
