import { attempt } from "./announce.mjs";
import { send } from "./connection.mjs";
import { fromTemplate, list, part, setText } from "./dom.mjs";

/** @import { BehaviourText } from "../../behaviour-text.js" */

const section = part(document, "behaviour-list", HTMLElement);

/** @param {readonly BehaviourText[]} options */
export function showBehaviour(options) {
  list(section, options, { key: ({ key }) => key, create, update });
}

/** @param {BehaviourText} option */
function create({ key, description, values, form }) {
  const element = fromTemplate(values ? "behaviour-choice" : "behaviour-text");
  const control = controlOf(element);
  if (values) control.append(...values.map((value) => new Option(value)));
  else setText(part(element, "form", HTMLElement), form ?? "");
  setText(part(element, "description", HTMLElement), description);
  setText(part(element, "key", HTMLElement), key);
  control.addEventListener("change", () =>
    attempt(
      () => send("set-behaviour", { key, value: control.value.trim() }),
      part(element, "problem", HTMLElement),
    ),
  );
  return element;
}

/**
 * Shows a change at the simulator only: text that the person is typing stays.
 *
 * @param {HTMLElement} element
 * @param {BehaviourText} option
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
  throw new Error("An option is a select or an input");
}
