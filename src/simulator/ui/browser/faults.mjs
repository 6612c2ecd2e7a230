import { attempt } from "./announce.mjs";
import { send } from "./connection.mjs";
import { fill, fromTemplate, onClick, part, show } from "./dom.mjs";

/** @import { FaultsView } from "../view.js" */

/** The faults that the UI offers. */
const rows = [...document.querySelectorAll("[data-fault]")].filter((row) => row instanceof HTMLElement);
const others = part(document, "other-fault-list", HTMLElement);
const times = part(document, "fault-times", HTMLSelectElement);
const operation = part(document, "fault-operation", HTMLSelectElement);

onClick(document, "clear-faults", () => attempt(() => send("clear-faults", {})));
for (const row of rows) onClick(row, "switch", () => attempt(() => toggle(row)));

/** @param {FaultsView} rules */
export function showFaults(rules) {
  for (const row of rows) {
    const scopes = rules.filter(({ key }) => key === row.dataset.fault).map(({ scope }) => scope);
    part(row, "switch", HTMLButtonElement).ariaChecked = String(scopes.length > 0);
    fill(row, { scope: scopes.join("; ") });
  }
  const fromProgram = rules.filter(({ key }) => key === undefined);
  const items = fromProgram.map(({ fault, scope }) => {
    const item = fromTemplate("other-fault");
    fill(item, { text: `${fault}: ${scope}` });
    return item;
  });
  others.replaceChildren(...items);
  show({ "other-faults": items.length > 0, "clear-faults": rules.length > 0 });
  fill(document, { "fault-count": rules.length === 0 ? "" : `${rules.length} on` });
}

/** @param {HTMLElement} row */
function toggle(row) {
  const { fault } = row.dataset;
  if (part(row, "switch", HTMLButtonElement).ariaChecked === "true") return send("remove-fault", { fault });
  return send("add-fault", {
    fault,
    ...(times.value !== "" && { times: Number(times.value) }),
    ...(operation.value !== "" && { operation: operation.value }),
  });
}
