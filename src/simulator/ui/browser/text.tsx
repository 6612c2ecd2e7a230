/**
 * Shows a text of someone else: as text, never as HTML, with replacement characters for those that are invisible or change
 * the direction.
 */
export function Text({ children }: { children: string }) {
  return <bdi>{visible(children)}</bdi>;
}

/** Replaces the characters that are invisible or change the direction, except line feeds. */
export function visible(text: string): string {
  return text.replaceAll(/(?!\n)[\p{Cc}\p{Bidi_Control}]/gu, "\u{fffd}");
}

/** Shows a time in UTC, whole seconds. */
export function Time({ of: time }: { of: string }) {
  return (
    <time dateTime={time} title={time}>
      {time.slice(0, 19).replace("T", " ")} UTC
    </time>
  );
}
