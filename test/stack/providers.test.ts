import { expect, it } from "vitest";
import { findReference } from "../../src/stack/providers.js";
import { WEBHOOK_TYPE } from "../../src/stack/stack-export.js";
import { exported, provider, providerOf } from "./exported.js";

it("finds the default provider, and not an explicit one of another package, and Providers that record no name", () => {
  const { inputs: _, ...foreign } = provider("foreign");
  const state = exported([provider("default_3_270_0"), provider("eu"), foreign]);
  const find = (name?: string) => findReference(state, WEBHOOK_TYPE, name);
  expect([find(), find("eu"), find("foreign"), find("us")]).toEqual([
    providerOf("default_3_270_0"),
    providerOf("eu"),
    providerOf("foreign"),
    undefined,
  ]);
});
