import { attempt } from "./announce.mjs";
import { send } from "./connection.mjs";
import { fromTemplate, list, part, setText, show } from "./dom.mjs";

/** @import { FaultsView } from "../view.js" */

const groups = part(document, "fault-groups", HTMLElement);
const others = part(document, "other-faults", HTMLElement);
const otherList = part(document, "other-fault-list", HTMLElement);
const count = part(document, "fault-count", HTMLElement);
const clear = part(document, "clear-faults", HTMLButtonElement);
const times = part(document, "fault-times", HTMLSelectElement);
const operation = part(document, "fault-operation", HTMLSelectElement);

clear.addEventListener("click", () => attempt(() => send("clear-faults", {})));

/** @param {FaultsView} faults */
export function showFaults(faults) {
  list(groups, faults.groups, { key: ({ title }) => title, create: createGroup, update: updateGroup });
  show(others, faults.others.length > 0);
  list(
    otherList,
    faults.others.map((text, index) => ({ text, index })),
    {
      key: ({ index }) => String(index),
      create: () => fromTemplate("other-fault"),
      update: (element, { text }) => setText(element, text),
    },
  );
  setText(count, faults.active === 0 ? "" : `${faults.active} on`);
  show(clear, faults.active > 0);
}

/** @param {FaultsView["groups"][number]} group */
function createGroup({ title }) {
  const element = fromTemplate("fault-group");
  setText(part(element, "title", HTMLElement), title);
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
      setText(button, label);
      button.addEventListener("click", () => attempt(() => toggle(id, button.ariaChecked === "true")));
      return item;
    },
    update: (item, { isOn, scope }) => {
      part(item, "switch", HTMLButtonElement).ariaChecked = String(isOn);
      setText(part(item, "scope", HTMLElement), scope);
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
