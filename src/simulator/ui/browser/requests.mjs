import { attempt } from "./announce.mjs";
import { send } from "./connection.mjs";
import { copyButton } from "./copy.mjs";
import {
  fromTemplate,
  highlight,
  list,
  maskQueries,
  part,
  setBreakableText,
  setLines,
  setText,
  setTime,
  show,
} from "./dom.mjs";

/** @import { RequestView } from "../view.js" */

const section = part(document, "request-list", HTMLElement);
const count = part(document, "request-count", HTMLElement);
const empty = part(document, "no-requests", HTMLElement);
const noErrors = part(document, "no-errors", HTMLElement);
const clear = part(document, "clear-requests", HTMLButtonElement);
const errorsOnly = part(document, "errors-only", HTMLButtonElement);
const more = part(document, "more-requests", HTMLButtonElement);

const FEW = 8;
let areAllShown = false;
let hasOnlyErrors = false;
/** @type {readonly RequestView[] | undefined} */
let shown;

clear.addEventListener("click", () => attempt(() => send("clear-requests", {})));
more.addEventListener("click", () => {
  areAllShown = !areAllShown;
  showRequests(shown ?? []);
});
errorsOnly.addEventListener("click", () => {
  hasOnlyErrors = !hasOnlyErrors;
  errorsOnly.ariaChecked = String(hasOnlyErrors);
  showRequests(shown ?? []);
});

/** @param {readonly RequestView[]} requests oldest first */
export function showRequests(requests) {
  const last = shown?.at(-1)?.number ?? (shown ? -1 : Infinity);
  shown = requests;
  const matching = requests.filter(({ isError }) => isError || !hasOnlyErrors).toReversed();
  list(section, areAllShown ? matching : matching.slice(0, FEW), {
    key: ({ number }) => String(number),
    create: (request) => create(request, request.number > last),
    update,
  });
  setText(count, String(requests.length));
  show(empty, requests.length === 0);
  show(noErrors, requests.length > 0 && matching.length === 0);
  show(clear, requests.length > 0);
  show(errorsOnly, requests.length > 0);
  show(more, matching.length > FEW);
  more.ariaExpanded = String(areAllShown);
  setText(more, areAllShown ? `Show the last ${FEW} only` : `Show all ${matching.length}`);
}

/**
 * @param {RequestView} request
 * @param {boolean} isNew
 */
function create({ number }, isNew) {
  const element = fromTemplate("request");
  const button = part(element, "show-reply", HTMLButtonElement);
  const reply = part(element, "reply", HTMLElement);
  reply.id = `reply-${number}`;
  button.setAttribute("aria-controls", reply.id);
  button.addEventListener("click", () => {
    show(reply, reply.hidden !== false);
    button.ariaExpanded = String(!reply.hidden);
  });
  if (isNew) highlight(element);
  return element;
}

/**
 * @param {HTMLElement} element
 * @param {RequestView} request
 */
function update(element, { at, title, outcome, milliseconds, isError, fields, reply, fault }) {
  setTime(part(element, "at", HTMLTimeElement), at);
  setText(part(element, "title", HTMLElement), title);
  const end = part(element, "outcome", HTMLElement);
  setText(end, outcome);
  end.classList.toggle("good", milliseconds !== undefined && !isError);
  end.classList.toggle("bad", isError);
  setText(
    part(element, "duration", HTMLElement),
    milliseconds === undefined ? "" : `${milliseconds.toLocaleString()} ms`,
  );
  setText(part(element, "fault", HTMLElement), fault && `Fault: ${fault}`);
  show(part(element, "show-reply", HTMLButtonElement), reply !== "");
  setLines(part(element, "reply", HTMLElement), maskQueries(reply));
  list(part(element, "fields", HTMLElement), fields, {
    key: ({ field }) => field,
    create: ({ field, value }) => {
      const pair = fromTemplate("field");
      setText(part(pair, "field", HTMLElement), field);
      setBreakableText(part(pair, "value", HTMLElement), maskQueries(value));
      if (field === "webhook_id") part(pair, "value", HTMLElement).after(copyButton(value));
      return pair;
    },
  });
}
