/**
 * The script of the page. The server renders the page again after each change, and the script merges it into the page that
 * is open. Without it, the forms work by themselves.
 */
export const SCRIPT = String.raw`
const [main, dialog, connection] = ["main", "dialog", "#connection"].map((name) => document.querySelector(name));
const report = (message) => {
  document.querySelector(dialog.open ? "dialog [role=alert]" : "#problem").textContent = message;
};
let [latest, loading, isSending] = ["", Promise.resolve(), false];
let opened = {}; // The fields of the dialog when it was opened.

addEventListener("submit", (event) => {
  event.preventDefault();
  const { target: form, submitter } = event;
  if (form.id === "open") openDialog(submitter);
  else send(submitter.getAttribute("formaction") ?? form.action, new FormData(form, submitter), form);
});
addEventListener("change", ({ target }) => {
  if (target.form?.matches("[data-live]")) send(target.form.action, [[target.name, target.value.trim()]]);
});
dialog.addEventListener("close", () => {
  dialog.replaceChildren(); // A secret does not stay on the page.
  // The button that opened it may be gone.
  if (document.activeElement === document.body) document.querySelector("#new").focus();
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
  source.onmessage = (event) => {
    latest = event;
    loading = loading.then(async () => {
      const wanted = event === latest && (await load("/", "main"));
      if (wanted) merge(main, wanted);
    });
  };
}

// Loads a part of a page. Not with a DOMParser, which Trusted Types forbid.
function load(url, part) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.responseType = "document";
    request.onloadend = () => resolve(request.response?.querySelector(part));
    request.open("GET", url);
    request.send();
  });
}

// Makes an element like another one. Rows stay by their ids, with the focus, typed text, and replies that are open.
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

// Removes a row. The focus moves to the same button of the next one, or to the button of the section.
function remove(row) {
  const { name } = row.contains(document.activeElement) ? document.activeElement : {};
  const neighbor = row.nextElementSibling ?? row.previousElementSibling;
  row.remove();
  if (name !== undefined) (neighbor?.querySelector("[name=" + name + "]") ?? document.querySelector("#new")).focus();
}

// Opens the dialog that a button names, or closes it if the button names none.
async function openDialog({ name, value }) {
  if (!name) return dialog.close();
  const wanted = await load("/?" + name + "=" + value, "dialog[open]");
  if (!wanted) return report("The webhook or the simulator is gone.");
  dialog.replaceChildren(...document.importNode(wanted, true).childNodes);
  dialog.showModal();
  opened = Object.fromEntries(new FormData(dialog.querySelector("form")));
}

// Sends fields to the control API. The effect arrives with the next event.
async function send(url, fields, form) {
  const isDialog = dialog.contains(form);
  if (isDialog && isSending) return; // A disabled button would lose the focus.
  isSending = isDialog;
  // An edit sends only what the person changed, so that a change by someone else in the meantime is kept.
  const isChange = ([name, value]) => value !== opened[name];
  const isEdit = isDialog && /\d$/.test(url);
  const body = new URLSearchParams(isEdit ? Object.entries(Object.fromEntries(fields)).filter(isChange) : [...fields]);
  const message = await fetch(url, { method: "POST", body, headers: { accept: "application/json" } })
    .then(async (reply) => (reply.ok ? "" : (await reply.json()).message))
    .catch(() => "The simulator is not reachable.");
  isSending = false;
  report(message);
  if (!message && isDialog) dialog.close();
  if (!message) form?.reset();
}
`;
