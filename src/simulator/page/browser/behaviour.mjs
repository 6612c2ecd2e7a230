import { order } from "./connection.mjs";
import { fromTemplate, list, part, setText } from "./dom.mjs";

/** @import { Switch } from "../../switch-texts.js" */

const section = part(document, "behaviour-list", HTMLElement);

/** @param {readonly Switch[]} switches */
export function showBehaviour(switches) {
  list(section, switches, { key: ({ key }) => key, make, update });
}

/** @param {Switch} behaviour */
function make({ key, description, values, form }) {
  const element = fromTemplate(values ? "behaviour-choice" : "behaviour-text");
  const control = controlOf(element);
  if (values) control.append(...values.map((value) => new Option(value)));
  else setText(part(element, "form", HTMLElement), form ?? "");
  setText(part(element, "description", HTMLElement), description);
  setText(part(element, "key", HTMLElement), key);
  const problem = part(element, "problem", HTMLElement);
  control.addEventListener("change", async () => {
    setText(problem, "");
    try {
      await order("set-behaviour", { key, value: control.value.trim() });
    } catch (error) {
      setText(problem, error instanceof Error ? error.message : String(error));
    }
  });
  return element;
}

/**
 * Only a change at the simulator is shown: what the person is typing stays.
 *
 * @param {HTMLElement} element
 * @param {Switch} behaviour
 */
function update(element, { value }) {
  if (element.dataset.value === value) return;
  element.dataset.value = value;
  controlOf(element).value = value;
}

/** @param {HTMLElement} element */
function controlOf(element) {
  const control = part(element, "value", HTMLElement);
  if (control instanceof HTMLSelectElement || control instanceof HTMLInputElement) return control;
  throw new Error("A switch is a list or a field");
}
