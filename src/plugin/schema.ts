import schema from "./schema.json";

/** The schema from which Pulumi generates the SDKs of all languages. */
export const SCHEMA = JSON.stringify(schema);
