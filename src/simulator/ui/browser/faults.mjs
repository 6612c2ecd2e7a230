import { attempt } from "./announce.mjs";
import { send } from "./connection.mjs";
import { fill, fromTemplate, list, onClick, part, show } from "./dom.mjs";

/** @import { FaultsView } from "../view.js" */

const groups = part(document, "fault-groups", HTMLElement);
const others = part(document, "other-fault-list", HTMLElement);
const times = part(document, "fault-times", HTMLSelectElement);
const operation = part(document, "fault-operation", HTMLSelectElement);

onClick(document, "clear-faults", () => attempt(() => send("clear-faults", {})));

/** @param {FaultsView} faults */
export function showFaults(faults) {
  list(groups, faults.groups, { key: ({ title }) => title, create: createGroup, update: updateGroup });
  const rows = faults.others.map((text, index) => ({ text, index }));
  list(others, rows, {
    key: ({ index }) => String(index),
    create: () => fromTemplate("other-fault"),
    update: (element, { text }) => fill(element, { text }),
  });
  show({ "other-faults": faults.others.length > 0, "clear-faults": faults.active > 0 });
  fill(document, { "fault-count": faults.active === 0 ? "" : `${faults.active} on` });
}

/** @param {FaultsView["groups"][number]} group */
function createGroup({ title }) {
  const element = fromTemplate("fault-group");
  fill(element, { title });
  return element;
}

/**
 * @param {HTMLElement} element
 * @param {FaultsView["groups"][number]} group
 */
function updateGroup(element, { choices }) {
  list(part(element, "choices", HTMLElement), choices, {
    key: ({ id }) => id,
    create: ({ id, label }) => {
      const item = fromTemplate("fault");
      const button = part(item, "switch", HTMLButtonElement);
      fill(item, { switch: label });
      button.addEventListener("click", () => attempt(() => toggle(id, button.ariaChecked === "true")));
      return item;
    },
    update: (item, { isOn, scope }) => {
      part(item, "switch", HTMLButtonElement).ariaChecked = String(isOn);
      fill(item, { scope });
    },
  });
}

/**
 * @param {string} fault
 * @param {boolean} isOn
 */
function toggle(fault, isOn) {
  if (isOn) return send("remove-fault", { fault });
  return send("add-fault", {
    fault,
    ...(times.value !== "" && { times: Number(times.value) }),
    ...(operation.value !== "" && { operation: operation.value }),
  });
}
