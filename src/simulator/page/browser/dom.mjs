// What all parts of the page need of the DOM. Texts become text nodes here and nowhere HTML.

/**
 * The element that the HTML marks with data-part, of the class that is expected.
 *
 * @template {Element} T
 * @param {ParentNode} parent
 * @param {string} name
 * @param {new () => T} kind
 * @returns {T}
 */
export function part(parent, name, kind) {
  const selector = `[data-part="${name}"]`;
  const found =
    parent instanceof Element && parent.matches(selector) ? parent : parent.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`The page has no ${kind.name} ${name}`);
  return found;
}

/**
 * A new copy of what a template holds: one element.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
export function fromTemplate(id) {
  const template = document.getElementById(id);
  const element = template instanceof HTMLTemplateElement && template.content.firstElementChild;
  const copy = element && document.importNode(element, true);
  if (!(copy instanceof HTMLElement)) throw new Error(`The page has no template ${id}`);
  return copy;
}

/**
 * Sets a text, where it differs: a selection in it, and what a screen reader reads, stay. What would turn the text around
 * or cannot be seen shows as a replacement character.
 *
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  const visible = text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, "\u{fffd}");
  if (element.textContent !== visible) element.textContent = visible;
}

/**
 * Shows an element or hides it.
 *
 * @param {HTMLElement} element
 * @param {boolean} isShown
 */
export function show(element, isShown) {
  element.hidden = !isShown;
}

/**
 * Makes the children of `parent` show `items`: an item that was there before keeps its element, and with it the focus.
 *
 * @template Item
 * @param {Element} parent
 * @param {readonly Item[]} items
 * @param {{ key: (item: Item) => string, make: (item: Item) => HTMLElement, update?: (element: HTMLElement, item: Item) => void }} how
 */
export function list(parent, items, { key, make, update }) {
  /** @type {Map<string | undefined, HTMLElement>} */
  const before = new Map();
  for (const child of parent.children) {
    if (child instanceof HTMLElement) before.set(child.dataset.key, child);
  }
  /** @type {HTMLElement[]} */
  const after = [];
  for (const item of items) {
    const element = before.get(key(item)) ?? make(item);
    before.delete(key(item));
    element.dataset.key = key(item);
    update?.(element, item);
    after.push(element);
  }
  for (const gone of before.values()) gone.remove();
  // Only what is not in its place is moved: moving takes the focus away.
  for (const [index, element] of after.entries()) {
    if (parent.children[index] !== element) parent.insertBefore(element, parent.children[index] ?? null);
  }
}

/**
 * A time of the API or of this machine, as the person reads times.
 *
 * @param {HTMLTimeElement} element
 * @param {string} time
 */
export function setTime(element, time) {
  if (element.dateTime === time) return;
  element.dateTime = time;
  element.title = time;
  const date = new Date(time);
  const isToday = date.toDateString() === new Date().toDateString();
  setText(element, (isToday ? clock : calendar).format(date));
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const calendar = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
