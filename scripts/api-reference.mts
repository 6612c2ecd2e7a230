// Writes the API reference of both packages from the doc comments.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Application, type TypeDocOptions } from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";
import { runGenerator } from "./generated-docs.mts";

const HELP = `Usage: node scripts/api-reference.mts [--check]

Writes docs/api.md and simulator/docs/api.md: everything that the packages export, with the doc comments.

  --check   write nothing; fail if a page is out of date

Exit codes: 0 done, or up to date; 1 out of date, or an export lacks a doc comment; 2 wrong usage.
`;

const root = fileURLToPath(new URL("..", import.meta.url));

/** The anchors of properties, to which nothing links; what returns nothing; what is overridden; and the members of a union, which its first line lists. */
const NEEDLESS =
  /<a id="[^"]*"><\/a> |#+ Returns\n\n(?:`void`|`Promise`\\<`void`\\>)\n\n|#+ Overrides\n\n.*\n\n|^### Union Members\n[\s\S]*?(?=^## )/gm;

/** What users import. The module `pulumi-webhooks/provider` is for Pulumi alone. */
const PAGES = {
  "docs/api.md": { title: "pulumi-webhooks", home: root },
  "simulator/docs/api.md": { title: "pulumi-webhooks-simulator", home: join(root, "simulator") },
};

await runGenerator({
  help: HELP,
  generate: async () => {
    const folder = await mkdtemp(join(tmpdir(), "pulumi-webhooks-api-"));
    try {
      const pages: Record<string, string> = {};
      for (const [name, page] of Object.entries(PAGES)) {
        pages[name] = await generatePage({ ...page, folder });
      }
      return pages;
    } finally {
      await rm(folder, { recursive: true });
    }
  },
});

interface Page {
  title: string;
  /** The folder of the package. */
  home: string;
  /** The folder to generate in. */
  folder: string;
}

async function generatePage({ title, home, folder }: Page): Promise<string> {
  const options: TypeDocOptions & PluginOptions = {
    plugin: ["typedoc-plugin-markdown"],
    tsconfig: join(home, "tsconfig.json"),
    entryPoints: [join(home, "src/index.ts")],
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
    entryFileName: "api.md",
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
  if (project === undefined) throw new Error(`${title} could not be compiled.`);
  application.validate(project);
  await application.generateOutputs(project);
  if (application.logger.hasErrors() || application.logger.hasWarnings()) {
    throw new Error(`The doc comments of ${title} have problems; they are above.`);
  }
  return (await readFile(join(folder, "api.md"), "utf8")).replaceAll(NEEDLESS, "");
}
