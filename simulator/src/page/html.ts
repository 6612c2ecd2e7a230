/** Markup, as opposed to text. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Content = Html | readonly Html[] | string | number | false | undefined;

/** Writes markup. What is inserted becomes text, also in a quoted attribute, unless it is markup itself. */
export function html(markup: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return new Html(String.raw({ raw: markup }, ...contents.map(toMarkup)));
}

/** Shows a text of someone else, whatever its direction. */
export function foreign(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}

/** Shows a time in UTC, whole seconds. */
export function time(at: string): Html {
  return html`<time datetime="${at}" title="${at}">${at.slice(0, 19).replace("T", " ")} UTC</time>`;
}

function toMarkup(content: Content): string {
  if (content === undefined || content === false) return "";
  if (content instanceof Html) return content.markup;
  if (typeof content === "object") return content.map(({ markup }) => markup).join("");
  // Characters that are invisible or change the direction are replaced, except line feeds.
  const visible = String(content).replaceAll(/(?!\n)[\p{Cc}\p{Bidi_Control}]/gu, "\u{fffd}");
  return visible.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
