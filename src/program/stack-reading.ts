import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import { toSeconds } from "../stack/in-doubt.js";
import type { Holder, RecordedFacts } from "../stack/recorded-facts.js";
import { RecordedStack } from "../stack/recorded-stack.js";
import { RESOLVE } from "../stack/resolve-command.js";
import { shownName } from "../stack/shown-name.js";
import { startExport, WEBHOOK_TYPE } from "../stack/stack-export.js";
import { findEarlierUrns } from "./earlier-urns.js";
import { ProgramImports } from "./program-imports.js";

/**
 * Reads what the stack already holds about a webhook, for the provider, which cannot: it never receives a URN.
 *
 * @returns undefined if there is nothing, or if no engine runs the program, as under mocks.
 */
export async function readRecordedFacts(declared: Declared): Promise<Passed | undefined> {
  const { name, parent, provider, importId } = declared;
  const reading = currentReading();
  if (reading === undefined) return undefined;
  const stack = await reading.stack();
  const urn = await resolved(pulumi.createUrn(name, WEBHOOK_TYPE, parent));
  const earlierUrns = stack?.mayBeRenamed(urn) ? await findEarlierUrns(declared) : [];
  const facts = stack?.factsFor(urn, earlierUrns) ?? {};
  const isEmpty = Object.keys(facts).length === 0;
  if (importId === undefined) return isEmpty ? undefined : facts;
  const importer = { urn, isOwn: false, baseUrl: baseUrlOf(provider ?? parent?.getProvider(WEBHOOK_TYPE)) };
  // An output, since a preview may not know the id yet.
  const holders = pulumi.output(importId).apply((id) => {
    const recorded: Holder[] = stack?.holdersOf(String(id), urn) ?? [];
    return pulumi.output([...reading.imports.add(String(id), importer), ...recorded]);
  });
  return { ...facts, holders };
}

/** Starts to read the state of the running stack, side by side with the program's own start. */
export function startReading(): void {
  currentReading();
}

interface Declared {
  /** The resource's logical name. */
  name: string;
  parent: pulumi.Resource | undefined;
  provider: pulumi.ProviderResource | undefined;
  aliases: pulumi.ResourceOptions["aliases"];
  importId: pulumi.Input<pulumi.ID> | undefined;
}

type Importer = Pick<Holder, "urn" | "isOwn"> & { baseUrl: pulumi.Input<string> };

type Passed = Omit<RecordedFacts, "holders"> & { holders?: pulumi.Output<RecordedFacts["holders"]> };

/** A program of the Automation API may run several times in one process. Each run has an engine of its own. */
const readings = new WeakMap<object, Reading>();

function currentReading(): Reading | undefined {
  const engine = pulumi.runtime.getEngine();
  if (engine === undefined) return undefined;
  const reading = readings.get(engine) ?? new Reading();
  readings.set(engine, reading);
  return reading;
}

/** Longer than a slow backend takes, and short enough for a person to wait. */
const TIMEOUT_MILLISECONDS = 60_000;
const MAX_ATTEMPTS = 3;
const RETRY_MILLISECONDS = 500;

const startStackExport = () => startExport(qualifiedStack(), { timeoutMilliseconds: TIMEOUT_MILLISECONDS });

/** The reading of one run. */
class Reading {
  #export = startStackExport();
  #stack: Promise<RecordedStack | undefined> | undefined;
  readonly imports = new ProgramImports<Importer>();

  constructor() {
    this.#export.text.catch(() => {}); // Nobody may ask for it.
    this.#hold("unref");
  }

  /** Returns the stack, or warns once and returns undefined if it cannot be read. */
  stack(): Promise<RecordedStack | undefined> {
    this.#stack ??= this.#parse();
    return this.#stack;
  }

  async #parse(): Promise<RecordedStack | undefined> {
    this.#hold("ref");
    try {
      const stack = new RecordedStack(JSON.parse(await this.#read()));
      // Not the provider: the engine does not ask it about a webhook that the program no longer declares, or in a destroy.
      for (const create of stack.interrupted) void pulumi.log.warn(interruptedWarning(create));
      return stack;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      void pulumi.log.warn(unreadableWarning(reason));
      return undefined;
    }
  }

  /** Reads the state, again if that fails: the backend may be unreachable for a moment, or the engine be writing it. */
  async #read(): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#export.text;
      } catch (error) {
        // Neither if there is no CLI, nor if it took too long or was ended.
        if (attempt === MAX_ATTEMPTS || !/ failed: /.test(String(error))) throw error;
        await sleep(RETRY_MILLISECONDS);
        this.#export = startStackExport();
      }
    }
  }

  /** A program that declares no webhook does not wait for the reading. */
  #hold(how: "ref" | "unref"): void {
    const { child } = this.#export;
    child[how]();
    for (const stream of [child.stdout, child.stderr]) (stream as Socket | null)?.[how](); // Pipes are sockets.
  }
}

/** Returns the URL of a Provider's API, by default that of the stack. */
function baseUrlOf(provider: pulumi.ProviderResource | undefined): pulumi.Input<string> {
  const own: unknown = provider === undefined ? undefined : Reflect.get(provider, "webhooks:baseUrl");
  if (pulumi.Output.isInstance(own)) return own.apply(String);
  return new pulumi.Config("webhooks").get("baseUrl") ?? process.env.WEBHOOKS_BASE_URL ?? "";
}

function qualifiedStack(): string {
  return `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
}

function unreadableWarning(reason: string): string {
  return `The state of this stack could not be read. ${reason} If an earlier run was killed, this run may create webhooks a second time: look for them in the dashboard. An import of a webhook that another resource manages is not noticed either.`;
}

function interruptedWarning({ name, at }: { name: string; at: string }): string {
  return `An earlier run was killed while it was creating webhook ${shownName({ name })}. The create was sent at about ${toSeconds(at)} or earlier. It is unknown whether the API created the webhook, so nothing more is sent for it. Look for it in the dashboard, then run ${RESOLVE}.`;
}

function resolved<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => {
    output.apply(resolve);
  });
}
