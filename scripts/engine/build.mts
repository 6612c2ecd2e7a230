// Builds Pulumi from its Go modules, for machines that reach package registries only.
import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildWithGo, checkGo } from "../go-build.mts";

const PROGRAMS = [
  {
    name: "pulumi-language-nodejs",
    module: fileURLToPath(new URL("language-host", import.meta.url)),
    source: "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
  },
  { name: "pulumi", source: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi" },
];

interface Build {
  /** The folder with the go.mod file that selects the versions. */
  module: string;
  version: string;
  folder: string;
}

/** Builds Pulumi into `folder`. */
export async function build({ module: engine, version, folder }: Build): Promise<void> {
  if (process.platform === "win32") throw new Error("not supported on Windows");
  await checkGo();
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const dynamicProvider = "pulumi-resource-pulumi-nodejs";
  const sdk = dirname(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"));
  copyFileSync(join(sdk, dynamicProvider), join(bin, dynamicProvider));
  chmodSync(join(bin, dynamicProvider), 0o755);

  console.error(
    `Building Pulumi ${version} from its Go modules. This takes 4 to 8 minutes, once on this machine.`,
  );
  const setVersion = `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${version}`;
  await buildWithGo(
    PROGRAMS.map(({ name, module = engine, source }) => ({
      output: join(bin, name),
      module,
      source,
      linkerFlags: setVersion,
    })),
  );
}
