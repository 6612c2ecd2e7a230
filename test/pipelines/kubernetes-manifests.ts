import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { z } from "zod";

const EXAMPLE = join(import.meta.dirname, "../../examples/pipelines/kubernetes-operator");

/** A document of a manifest. */
const manifest = z.looseObject({ apiVersion: z.string(), kind: z.string() });
export type Manifest = z.infer<typeof manifest>;

const secretKey = z
  .object({
    name: z.literal("webhooks"),
    key: z.enum(["GIT_TOKEN", "PULUMI_CONFIG_PASSPHRASE", "WEBHOOKS_API_KEY"]),
  })
  .transform(({ key }) => ({ secret: key }));

/** A value, or a key of the Secret of the example. */
export type Setting = { value: string } | z.output<typeof secretKey>;
/** A key of the Secret of the example. */
export type SecretKey = z.output<typeof secretKey>["secret"];

const reference = z.union([
  z.object({ type: z.literal("Secret"), secret: secretKey }).transform(({ secret }): Setting => secret),
  z
    .object({ type: z.literal("Literal"), literal: z.object({ value: z.string() }) })
    .transform(({ literal }): Setting => literal),
]);
const pod = z.object({
  volumes: z.array(
    z.object({ name: z.string(), persistentVolumeClaim: z.object({ claimName: z.string() }) }),
  ),
  containers: z.tuple([
    z.object({ volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })) }),
  ]),
});
const stack = z.object({
  kind: z.literal("Stack"),
  spec: z.object({
    projectRepo: z.string(),
    branch: z.string(),
    gitAuth: z.object({ accessToken: reference }),
    stack: z.string(),
    backend: z.string(),
    envRefs: z.record(z.string(), reference),
    workspaceTemplate: z.object({
      spec: z.object({ image: z.string(), podTemplate: z.object({ spec: pod }) }),
    }),
  }),
});

const variable = z.union([
  z
    .object({ name: z.string(), value: z.string() })
    .transform(({ name, value }) => [name, { value }] as const),
  z
    .object({ name: z.string(), valueFrom: z.object({ secretKeyRef: secretKey }) })
    .transform(({ name, valueFrom }) => [name, valueFrom.secretKeyRef] as const),
]);
const container = z.object({
  image: z.string(),
  command: z.tuple([z.string()]).rest(z.string()),
  args: z.array(z.string()),
  env: z.array(variable).transform((variables): Record<string, Setting> => Object.fromEntries(variables)),
});
const exitCodes = z.object({ operator: z.literal("In"), values: z.array(z.number()) });
const job = z.object({
  podFailurePolicy: z.object({
    rules: z.array(z.object({ action: z.string(), onExitCodes: exitCodes.optional() })),
  }),
  template: z.object({ spec: z.object({ containers: z.tuple([container]) }) }),
});
const cronJob = z.object({
  kind: z.literal("CronJob"),
  spec: z.object({ jobTemplate: z.object({ spec: job }) }),
});

/** Reads the manifests of a file of the example. */
export async function readManifests(file: string): Promise<Manifest[]> {
  const documents = parseAllDocuments(await readFile(join(EXAMPLE, file), "utf8"));
  return documents.map((document) => manifest.parse(document.toJS()));
}

/** Reads what the tests use of the Stack, and the claim of the volume that is mounted at each path. */
export async function readStack() {
  const [document] = await readManifests("stack.yaml");
  const { workspaceTemplate, gitAuth, ...spec } = stack.parse(document).spec;
  const { image, podTemplate } = workspaceTemplate.spec;
  const { volumes, containers } = podTemplate.spec;
  const claims = new Map(
    volumes.map(({ name, persistentVolumeClaim }) => [name, persistentVolumeClaim.claimName]),
  );
  const mounts = containers[0].volumeMounts.map(
    ({ name, mountPath }) => [mountPath, claims.get(name)] as const,
  );
  return { ...spec, gitToken: gitAuth.accessToken, image, claims: new Map(mounts) };
}

/** Reads what the tests use of the container that checks for drift, and the exit codes that fail its Job at once. */
export async function readDriftCheck() {
  const [document] = await readManifests("drift.yaml");
  const { podFailurePolicy, template } = cronJob.parse(document).spec.jobTemplate.spec;
  const [check] = template.spec.containers;
  const failing = podFailurePolicy.rules.find(({ action }) => action === "FailJob");
  return { ...check, failingCodes: failing?.onExitCodes?.values };
}
