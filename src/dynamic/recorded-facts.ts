import { z } from "zod";

const interruptedCreate = z.object({
  /** When the engine last saved the state, in ISO 8601: the create was sent at about that time. */
  at: z.string(),
  /** What the create sent, as far as the state shows it: it hides secrets. */
  url: z.string().optional(),
  name: z.string().optional(),
  enabled: z.boolean().optional(),
});

const recordedFacts = z.object({
  /** The id that the stack records for this resource. */
  id: z.string().optional(),
  /** The create of this resource during which the engine was killed, if its outcome is still unknown. */
  interrupted: interruptedCreate.optional(),
  /** The other records of the webhook that the program imports. A preview may not know them yet. */
  holders: z
    .array(z.object({ urn: z.string(), baseUrl: z.string().optional() }))
    .optional()
    .catch(undefined),
  /** The other webhooks of the stack whose create has an unknown outcome. */
  unresolved: z
    .array(z.object({ urn: z.string(), url: z.string().optional(), name: z.string().optional() }))
    .optional(),
});

/** A create during which the engine was killed. Nobody knows whether the API received it. */
export type InterruptedCreate = z.infer<typeof interruptedCreate>;

/** What the stack's state holds that concerns one webhook: the program reads it, and passes it to the provider. */
export type RecordedFacts = z.infer<typeof recordedFacts>;

/** Parses what the program passed. A program without this reading passes nothing. */
export function parseRecordedFacts(input: unknown): RecordedFacts {
  return recordedFacts.safeParse(input).data ?? {};
}
