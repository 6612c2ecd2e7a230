// What the user's program does before the engine acts.
import { readNotes } from "../../../src/notes/read-notes.js";
import { keepOnly } from "../../../src/notes/remove-notes.js";
import {
  type Described,
  IMPORTERS,
  type Owner,
  RESOURCE_CONTEXT,
  storedProvider,
} from "../../../src/record/properties.js";
import { StackBeforeRun } from "../../../src/stack/stack-before-run.js";
import { NAME } from "./accounts.js";
import { NOTES } from "./machine.js";
import type { Declaration, Properties, State } from "./state.js";

/** Reads the stack in a run of the engine with this address, as a process of the provider does. */
export function readStack(state: State, engine: string): StackBeforeRun {
  const notes = readNotes(NOTES, { ...NAME, engine });
  const stack = new StackBeforeRun(structuredClone(state.stack), notes);
  keepOnly(notes, stack.openNotes);
  return stack;
}

interface Known {
  face: State["face"];
  urn: string;
  /** Those that import the same webhook, and are declared before. */
  importers: readonly Owner[];
}

/** Returns the inputs that the program passes to check. */
export function inputsOf(args: Omit<Declaration, "alias">, { face, urn, importers }: Known): Properties {
  const { import: importId, ...given } = args;
  // The option import is the engine's own.
  if (face === "plugin") return given;
  const described: Described = { urn, organization: "organization", given: Object.keys(args) };
  return {
    ...args,
    [RESOURCE_CONTEXT]: JSON.stringify(described),
    ...(importId && { [IMPORTERS]: JSON.stringify(importers) }),
    __provider: storedProvider,
  };
}
