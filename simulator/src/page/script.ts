/** The script of the page: after each change, it merges what the server renders into the open page. The forms work without it. */
export const SCRIPT = `
const [main, problem, connection] = ["main", "#problem", "#connection"].map((name) => document.querySelector(name));
let [loading, isSending] = [Promise.resolve(), false];

addEventListener("submit", async (event) => {
  event.preventDefault();
  const { target: form, submitter } = event;
  if (isSending) return; // A disabled button would lose the focus.
  isSending = true;
  const url = submitter.getAttribute("formaction") ?? form.action;
  const hasWorked = await send(url, new FormData(form, submitter));
  isSending = false;
  if (!hasWorked) return;
  form.reset();
  if (!form.matches(".fields")) return;
  form.previousElementSibling.focus();
  form.parentElement.open = false;
});
addEventListener("change", ({ target }) => {
  if (target.form?.matches("[data-live]")) send(target.form.action, [[target.name, target.value.trim()]]);
});
follow();

function follow() {
  const source = new EventSource("/@simulator/events");
  const showConnection = (isLive) => {
    connection.textContent = isLive ? "Live" : "The simulator is not reachable. Reconnecting …";
    connection.className = isLive ? "good" : "bad";
    main.classList.toggle("away", !isLive);
  };
  source.onopen = () => showConnection(true);
  source.onerror = () => {
    showConnection(false);
    // The browser reconnects by itself, but gives up after a reply that is no stream.
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, 3000);
  };
  // One after the other: the last one shows the page as it is.
  source.onmessage = () => (loading = loading.then(load));
}

// Loads the page as it is now. Not with a DOMParser, which Trusted Types forbid.
function load() {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.responseType = "document";
    request.onload = () => merge(main, request.response.querySelector("main"));
    request.onloadend = resolve;
    request.open("GET", "/");
    request.send();
  });
}

// Makes an element like another one. Rows stay by their ids, with the focus, typed text, and parts that are open.
function merge(element, wanted) {
  if (element.nodeType === Node.TEXT_NODE) element.data = wanted.data;
  if (element.nodeType !== Node.ELEMENT_NODE || element.matches("noscript")) return;
  for (const name of new Set([...element.getAttributeNames(), ...wanted.getAttributeNames()])) {
    const value = wanted.getAttribute(name);
    if (value === element.getAttribute(name) || (name === "open" && element.matches("details"))) continue;
    if (value === null) element.removeAttribute(name);
    else element.setAttribute(name, value);
    if (name === "selected") element.selected = value !== null;
    if (name === "value") element.value = value;
  }
  const ids = new Set([...wanted.children].map(({ id }) => id));
  for (const child of [...element.children]) if (child.id && !ids.has(child.id)) remove(child);
  let next = element.firstChild;
  for (const child of wanted.childNodes) {
    if (next?.nodeName === child.nodeName && next.id === child.id) {
      merge(next, child);
      next = next.nextSibling;
    } else element.insertBefore(document.importNode(child, true), next);
  }
  while (next) [next] = [next.nextSibling, next.remove()];
}

// Removes a row. The focus moves to the next one, or to the section.
function remove(row) {
  const hasFocus = row.contains(document.activeElement);
  const neighbor = row.nextElementSibling ?? row.previousElementSibling ?? row.closest("section");
  row.remove();
  if (hasFocus) neighbor.querySelector("button, summary").focus();
}

// Sends fields to the control API. The effect arrives with the next event.
async function send(url, fields) {
  problem.textContent = await fetch(url, {
    method: "POST",
    body: new URLSearchParams([...fields]),
    headers: { accept: "application/json" },
  })
    .then(async (reply) => (reply.ok ? "" : (await reply.json()).message))
    .catch(() => "The simulator is not reachable.");
  return problem.textContent === "";
}
`;
