import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "./connection.js";
import { Text } from "./text.js";

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** The label of the button that submits, and its class. */
  readonly submit: string;
  readonly submitClass?: string;
  /** Runs when the person submits. The dialog closes then; if it throws, it shows the error. */
  action(form: HTMLFormElement): Promise<void>;
  onClose(): void;
}

/** A modal dialog, which is open while it is on the page. */
export function Dialog({ title, children, submit, submitClass, action, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState("");
  const isRunning = useRef(false);
  const isClosed = useRef(false);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => {
    // Its own event, which Escape causes, too, may be late: another dialog may be open by then.
    if (isClosed.current) return;
    isClosed.current = true;
    dialog.current?.close();
    onClose();
    // The row with the button that opened it may be gone.
    if (document.activeElement === document.body) document.getElementById("new-webhook")?.focus();
  };
  const onSubmit = async (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    // A disabled button would lose the focus.
    if (isRunning.current) return;
    isRunning.current = true;
    setProblem("");
    try {
      await action(event.currentTarget);
      close();
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      isRunning.current = false;
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={close}>
      <article>
        <h2 id="dialog-title">{title}</h2>
        <form noValidate onSubmit={onSubmit}>
          {children}
          <p role="alert" class="bad">
            <Text>{problem}</Text>
          </p>
          <div class="actions">
            {/* First: without a field it has the focus, and pressing Enter once too often deletes nothing. */}
            <button type="button" class="outline" onClick={close}>
              Cancel
            </button>
            <button type="submit" class={submitClass}>
              {submit}
            </button>
          </div>
        </form>
      </article>
    </dialog>
  );
}
