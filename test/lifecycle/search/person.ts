import { accountOf, keyOfProvider, providerOf, recordedProvider, shownId } from "./accounts.js";
import type { Stored } from "./api.js";
import { meant, nameOf, recordsIn, webhookOf } from "./records.js";
import { ARGS, LONG_AGO, type State, waitUntil } from "./state.js";
import { type ResolveStep, type RunStep, type Step, TRUTH } from "./steps.js";
import type { Reported, Seen, World } from "./world.js";

/**
 * Answers none as a person does who sees what the command prints and what the dashboard shows, and nothing else. Too early an answer
 * must be refused; the person waits until the printed time, and only then looks.
 */
export async function answer(world: World, step: ResolveStep): Promise<Seen> {
  const reported = await world.report();
  const asked = reported.filter(({ id }) => id === undefined);
  const noneFrom = Math.max(...asked.map((one) => Date.parse(one.noneFrom ?? "")), 0);
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
    ({ id, creator }) => !reported.some((one) => one.urn === creator && one.id === shownId(id)),
  );
  return world.resolve({ ...step, none: reported.map(({ urn }) => urn) });
}

/** Deletes each webhook that looks like a create, as far as the person can tell it apart; or leaves it. */
function actInDashboard(state: State, reported: readonly Reported[], person: ResolveStep["person"]): void {
  const recorded = recordsIn(state).map((record) => webhookOf(state, record));
  const found = reported.flatMap((create) =>
    state.webhooks.filter((webhook) => {
      // The report says so.
      const isKept = (create.name === undefined || create.url === undefined) && recorded.includes(webhook);
      return !isKept && isTakenFor(webhook, create);
    }),
  );
  if (person === "leaves it") for (const webhook of found) webhook.isExcused = true;
  else state.webhooks = state.webhooks.filter((webhook) => !found.includes(webhook));
}

const [MINUTE, DAY] = [60_000, 24 * 60 * 60_000];

/** Reports whether a webhook in the dashboard looks like the one of a create, by its name, url and time, and is not to be kept. */
function isTakenFor(
  webhook: Stored,
  { name = ARGS.name, url = ARGS.url, createdId, keep = [], sentAt, noneFrom = "" }: Reported,
): boolean {
  if (keep.some(({ id }) => id === webhook.id)) return false;
  // The person has taken it out of the stack himself, and knows who has it now.
  if (webhook.creator === undefined && webhook.createdAt !== LONG_AGO) return false;
  const earliest = sentAt === undefined ? Date.parse(noneFrom) - DAY : Date.parse(sentAt) - MINUTE;
  if (Date.parse(webhook.createdAt) < earliest) return false;
  return createdId === undefined
    ? webhook.name === name && webhook.url === url
    : createdId === shownId(webhook.id);
}

export const UP: RunStep = { kind: "up" };

/** The error for a broken promise, with the evidence. */
export class Violation extends Error {
  override readonly name = "Violation";
}

/** Finds what a message says of the webhook that it names first, if any, with its id and the name of its resource. `…` is any text. */
export const toPattern = (text: string) =>
  new RegExp(
    `(?:[Ww]ebhook ([^ :]+)(?: \\((\\S+?)\\))?(?=[ :])[^\\n]*?)?${text.split("…").map(quote).join("[^\\n]*?")}`,
  );
const quote = (text: string) => text.replaceAll(/[.?()[\]]/g, "\\$&");

/** What messages advise, and what a person does who knows the program, the state, the keys and the dashboards. */
const ADVICE: Record<string, (state: State, id?: string, name?: string) => Step[]> = {
  "another API key saw it last. If this is another account's key, set the right one. If the webhook was deleted, or you delete it in the other account's dashboard, run pulumi state delete":
    (state, id, name) => setOwnKey(state) ?? leaveOtherAccount(state, id, name),
  "is another webhook now: …If the API key is another account's, set the right one. If the id was used again, remove the option import, run pulumi state delete …, then pulumi up.":
    (state) => setOwnKey(state) ?? [],
  "was managed by another Provider, with another API key: no request was sent. For another account, declare the webhook under another name. For the same one, undo the move, give both Providers one API key, change the name alone and run pulumi up, which records that key; then move it.":
    moveToProvider,
  "Or run pulumi refresh --run-program, which records the new key.": () => [],
  "is also recorded for …Remove the other one from the program, if it is still there, and its record from the state: pulumi state delete …, if the webhook is that of …, else pulumi state delete":
    ({ program, ...state }, id, named = "") => {
      const names = namesOf(state, id);
      const name = names.find((one) => !(one in program) || one.includes("copy")) ?? named;
      return [{ kind: "state delete", name }, UP];
    },
  "belongs to another resource of this stack, …If you renamed that resource, remove import and add the option aliases: …instead. If the program no longer declares it, run pulumi state delete … first. If not, correct the id":
    (state, id) => {
      const old = namesOf(state, id).find((one) => !(one in state.program));
      return old === undefined ? dropImport(state) : [afterDelete(old)];
    },
  "To manage only … run pulumi state delete …, then pulumi up. Webhook … stays at the API: …To manage both, declare another resource for … If webhook … has replaced …, as after a rotation, remove the option import":
    (state) => dropImport(state),
  "the id that was imported is wrong, the API key is another account's, or the webhook was deleted since. Set the right key, or run pulumi state delete …, then import the right id":
    (state, _, name = "") =>
      setOwnKey(state) ?? [{ ...afterDelete(name), edit: { what: "drop the import", name } }],
  "emove the option import": (state) => dropImport(state),
  "emove import": (state) => dropImport(state),
  "correct the option import, or remove it": (state) => dropImport(state),
  "run pulumi up --refresh=false --replace": (state, id) => {
    const isMeant = ({ webhook, record: { urn } }: ReturnType<typeof meant>[number]) =>
      webhook === undefined && nameOf(urn) in state.program;
    const replace = meant(state, id)
      .filter(isMeant)
      .map(({ record }) => nameOf(record.urn));
    return replace.length === 0
      ? []
      : [{ ...UP, options: { replace, refresh: false } }, ...dropImport(state, replace)];
  },
  "After an import, run pulumi up": () => [UP],
  "pulumi up sends all fields but the secret to these imported webhooks": () => [UP],
  "npx pulumi-webhooks resolve": () => [{ kind: "resolve", record: true }, TRUTH, UP],
  "npx pulumi-webhooks doctor: it recommends a value": () => [],
};

const PATTERNS = Object.entries(ADVICE).map(([text, act]) => [toPattern(text), act] as const);

/** A command that does more than an up. */
const COMMAND =
  /pulumi (?:state|stack|refresh|config|import|cancel)\b[^.,:]*|--replace|npx pulumi-webhooks \w+/;

/** Returns what messages advise first. @throws Violation if one has a command that nobody follows. */
export function follow(state: State, { lines }: Seen): Step[] {
  const steps: Step[][] = [];
  // All commands name the stack.
  let text = lines.join("\n").replaceAll(/ --stack [^\s,.)]+(?: \(pulumi stack [^)]*\))?/g, "");
  for (const [pattern, act] of PATTERNS)
    for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
      steps.push(act(state, found[1], found[2]));
      text = text.replace(found[0], "");
    }
  const unknown = COMMAND.exec(text);
  if (unknown !== null) throw new Violation(`Nobody follows ${unknown[0]}: ${text}`);
  return steps.find((one) => one.length > 0) ?? [];
}

const namesOf = (state: Pick<State, "stack" | "webhooks" | "key">, id?: string) =>
  meant(state, id).map(({ record }) => nameOf(record.urn));

/** Corrects the key, if that of another account was set by mistake. */
const setOwnKey = ({ key }: State): Step[] | undefined =>
  key === "other" ? [{ ...UP, key: "own" }] : undefined;

/** The key is right, and nobody needs what another one has made. An alias may not have renamed the record yet. */
function leaveOtherAccount(state: State, id?: string, named?: string): Step[] {
  const all = meant(state, id);
  const { record, webhook } = all.find((one) => nameOf(one.record.urn) === named) ?? all[0] ?? {};
  if (record === undefined) return [];
  const first: Step[] = webhook === undefined ? [] : [{ kind: "delete in the dashboard", id: webhook.id }];
  return [{ ...UP, first: [...first, ...(afterDelete(nameOf(record.urn), id).first ?? [])] }];
}

function moveToProvider(state: State, _?: string, name = ""): Step[] {
  const { provider: to = providerOf(name), alias } = state.program[name] ?? {};
  const recorded = (name?: string) => recordsIn(state).find((one) => nameOf(one.urn) === name && !one.delete);
  const record = recorded(name) ?? recorded(alias);
  if (record === undefined) return [];
  const isOfAccount = webhookOf(state, record)?.id === `${accountOf(keyOfProvider(state, to))}${record.id}`;
  const move = (to: string): Step => ({ ...UP, edit: { what: "move", name, to } });
  if (isOfAccount)
    return [
      move(recordedProvider(record)),
      { ...UP, key: "own", edit: { what: "change the name", name } },
      move(to),
    ];
  return setOwnKey(state) ?? [{ ...UP, edit: { what: "rename", name, to: `${name}-of-${to}` } }];
}

const afterDelete = (name: string, id?: string): RunStep => ({
  ...UP,
  first: [{ kind: "state delete", name, id, isAdvised: true }],
});

/** Drops an import, by default the first one. */
function dropImport({ program }: State, names = Object.keys(program)): Step[] {
  const name = names.find((one) => program[one]?.import !== undefined);
  return name === undefined ? [] : [{ ...UP, edit: { what: "drop the import", name } }];
}
