import { z } from "zod";
import type { Settings } from "../config.js";
import { INTERRUPTED } from "../hidden-inputs.js";
import * as messages from "./messages.js";

const interruptedCreate = z.object({
  /** When the engine last saved the state, in ISO 8601: the create was sent at about that time. */
  at: z.string(),
  /** What the create sent, as far as the state shows it: it hides secrets. */
  url: z.string().optional(),
  name: z.string().optional(),
  enabled: z.boolean().optional(),
});

const recordedFacts = z.object({
  /** The create of this resource during which an engine was killed, if its outcome is unknown. */
  interrupted: interruptedCreate.optional(),
  /** The records of the webhook that the program imports. A preview may not know its id yet. */
  holders: z
    .array(z.object({ urn: z.string(), isOwn: z.boolean(), baseUrl: z.string().optional() }))
    .optional()
    .catch(undefined),
  /** The other webhooks of the stack whose create has an unknown outcome. */
  unresolved: z
    .array(z.object({ urn: z.string(), url: z.string().optional(), name: z.string().optional() }))
    .optional(),
});

/** A create during which an engine was killed: nobody knows whether the API received it. */
export type InterruptedCreate = z.infer<typeof interruptedCreate>;

/** What the stack's state holds that concerns one webhook. The program reads it, and passes it to check. */
export type RecordedFacts = z.infer<typeof recordedFacts>;

/** Parses what the program passed. @returns nothing for a program that could not read the state. */
export function parseRecordedFacts(input: unknown): RecordedFacts {
  return recordedFacts.safeParse(input).data ?? {};
}

/** Parses the interrupted create in the inputs that check returned. */
export function parseInterrupted(input: unknown): InterruptedCreate | undefined {
  return interruptedCreate.safeParse(input).data;
}

interface Checked {
  facts: RecordedFacts;
  inputs: Record<string, unknown>;
  /** Whether a create follows: also that of a replacement. */
  isCreate: boolean;
  settings: Settings;
}

/** Finds the problems of a webhook that only the whole stack shows. */
export function findStackProblems({ facts, inputs, isCreate, settings }: Checked): string[] {
  if (!isCreate) return [];
  if ("import" in inputs) {
    const holders = facts.holders?.filter(({ baseUrl }) => isSameAccount(baseUrl, settings)) ?? [];
    return holders
      .slice(0, 1)
      .map(({ urn, isOwn }) =>
        isOwn ? messages.REPLACED_WITH_IMPORT : messages.importHeldProblem(String(inputs.import), urn),
      );
  }
  if (facts.interrupted !== undefined) return [];
  const twin = facts.unresolved?.find(
    ({ url, name }) => (url ?? inputs.url) === inputs.url && (name ?? inputs.name) === inputs.name,
  );
  return twin === undefined ? [] : [messages.unresolvedTwinProblem(String(inputs.name), twin.urn)];
}

/** Returns what diff, create and update need to know of the stack, as hidden inputs. */
export function toHiddenInputs({ interrupted }: RecordedFacts): Record<string, unknown> {
  return interrupted === undefined ? {} : { [INTERRUPTED]: interrupted };
}

function isSameAccount(
  baseUrl: string | undefined,
  { baseUrl: current, previousBaseUrl = [] }: Settings,
): boolean {
  return [undefined, current, ...previousBaseUrl].includes(baseUrl);
}
