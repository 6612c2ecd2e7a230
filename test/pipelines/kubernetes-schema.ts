import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Ajv } from "ajv";
import { z } from "zod";
import type { Manifest } from "./kubernetes-manifests.js";

/** The module whose API description lists the kinds of Kubernetes itself. */
const KUBERNETES = "k8s.io/kubernetes@v1.36.3";

const string = { type: "string" };
const boolean = { type: "boolean" };
const object = (properties: object, required: string[] = []) => ({ type: "object", properties, required });
const kubernetes = (name: string) => ({ $ref: `#/definitions/io.k8s.${name}` });

const reference = object(
  {
    type: { enum: ["Secret", "Literal"] },
    secret: object({ name: string, key: string }, ["name", "key"]),
    literal: object({ value: string }, ["value"]),
  },
  ["type"],
);

/**
 * The Stack of operator 2.9.0, of which only the fields that the example uses: the whole CRD has 1.5 MB. The parts that
 * the CRD shares with Kubernetes are checked whole.
 */
const STACK = object(
  {
    apiVersion: { const: "pulumi.com/v1" },
    kind: { const: "Stack" },
    metadata: kubernetes("apimachinery.pkg.apis.meta.v1.ObjectMeta"),
    spec: object(
      {
        stack: string,
        backend: string,
        projectRepo: string,
        branch: string,
        shallow: boolean,
        gitAuth: object({ accessToken: reference }),
        useLocalStackOnly: boolean,
        envRefs: { type: "object", additionalProperties: reference },
        serviceAccountName: string,
        workspaceReclaimPolicy: { enum: ["Retain", "Delete"] },
        workspaceTemplate: object({
          spec: object({
            image: string,
            resources: kubernetes("api.core.v1.ResourceRequirements"),
            podTemplate: object({
              metadata: object({
                annotations: { type: "object", additionalProperties: string },
                labels: { type: "object", additionalProperties: string },
              }),
              spec: kubernetes("api.core.v1.PodSpec"),
            }),
          }),
        }),
      },
      ["stack"],
    ),
  },
  ["spec"],
);

/** Finds the definition of each kind in the description of the API. */
const KINDS = new Map([
  ["pulumi.com/v1 Stack", "Stack"],
  ["v1 PersistentVolumeClaim", "io.k8s.api.core.v1.PersistentVolumeClaim"],
  ["v1 ServiceAccount", "io.k8s.api.core.v1.ServiceAccount"],
  ["rbac.authorization.k8s.io/v1 ClusterRoleBinding", "io.k8s.api.rbac.v1.ClusterRoleBinding"],
  ["batch/v1 CronJob", "io.k8s.api.batch.v1.CronJob"],
]);

/** Lists what an API server would refuse in a manifest, or drop without a word: a field that it does not know. */
export type Validate = (manifest: Manifest) => string[];

/** Builds the validation with the API description of Kubernetes, from the Go module cache or its proxy. */
export async function createValidate(): Promise<Validate> {
  const { stdout } = await promisify(execFile)("go", ["mod", "download", "-json", KUBERNETES]);
  const { Dir } = z.object({ Dir: z.string() }).parse(JSON.parse(stdout));
  const description = z
    .object({ definitions: z.record(z.string(), z.looseObject({})) })
    .parse(JSON.parse(await readFile(join(Dir, "api/openapi-spec/swagger.json"), "utf8")));
  const definitions = { ...description.definitions, Stack: STACK };
  for (const definition of Object.values(definitions)) refuseUnknownFields(definition);
  // The formats say how a number is stored, and the other extensions are for other readers.
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: "kubernetes", definitions });
  return ({ apiVersion, kind, ...rest }) => {
    const definition = KINDS.get(`${apiVersion} ${kind}`);
    if (definition === undefined) return [`${apiVersion} ${kind} is unknown`];
    ajv.validate(`kubernetes#/definitions/${definition}`, { apiVersion, kind, ...rest });
    return (ajv.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}

/** The descriptions leave objects open, because an API server drops unknown fields instead of refusing them. */
function refuseUnknownFields(schema: unknown): void {
  if (typeof schema !== "object" || schema === null) return;
  if ("properties" in schema && !("additionalProperties" in schema)) {
    Object.assign(schema, { additionalProperties: false });
  }
  for (const [key, part] of Object.entries(schema)) {
    if (key === "properties") Object.values(part).forEach(refuseUnknownFields);
    else refuseUnknownFields(part);
  }
}
