import { attempt } from "./announce.mjs";
import { send } from "./connection.mjs";
import { copyButton } from "./copy.mjs";
import {
  fill,
  fromTemplate,
  highlight,
  list,
  maskQueries,
  onClick,
  part,
  setBreakableText,
  setLines,
  setTime,
  show,
} from "./dom.mjs";

/** @import { RequestView } from "../view.js" */

const section = part(document, "request-list", HTMLElement);
const errorsOnly = part(document, "errors-only", HTMLButtonElement);
const more = part(document, "more-requests", HTMLButtonElement);

const FEW = 8;
let areAllShown = false;
let hasOnlyErrors = false;
/** @type {readonly RequestView[] | undefined} */
let shown;

onClick(document, "clear-requests", () => attempt(() => send("clear-requests", {})));
onClick(document, "more-requests", () => {
  areAllShown = !areAllShown;
  showRequests(shown ?? []);
});
onClick(document, "errors-only", () => {
  hasOnlyErrors = !hasOnlyErrors;
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
  const hasRequests = requests.length > 0;
  show({
    "no-requests": !hasRequests,
    "no-errors": hasRequests && matching.length === 0,
    "clear-requests": hasRequests,
    "errors-only": hasRequests,
    "more-requests": matching.length > FEW,
  });
  errorsOnly.ariaChecked = String(hasOnlyErrors);
  more.ariaExpanded = String(areAllShown);
  fill(document, {
    "request-count": String(requests.length),
    "more-requests": areAllShown ? `Show the last ${FEW} only` : `Show all ${matching.length}`,
  });
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
    reply.hidden = !reply.hidden;
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
  const duration = milliseconds === undefined ? "" : `${milliseconds.toLocaleString()} ms`;
  fill(element, { title, outcome, duration, fault: fault && `Fault: ${fault}` });
  const { classList } = part(element, "outcome", HTMLElement);
  classList.toggle("good", milliseconds !== undefined && !isError);
  classList.toggle("bad", isError);
  part(element, "show-reply", HTMLButtonElement).hidden = reply === "";
  setLines(part(element, "reply", HTMLElement), maskQueries(reply));
  list(part(element, "fields", HTMLElement), fields, {
    key: ({ field }) => field,
    create: ({ field, value }) => {
      const pair = fromTemplate("field");
      const shown = part(pair, "value", HTMLElement);
      fill(pair, { field });
      setBreakableText(shown, maskQueries(value));
      if (field === "webhook_id") shown.after(copyButton(value));
      return pair;
    },
  });
}
