import type { Stored } from "./api.js";
import { Violation } from "./invariants.js";
import { ARGS, LONG_AGO, type State, shownId, waitUntil } from "./state.js";
import type { ResolveStep } from "./steps.js";
import type { Seen, World } from "./world.js";

/** What `resolve` prints of a create. */
interface Printed {
  urn: string;
  resource: string;
  name?: string;
  url?: string;
  sentAt?: string;
  createdId?: string;
  noneFrom: string;
  keep?: { id: string }[];
}

/**
 * Answers none as a person does who sees what the command prints and what the dashboard shows, and nothing else. Too early an answer
 * must be refused; the person waits until the printed time, and only then looks.
 */
export async function answer(world: World, step: ResolveStep): Promise<Seen> {
  const listed = await world.resolve({ kind: "resolve" });
  const { unresolved: asked, created = [] } = readPrinted(listed);
  const noneFrom = Math.max(...asked.map((one) => Date.parse(one.noneFrom)), 0);
  if (noneFrom > Date.now()) {
    const stored = JSON.stringify(world.state.stack);
    waitUntil(world.state, noneFrom - 1000);
    const early = await world.resolve(step);
    const isRefused =
      early.lines.join().includes("was not changed") && JSON.stringify(world.state.stack) === stored;
    if (!isRefused) throw new Violation(`Not kept: none is refused until the printed time. ${early.lines}`);
    waitUntil(world.state, noneFrom + 1000);
  }
  actInDashboard(world.state, asked, step.person);
  if (step.person !== "deletes all") return world.resolve(step);
  world.state.webhooks = world.state.webhooks.filter(
    ({ id, creator }) => !created.some((one) => one.urn === creator && one.id === shownId(id)),
  );
  return world.resolve({ ...step, none: [...asked, ...created].map(({ urn }) => urn) });
}

function readPrinted({ lines }: Seen): { unresolved: Printed[]; created?: { urn: string; id: string }[] } {
  const text = lines.find((line) => line.startsWith("{"));
  return text === undefined ? { unresolved: [] } : JSON.parse(text);
}

/** Deletes each webhook that looks like a create, as far as the person can tell it apart; or leaves it. */
function actInDashboard(state: State, printed: readonly Printed[], person: ResolveStep["person"]): void {
  const found = printed.flatMap((create) => state.webhooks.filter((webhook) => isTakenFor(webhook, create)));
  if (person === "leaves it") for (const webhook of found) webhook.isExcused = true;
  else state.webhooks = state.webhooks.filter((webhook) => !found.includes(webhook));
}

const [MINUTE, DAY] = [60_000, 24 * 60 * 60_000];

/** Reports whether a webhook in the dashboard looks like the one of a create, by its name, url and time, and is not to be kept. */
function isTakenFor(
  webhook: Stored,
  { name = ARGS.name, url = ARGS.url, createdId, keep = [], ...sent }: Printed,
): boolean {
  if (keep.some(({ id }) => id === webhook.id)) return false;
  // The person has taken it out of the stack himself, and knows who has it now.
  if (webhook.creator === undefined && webhook.createdAt !== LONG_AGO) return false;
  const { sentAt, noneFrom } = sent;
  const earliest = sentAt === undefined ? Date.parse(noneFrom) - DAY : Date.parse(sentAt) - MINUTE;
  const looksAlike =
    webhook.name === name && webhook.url === url && Date.parse(webhook.createdAt) >= earliest;
  return createdId === undefined ? looksAlike : createdId === webhook.id;
}
