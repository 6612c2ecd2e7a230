import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { WebhookView } from "../view.js";
import type { Run } from "./connection.js";
import { send } from "./connection.js";
import { Dialog } from "./dialog.js";
import { EditDialog } from "./edit-dialog.js";
import { Text, Time, visible } from "./text.js";

export function Webhooks({ webhooks, run }: { webhooks: readonly WebhookView[]; run: Run }) {
  const [edited, setEdited] = useState<WebhookView | "new">();
  const [deleted, setDeleted] = useState<WebhookView>();
  return (
    <section id="webhooks" aria-labelledby="webhooks-title">
      <div class="title">
        <h2 id="webhooks-title">Webhooks</h2>
        <button type="button" id="new-webhook" onClick={() => setEdited("new")}>
          New webhook
        </button>
      </div>
      {webhooks.length === 0 && (
        <p>
          No webhooks yet. Run <code>pulumi up</code> against this simulator, or create one as in the
          dashboard.
        </p>
      )}
      <ul class="rows" aria-labelledby="webhooks-title" aria-live="polite">
        {webhooks.toReversed().map((webhook) => (
          <Row
            key={webhook.id}
            webhook={webhook}
            run={run}
            onEdit={() => setEdited(webhook)}
            onDelete={() => setDeleted(webhook)}
          />
        ))}
      </ul>
      {edited && <EditDialog webhook={edited} onClose={() => setEdited(undefined)} />}
      {deleted && <DeleteDialog webhook={deleted} onClose={() => setDeleted(undefined)} />}
    </section>
  );
}

interface RowProps {
  readonly webhook: WebhookView;
  readonly run: Run;
  onEdit(): void;
  onDelete(): void;
}

function Row({ webhook, run, onEdit, onDelete }: RowProps) {
  const { id, url, name, enabled, hasSecret, createdAt, updatedAt } = webhook;
  const element = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => () => moveFocusFrom(element.current), []);
  const title = name || "(no name)";
  const toggle = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    // The new state comes from the simulator.
    currentTarget.checked = enabled;
    return run("edit", { webhook_id: id, enabled: String(!enabled) });
  };
  return (
    <li ref={element}>
      <div class="title">
        <label>
          <input
            type="checkbox"
            role="switch"
            aria-label={`Enabled: ${visible(title)}`}
            checked={enabled}
            aria-checked={enabled}
            onChange={toggle}
          />
        </label>
        <h3>
          <Text>{title}</Text>
        </h3>
        <button type="button" class="outline" aria-label={`Edit ${visible(title)}`} onClick={onEdit}>
          Edit
        </button>
        <button
          type="button"
          class="outline danger"
          aria-label={`Delete ${visible(title)}`}
          onClick={onDelete}
        >
          Delete
        </button>
      </div>
      <p>
        <Text>{url || "(no URL)"}</Text>
      </p>
      <p class="facts">
        <span>
          id <Text>{id}</Text>
        </span>
        <span>{hasSecret ? "has a secret" : "no secret"}</span>
        <span>
          created <Time of={createdAt} />
        </span>
        <span>
          changed <Time of={updatedAt} />
        </span>
      </p>
    </li>
  );
}

/** Moves the focus from a row that is about to be removed to the next one, or to the button of the section. */
function moveFocusFrom(row: HTMLLIElement | null): void {
  if (!row?.contains(document.activeElement)) return;
  const next = row.nextElementSibling ?? row.previousElementSibling;
  (next?.querySelector<HTMLElement>("button.outline") ?? document.getElementById("new-webhook"))?.focus();
}

/** Deletes a webhook if the person confirms. */
function DeleteDialog({ webhook, onClose }: { webhook: WebhookView; onClose(): void }) {
  const { id, name } = webhook;
  return (
    <Dialog
      title="Delete this webhook?"
      submit="Delete"
      submitClass="danger"
      action={() => send("delete", { webhook_id: id })}
      onClose={onClose}
    >
      <p>
        <Text>{name || "(no name)"}</Text> (id <Text>{id}</Text>) cannot be restored.
      </p>
    </Dialog>
  );
}
