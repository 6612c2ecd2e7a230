import { attempt } from "./announce.mjs";
import { send } from "./connection.mjs";
import { fill, fromTemplate, list, onClick, part, show } from "./dom.mjs";

/** @import { BehaviourText } from "../../behaviour-text.js" */

const section = part(document, "behaviour-list", HTMLElement);
const all = part(document, "all-options", HTMLButtonElement);

let areAllShown = false;
/** @type {readonly BehaviourText[]} */
let shown = [];

onClick(document, "all-options", () => {
  areAllShown = !areAllShown;
  all.ariaExpanded = String(areAllShown);
  fill(document, { "all-options": areAllShown ? "Show changed options only" : "Show all options" });
  showRows();
});

/** @param {readonly BehaviourText[]} options */
export function showBehaviour(options) {
  shown = options;
  list(section, options, { key: ({ key }) => key, create, update });
  showRows();
}

/** Shows the options that differ from their default, or all. */
function showRows() {
  const changed = new Set(shown.filter(isChanged).map(({ key }) => key));
  for (const row of section.children) {
    if (row instanceof HTMLElement) row.hidden = !areAllShown && !changed.has(row.dataset.key ?? "");
  }
  show({ "all-defaults": changed.size === 0 && !areAllShown });
  fill(document, { "behaviour-count": changed.size === 0 ? "" : `${changed.size} changed` });
}

/** @param {BehaviourText} option */
function isChanged({ value, defaultValue }) {
  return value !== defaultValue;
}

/** @param {BehaviourText} option */
function create({ key, description, values }) {
  const element = fromTemplate("option");
  if (values) controlOf(element).replaceWith(createSelect(values));
  const control = controlOf(element);
  fill(element, { description, key });
  control.addEventListener("change", () =>
    attempt(
      () => send("set-behaviour", { key, value: control.value.trim() }),
      part(element, "problem", HTMLElement),
    ),
  );
  return element;
}

/** @param {readonly string[]} values */
function createSelect(values) {
  const select = document.createElement("select");
  select.dataset.part = "value";
  select.append(...values.map((value) => new Option(value)));
  return select;
}

/**
 * Shows a change at the simulator only: text that the person is typing stays.
 *
 * @param {HTMLElement} element
 * @param {BehaviourText} option
 */
function update(element, option) {
  const { value, form, defaultValue } = option;
  const hint = [form, isChanged(option) ? `default: ${defaultValue || "none"}` : undefined];
  fill(element, { hint: hint.filter(Boolean).join("; ") });
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
