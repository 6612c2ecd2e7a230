import { attempt } from "./announce.mjs";
import { order } from "./connection.mjs";
import { fromTemplate, list, part, setText, setTime, show } from "./dom.mjs";

/** @import { CallView } from "../view.js" */

const section = part(document, "call-list", HTMLElement);
const count = part(document, "call-count", HTMLElement);
const empty = part(document, "no-calls", HTMLElement);
const clear = part(document, "clear-calls", HTMLButtonElement);
const more = part(document, "more-calls", HTMLButtonElement);

const few = 8;
let areAllShown = false;
/** @type {readonly CallView[]} */
let shown = [];

clear.addEventListener("click", () => attempt(() => order("clear-calls", {})));
more.addEventListener("click", () => {
  areAllShown = !areAllShown;
  showCalls(shown);
});

/** @param {readonly CallView[]} calls oldest first */
export function showCalls(calls) {
  shown = calls;
  const newestFirst = calls.toReversed();
  list(section, areAllShown ? newestFirst : newestFirst.slice(0, few), {
    key: ({ number }) => String(number),
    make: () => fromTemplate("call"),
    update,
  });
  setText(count, String(calls.length));
  show(empty, calls.length === 0);
  show(clear, calls.length > 0);
  show(more, calls.length > few);
  more.ariaExpanded = String(areAllShown);
  setText(more, areAllShown ? `Show the last ${few} only` : `Show all ${calls.length}`);
}

/**
 * @param {HTMLElement} element
 * @param {CallView} call
 */
function update(element, { at, title, outcome, isGood, isOpen, fields, fault }) {
  setTime(part(element, "at", HTMLTimeElement), at);
  setText(part(element, "title", HTMLElement), title);
  const end = part(element, "outcome", HTMLElement);
  setText(end, outcome);
  end.classList.toggle("good", isGood);
  end.classList.toggle("bad", !isGood && !isOpen);
  setText(part(element, "fault", HTMLElement), fault && `Fault: ${fault}`);
  list(part(element, "fields", HTMLElement), fields, {
    key: ({ field }) => field,
    make: ({ field, value }) => {
      const pair = fromTemplate("field");
      setText(part(pair, "field", HTMLElement), field);
      setText(part(pair, "value", HTMLElement), value);
      return pair;
    },
  });
}
