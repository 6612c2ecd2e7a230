import { attempt } from "./announce.mjs";
import { part } from "./dom.mjs";

/**
 * Runs an action when the person submits the form of a dialog, then closes the dialog; an error is shown in it. Its button
 * with the value `cancel` only closes it.
 *
 * @param {HTMLDialogElement} dialog
 * @param {() => Promise<void>} action
 */
export function onSubmit(dialog, action) {
  let isRunning = false;
  dialog.addEventListener("submit", async (event) => {
    if (event.submitter?.getAttribute("value") === "cancel") return;
    event.preventDefault();
    // A disabled button would lose the focus.
    if (isRunning) return;
    isRunning = true;
    await attempt(
      async () => {
        await action();
        dialog.close();
      },
      part(dialog, "dialog-problem", HTMLElement),
    );
    isRunning = false;
  });
}
