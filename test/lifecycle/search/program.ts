// What the user's program does before the engine acts.
import { readNotes } from "../../../src/notes/read-notes.js";
import { keepOnly } from "../../../src/notes/remove-notes.js";
import {
  OWNERS,
  type Owner,
  RESOURCE_CONTEXT,
  type ResourceContext,
  storedProvider,
} from "../../../src/record/properties.js";
import { StackBeforeRun } from "../../../src/stack/stack-before-run.js";
import { NAME } from "./accounts.js";
import { NOTES } from "./machine.js";
import type { Declaration, Properties, State } from "./state.js";

/** Reads the stack in a run of the engine with this address, as the program does, or the plugin. */
export function readStack(state: State, engine: string): StackBeforeRun {
  const notes = readNotes(NOTES, { ...NAME, engine });
  const stack = new StackBeforeRun(structuredClone(state.stack), notes);
  keepOnly(notes, stack.openNotes);
  return stack;
}

interface Known {
  /** Undefined if the plugin reads it. */
  stack: StackBeforeRun | undefined;
  urn: string;
  /** Those that import the same webhook, and are declared before. */
  importers: readonly Owner[];
}

/** Returns the inputs that the program passes to check. */
export function inputsOf(args: Omit<Declaration, "alias">, { stack, urn, importers }: Known): Properties {
  const { import: importId, ...given } = args;
  // The option import is the engine's own.
  if (stack === undefined) return given;
  const context: ResourceContext = {
    ...stack.describe(urn),
    urn,
    organization: "organization",
    given: Object.keys(args),
  };
  return {
    ...args,
    [RESOURCE_CONTEXT]: JSON.stringify(context),
    ...(importId && { [OWNERS]: JSON.stringify([...stack.ownersOf(importId), ...importers]) }),
    __provider: storedProvider,
  };
}
