// The DOM functions that all parts share. Text becomes text nodes here, never HTML.

/**
 * Returns the element with this data-part, and checks its class.
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
  if (!(found instanceof kind)) throw new Error(`There is no ${kind.name} ${name}`);
  return found;
}

/**
 * Copies the one element of a template.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
export function fromTemplate(id) {
  const template = document.getElementById(id);
  const element = template instanceof HTMLTemplateElement && template.content.firstElementChild;
  const copy = element && document.importNode(element, true);
  if (!(copy instanceof HTMLElement)) throw new Error(`There is no template ${id}`);
  return copy;
}

/**
 * Sets a text only if it differs, to keep a selection and the position of a screen reader. Characters that are invisible
 * or change the direction become replacement characters.
 *
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  const visible = text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, "\u{fffd}");
  if (element.textContent !== visible) element.textContent = visible;
}

/**
 * Sets the texts of parts, by their names.
 *
 * @param {ParentNode} parent
 * @param {Record<string, string>} texts
 */
export function fill(parent, texts) {
  for (const [name, text] of Object.entries(texts)) setText(part(parent, name, HTMLElement), text);
}

/**
 * Runs an action when a button is pressed.
 *
 * @param {ParentNode} parent
 * @param {string} name
 * @param {() => unknown} act
 */
export function onClick(parent, name, act) {
  part(parent, name, HTMLButtonElement).addEventListener("click", act);
}

/**
 * Sets a text of several lines, each in an element of its own: the style indents the rest of a long line.
 *
 * @param {HTMLElement} element
 * @param {string} text
 */
export function setLines(element, text) {
  const lines = text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => {
      const span = document.createElement("span");
      setText(span, line);
      return span;
    });
  element.replaceChildren(...lines);
}

/**
 * Sets a text once, in which a line may end after a slash: a browser would break a URL in the middle of a word.
 *
 * @param {HTMLElement} element
 * @param {string} text
 */
export function setBreakableText(element, text) {
  setText(element, text);
  const pieces = (element.textContent ?? "").split(/(?<=[^/]\/)(?!\/)/);
  element.replaceChildren(
    ...pieces.flatMap((piece, index) => (index === 0 ? [piece] : [document.createElement("wbr"), piece])),
  );
}

/**
 * Shows or hides parts, by their names.
 *
 * @param {Record<string, boolean>} parts
 */
export function show(parts) {
  for (const [name, isShown] of Object.entries(parts)) part(document, name, HTMLElement).hidden = !isShown;
}

/**
 * Hides the queries of URLs, which may hold tokens.
 *
 * @param {string} text
 */
export function maskQueries(text) {
  return text.replaceAll(/(https?:\/\/[^\s"'?#]*\?)[^\s"'#]+/gi, "$1[query]");
}

/**
 * The items that elements show.
 *
 * @type {WeakMap<Element, unknown>}
 */
const shownItems = new WeakMap();

/**
 * Updates the children of `parent` to show `items`. An item that was there before keeps its element, with the focus.
 *
 * @template Item
 * @param {Element} parent
 * @param {readonly Item[]} items
 * @param {{ key: (item: Item) => string, create: (item: Item) => HTMLElement, update?: (element: HTMLElement, item: Item) => void }} how
 */
export function list(parent, items, { key, create, update }) {
  /** @type {Map<string | undefined, HTMLElement>} */
  const before = new Map();
  for (const child of parent.children) {
    if (child instanceof HTMLElement) before.set(child.dataset.key, child);
  }
  const after = items.map((item) => {
    const element = before.get(key(item)) ?? create(item);
    before.delete(key(item));
    if (shownItems.get(element) !== item) {
      element.dataset.key = key(item);
      update?.(element, item);
      shownItems.set(element, item);
    }
    return element;
  });
  for (const removed of before.values()) removed.remove();
  // Only elements out of place are moved: moving loses the focus.
  for (const [index, element] of after.entries()) {
    if (parent.children[index] !== element) parent.insertBefore(element, parent.children[index] ?? null);
  }
}

/**
 * Highlights an element for a moment.
 *
 * @param {Element} element
 */
export function highlight(element) {
  // Removed and added again, so that a second change restarts the animation.
  element.classList.remove("changed");
  requestAnimationFrame(() => element.classList.add("changed"));
}

/**
 * Shows a time in the person's own format, with the date if it is not today.
 *
 * @param {HTMLTimeElement} element
 * @param {string} time
 */
export function setTime(element, time) {
  element.dateTime = time;
  element.title = time;
  const date = new Date(time);
  const isToday = date.toDateString() === new Date().toDateString();
  setText(element, (isToday ? TIME : DATE_AND_TIME).format(date));
}

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const DATE_AND_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

// At midnight, today's times get their date.
setInterval(() => {
  for (const element of document.querySelectorAll("time")) setTime(element, element.dateTime);
}, 60_000);
