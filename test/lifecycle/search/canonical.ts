import { hash } from "node:crypto";
import type { ExportedResource } from "../../../src/stack/stack-export.js";
import type { State } from "./state.js";

/** Returns what two states have in common that differ in nothing that matters. */
export const keyOf = (state: State) => hash("sha1", toCanonical(state), "base64");

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/**
 * Writes a state so that two which differ in nothing that matters are the same text: ids and secrets in the order in which they
 * appear, times by their rank, nothing random.
 */
function toCanonical({ program, stack, notes, elsewhere, webhooks, gone, key }: State): string {
  const { manifest, resources, pending_operations: pending } = stack.deployment;
  const text = JSON.stringify([
    Object.entries(program),
    resources.map(withoutTimes),
    pending.map(({ type, resource }) => [type, withoutTimes(resource)]),
    manifest.time,
    notes,
    elsewhere,
    webhooks.map(({ createdAt, updatedAt, ...webhook }) => webhook),
    gone.filter((id) => resources.some((record) => record.id === id)),
    key,
  ]);
  const times = [...new Set(text.match(TIME))].sort();
  const rank = ranking();
  return (
    text
      // When a step begins, no earlier create may take effect any more.
      .replace(/(__key":"[\w-]{12})[0-9a-z]{6}/g, "$1")
      .replace(/"until\\":\\"[^"]*"|\+\d+-[0-9a-f]{4}/g, "")
      .replace(/(__key":"[\w-]{8}|nonce\\":\\")([\w-]{4})/g, ranking("n"))
      .replace(TIME, (time) => `t${times.indexOf(time)}`)
      .replace(/(wh-)(\d+)/g, rank)
      .replace(/(whsec-canary-|sealed )([ab])/g, rank)
  );
}

/** Replaces each item by its rank among those before it. */
function ranking(sign = "") {
  const found: string[] = [];
  return (_: string, before: string, item: string) => {
    if (!found.includes(item)) found.push(item);
    return before + sign + found.indexOf(item);
  };
}

/** A record without the times of the API, which no operation without a probe compares, and without the text of errors. */
function withoutTimes({ modified, initErrors, outputs, ...record }: ExportedResource) {
  const { createdAt, updatedAt, ...rest } = outputs ?? {};
  return { ...record, outputs: rest, hasFailed: (initErrors ?? []).length > 0 };
}
