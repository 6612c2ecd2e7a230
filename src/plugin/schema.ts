import { createRequire } from "node:module";

/** The schema from which Pulumi generates the SDKs of all languages. scripts/plugin-schema.mts writes it. */
export const SCHEMA = JSON.stringify(createRequire(__filename)("../../plugin/schema.json"));
