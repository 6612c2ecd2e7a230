import type { Question, Shown } from "../../../src/commands/resolve/questions.js";

const SENT = "2026-01-01T12:00:00Z";

/** A question about a create that was sent at SENT. */
export function ask(resource: string, fields: Partial<Shown> = {}): Question {
  const urn = `urn:${resource}`;
  const shown: Shown = { urn, resource, name: resource, reason: "killed", sentAt: SENT, ...fields };
  const { name = "", createdId } = shown;
  const create = {
    kind: "unresolved",
    urn,
    name,
    sentAt: SENT,
    ...(createdId && { notedId: createdId }),
  } as const;
  return { create, sent: {}, baseUrl: undefined, shown };
}
