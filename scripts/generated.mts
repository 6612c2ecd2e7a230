// Writes all that is generated from code, but the SDKs; or, with --check, names all that is out of date.
await import("./plugin-schema.mts");
await import("./api-reference.mts");
await import("./fault-matrix.mts");
