// What the user's program does before the engine acts. See src/program.
import { forgetNotes, readNotes } from "../../../src/notes/read-notes.js";
import type { Declared } from "../../../src/record/properties.js";
import { DECLARED, OWNERS, PROGRAM_ARGUMENTS, storedProvider } from "../../../src/record/properties.js";
import { RecordedStack } from "../../../src/stack/recorded-stack.js";
import { NOTES } from "./machine.js";
import type { Declaration, Properties, State } from "./state.js";
import { PROJECT, STACK } from "./state.js";

/** Reads the stack in a run of the engine with this address. */
export function readStack(state: State, engine: string): RecordedStack {
  const notes = readNotes(NOTES, { stack: STACK, project: PROJECT, engine });
  const stack = new RecordedStack(structuredClone(state.stack), notes);
  forgetNotes(notes, stack.notesToKeep);
  return stack;
}

interface Known {
  stack: RecordedStack;
  urn: string;
}

/** Returns the inputs that the program passes to check. */
export function inputsOf(args: Omit<Declaration, "alias">, { stack, urn }: Known): Properties {
  const declared: Declared = {
    ...RecordedStack.describe(stack, urn),
    urn,
    organization: "organization",
    given: Object.keys(args),
  };
  return {
    ...args,
    [DECLARED]: JSON.stringify(declared),
    [PROGRAM_ARGUMENTS]: args,
    ...(args.import && { [OWNERS]: JSON.stringify(stack.ownersOf(args.import)) }),
    __provider: storedProvider,
  };
}
