import { styleText } from "node:util";
import { printable, printableLines } from "../../wording/unprintable.js";
import { type DriftedWebhook, type DriftResult, SECRET } from "./drift-result.js";

/** Formats a result for a terminal. */
export function formatDriftResult(result: DriftResult): string {
  const { stack, webhooks, compared, drift, notCompared, warnings, errors, restore } = result;
  const count = `${webhooks} webhook${webhooks === 1 ? "" : "s"}`;
  const verdicts = {
    "no drift": ["green", `No drift: ${count} of stack ${stack} compared.`],
    drift: ["red", `Drift: ${drift.length} of ${count} of stack ${stack} changed outside Pulumi.`],
    "not compared": [
      "yellow",
      `The comparison of stack ${stack} is incomplete: ${compared} of ${count} compared. No drift is known.`,
    ],
    failed: ["red", `The comparison of stack ${stack} failed: ${compared} of ${count} compared.`],
  } as const;
  const [color, verdict] = verdicts[result.result];
  const isDated = drift.some(({ changedAt }) => changedAt !== undefined);
  const advice = [
    ...(isDated ? ["The API returns no URLs: check those of the changed webhooks in the dashboard."] : []),
    ...warnings,
    ...(restore === undefined ? [] : [`To restore what the stack records, run ${restore}. ${ALSO}`]),
  ];
  const messages = [...notCompared.map((text) => `! ${text}`), ...errors.map((text) => `✗ ${text}`)];
  return [
    styleText(["bold", color], printable(verdict)),
    ...drift.map((one) => printable(formatDrift(one))),
    // Only the first line of a message begins like one of ours.
    ...messages.map((text) => printableLines(text).replaceAll("\n", "\n  ")),
    ...(advice.length > 0 ? ["", ...advice.map((line) => printable(line))] : []),
  ].join("\n");
}

const ALSO =
  "It also applies changes of the program that are not applied yet. To keep a change, make it in the program, too.";

/** Formats a change, such as `~ Orders (42): name "Orders" → "Renamed"`. */
function formatDrift({ name, id, change, fields, changedAt }: DriftedWebhook): string {
  if (change === "deleted") return `- ${name} (${id}): deleted`;
  const texts = Object.entries(fields).map(([field, { recorded, actual }]) =>
    [recorded, actual].includes(SECRET)
      ? `${field} changed (secret)`
      : `${field} ${JSON.stringify(recorded)} → ${JSON.stringify(actual)}`,
  );
  if (changedAt !== undefined) texts.push(`changed at ${changedAt}`);
  return `~ ${name} (${id}): ${texts.join(", ")}`;
}
