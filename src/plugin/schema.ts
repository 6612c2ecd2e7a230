import schema from "./schema.json";

/** The version of the plugin, which is that of the package. */
export const VERSION = schema.version;

/** The schema from which Pulumi generates the SDKs of all languages. */
export const SCHEMA = JSON.stringify(schema);
