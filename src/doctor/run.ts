import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { outcomeOf } from "../errors.js";
import { judge } from "../retries.js";
import { createBody, deleteBody, probeBody, updateBody } from "../schema.js";
import type { Settings } from "../settings.js";
import type { Answer } from "./conversation.js";
import { Conversation, isDone, isGone } from "./conversation.js";
import { keptFields, recordIn } from "./kept-fields.js";

/** What came back of each question; undefined where it was not asked. */
export interface Answers {
  create?: Answer;
  /** The same create with the same Idempotency-Key. */
  createAgain?: Answer;
  update?: Answer;
  /** An update with nothing but the id, of the disabled webhook. */
  emptyUpdate?: Answer;
  /** An update that enables the webhook, with an address that cannot exist. */
  enabling?: Answer;
  emptyUpdateOfEnabled?: Answer;
  delete?: Answer;
  updateOfDeleted?: Answer;
  deleteOfDeleted?: Answer;
  wrongKey?: Answer;
}

/** A webhook that is at the API, or may be. */
export interface Leftover {
  name: string;
  /** Undefined where the API did not tell it. */
  id?: string;
  why: string;
}

const DELETE_TRIES = 8;
/** Many APIs keep whole seconds: a time that was set within the same one would look untouched. */
const NEXT_SECOND_MILLISECONDS = 1100;
const WRONG_KEY = "pulumi-webhooks-doctor-wrong-key";
const ADDRESS = "https://example.com/pulumi-webhooks-doctor";
/** The top-level domain is reserved: no host below it will ever exist, so nothing can be delivered there. */
const NOWHERE = "https://pulumi-webhooks-doctor.invalid/";

/** What the doctor asks of an API, with a throwaway webhook that it deletes whatever happens. */
export class Examination {
  readonly name: string;
  readonly answers: Answers = {};
  readonly conversation: Conversation;
  /** What has to be deleted, or may have been made: at any time, since the process may be ended at any time. */
  readonly #leftovers = new Set<Leftover>();
  readonly #signal: AbortSignal;
  readonly #say: (line: string) => void;
  readonly #webhook: { url: string; name: string; secret: string; enabled: boolean };

  /** @param options.say is told what is done next, a line each. */
  constructor(options: { settings: Settings; signal: AbortSignal; say: (line: string) => void }) {
    const now = `${new Date().toISOString().slice(0, 19)}Z`;
    this.name = `pulumi-webhooks doctor ${now} (safe to delete)`;
    const secret = randomBytes(24).toString("base64url");
    this.#webhook = { url: ADDRESS, name: this.name, secret, enabled: false };
    this.#signal = options.signal;
    this.#say = options.say;
    this.conversation = new Conversation({ ...options, secret });
  }

  /** The webhooks that are at the API, or may be, though they should not. */
  get leftovers(): readonly Leftover[] {
    return [...this.#leftovers];
  }

  /** Asks everything. An interruption ends it early and deletes what was made; it does not throw. */
  async run(): Promise<void> {
    try {
      const id = await this.#askOfWebhook();
      if (id !== undefined && this.#leftovers.size === 0) await this.#askOfDeleted(id);
    } catch (error) {
      if (!this.#signal.aborted) throw error;
    } finally {
      await this.conversation.close();
    }
  }

  /** @returns the id of the webhook, which is deleted by then, where the API took one. */
  async #askOfWebhook(): Promise<string | undefined> {
    try {
      const headers = { "idempotency-key": randomUUID() };
      this.#say("creating a disabled throwaway webhook");
      const { answer, id } = await this.#create(headers);
      this.answers.create = answer;
      if (id === undefined) return undefined;
      await this.#askWhetherCreatesRepeat(headers);
      await this.#askOfUpdates(id);
      return id;
    } finally {
      for (const leftover of this.#leftovers) await this.#delete(leftover);
    }
  }

  async #create(headers: Record<string, string>): Promise<{ answer: Answer; id: string | undefined }> {
    const leftover: Leftover = { name: this.name, why: "its create was not answered yet" };
    this.#leftovers.add(leftover);
    try {
      const answer = await this.conversation.ask({
        operation: "create",
        body: createBody(this.#webhook),
        headers,
      });
      const { id } = recordIn(answer);
      const isKnown = this.leftovers.some((known) => known.id !== undefined && known.id === id);
      const inDoubt = judge("create", answer.exchange, 1) === "in doubt";
      const said = JSON.stringify(answer.reply);
      if (id !== undefined) {
        leftover.id = id;
        leftover.why = "its delete was not answered yet";
      } else {
        leftover.why = isDone(answer)
          ? `its create was answered without a usable id: ${this.conversation.quote(said)}`
          : `its create was not answered clearly: ${outcomeOf(answer.path, answer.exchange)}`;
      }
      if (isKnown || (id === undefined && !inDoubt)) this.#leftovers.delete(leftover);
      return { answer, id };
    } catch (error) {
      // Interrupted before it was sent, or while it waited after a refusal.
      this.#leftovers.delete(leftover);
      throw error;
    }
  }

  async #askWhetherCreatesRepeat(headers: Record<string, string>): Promise<void> {
    this.#say("sending the same create again, with the same Idempotency-Key");
    const known = this.leftovers;
    const { answer } = await this.#create(headers);
    this.answers.createAgain = answer;
    for (const leftover of this.leftovers) {
      if (!known.includes(leftover)) await this.#delete(leftover);
    }
  }

  async #askOfUpdates(id: string): Promise<void> {
    const { answers, conversation } = this;
    const ask = (body: object) => conversation.ask({ operation: "update", body });
    this.#say("updating it with all fields");
    answers.update = await ask(updateBody(id, this.#webhook));
    if (!isDone(answers.update)) return;

    this.#say("updating it with nothing but its id");
    await sleep(NEXT_SECOND_MILLISECONDS, undefined, { signal: this.#signal });
    answers.emptyUpdate = await ask(probeBody(id));
    if (!keptFields(answers.update, answers.emptyUpdate).all) return;

    // A default of false would not show on a disabled webhook, and a probe would then disable all others.
    this.#say("enabling it for a moment, with an address that cannot exist, and updating it with nothing");
    answers.enabling = await ask(updateBody(id, { ...this.#webhook, url: NOWHERE, enabled: true }));
    if (recordIn(answers.enabling).enabled) answers.emptyUpdateOfEnabled = await ask(probeBody(id));
    await ask(updateBody(id, this.#webhook));
  }

  async #delete(leftover: Leftover): Promise<void> {
    const { id } = leftover;
    if (id === undefined) return;
    this.#say(`deleting webhook ${id}`);
    const question = {
      operation: "delete",
      body: deleteBody(id),
      tries: DELETE_TRIES,
      always: true,
    } as const;
    const answer = await this.conversation.ask(question);
    this.answers.delete = answer;
    leftover.why = this.conversation.describe(answer);
    // A 404 is what a delete that is repeated gets. To the first one it says that the id is not the webhook's.
    const isDeleted = isDone(answer) || (answer.repeated && isGone(answer));
    if (isDeleted) this.#leftovers.delete(leftover);
  }

  /** Asks with the webhook's own id once it is deleted: any other could be a stranger's. */
  async #askOfDeleted(id: string): Promise<void> {
    const { answers, conversation } = this;
    this.#say("updating and deleting it once more, now that it is gone");
    const emptyWorked = answers.emptyUpdate !== undefined && isDone(answers.emptyUpdate);
    const body = emptyWorked ? probeBody(id) : updateBody(id, this.#webhook);
    answers.updateOfDeleted = await conversation.ask({ operation: "update", body });
    const { id: sameId, name } = recordIn(answers.updateOfDeleted);
    if (sameId !== undefined || name !== undefined) {
      const why = "the API said that it was deleted, and still answers for it";
      this.#leftovers.add({ name: this.name, id, why });
      return;
    }
    answers.deleteOfDeleted = await conversation.ask({ operation: "delete", body: deleteBody(id) });

    this.#say("updating it with a wrong key");
    const headers = { authorization: `Bearer ${WRONG_KEY}` };
    answers.wrongKey = await conversation.ask({ operation: "update", body, headers, tries: 1 });
  }
}
