import { attempt } from "./announce.mjs";
import { send } from "./connection.mjs";
import { fromTemplate, list, part, setText, setTime, show } from "./dom.mjs";

/** @import { RequestView } from "../view.js" */

const section = part(document, "request-list", HTMLElement);
const count = part(document, "request-count", HTMLElement);
const empty = part(document, "no-requests", HTMLElement);
const clear = part(document, "clear-requests", HTMLButtonElement);
const more = part(document, "more-requests", HTMLButtonElement);

const FEW = 8;
let areAllShown = false;
/** @type {readonly RequestView[]} */
let shown = [];

clear.addEventListener("click", () => attempt(() => send("clear-requests", {})));
more.addEventListener("click", () => {
  areAllShown = !areAllShown;
  showRequests(shown);
});

/** @param {readonly RequestView[]} requests oldest first */
export function showRequests(requests) {
  shown = requests;
  const newestFirst = requests.toReversed();
  list(section, areAllShown ? newestFirst : newestFirst.slice(0, FEW), {
    key: ({ number }) => String(number),
    create: () => fromTemplate("request"),
    update,
  });
  setText(count, String(requests.length));
  show(empty, requests.length === 0);
  show(clear, requests.length > 0);
  show(more, requests.length > FEW);
  more.ariaExpanded = String(areAllShown);
  setText(more, areAllShown ? `Show the last ${FEW} only` : `Show all ${requests.length}`);
}

/**
 * @param {HTMLElement} element
 * @param {RequestView} request
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
    create: ({ field, value }) => {
      const pair = fromTemplate("field");
      setText(part(pair, "field", HTMLElement), field);
      setText(part(pair, "value", HTMLElement), value);
      return pair;
    },
  });
}
