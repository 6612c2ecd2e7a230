import { attempt, say } from "./announce.mjs";

// Long enough to notice.
const SHOWN_MILLISECONDS = 1500;

/**
 * Makes a button copy a text.
 *
 * @param {HTMLButtonElement} button
 * @param {string} text
 */
export function copyOnClick(button, text) {
  button.ariaLabel = `Copy id ${text}`;
  button.title = "Copy";
  button.addEventListener("click", () =>
    attempt(async () => {
      await navigator.clipboard.writeText(text);
      say(`Copied ${text}.`);
      button.classList.add("copied");
      setTimeout(() => button.classList.remove("copied"), SHOWN_MILLISECONDS);
    }),
  );
}
