import { attempt, say } from "./announce.mjs";
import { fromTemplate } from "./dom.mjs";

// Long enough to notice.
const SHOWN_MILLISECONDS = 1500;

/**
 * Creates a button that copies an id.
 *
 * @param {string} text
 */
export function copyButton(text) {
  const button = fromTemplate("copy");
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
  return button;
}
