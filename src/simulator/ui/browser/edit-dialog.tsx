import { useState } from "preact/hooks";
import type { WebhookView } from "../view.js";
import { send } from "./connection.js";
import { Dialog } from "./dialog.js";

/** The form for a new webhook, or for one as it was when the form was opened. */
export function EditDialog({ webhook, onClose }: { webhook: WebhookView | "new"; onClose(): void }) {
  const opened = webhook === "new" ? undefined : webhook;
  const [enabled, setEnabled] = useState(opened?.enabled ?? true);
  const action = (form: HTMLFormElement) => {
    const fields = { ...Object.fromEntries(new FormData(form)), enabled: String(enabled) };
    return opened ? send("edit", changes(fields, opened)) : send("create", withoutEmptySecret(fields));
  };
  return (
    <Dialog
      title={opened ? `Edit webhook ${opened.id}` : "New webhook"}
      submit={opened ? "Save" : "Create"}
      action={action}
      onClose={onClose}
    >
      <label>
        URL
        <input
          name="url"
          type="url"
          defaultValue={opened?.url}
          autoComplete="off"
          spellcheck={false}
          dir="ltr"
        />
      </label>
      <label>
        Name
        <input name="name" defaultValue={opened?.name} autoComplete="off" dir="auto" />
      </label>
      {!opened && (
        // The API accepts a secret in a create only.
        <label>
          Secret <small>optional; never shown again</small>
          <input name="secret" type="password" autoComplete="new-password" />
        </label>
      )}
      <label>
        <input
          type="checkbox"
          role="switch"
          checked={enabled}
          aria-checked={enabled}
          onChange={({ currentTarget }) => setEnabled(currentTarget.checked)}
        />{" "}
        Enabled
      </label>
    </Dialog>
  );
}

type Fields = { [name: string]: FormDataEntryValue };

function withoutEmptySecret({ secret, ...fields }: Fields): Fields {
  return secret ? { ...fields, secret } : fields;
}

/** Returns only the person's changes, so that a change by someone else in the meantime is kept. */
function changes({ url = "", name = "", enabled = "" }: Fields, before: WebhookView): Fields {
  return {
    webhook_id: before.id,
    ...(url !== before.url && { url }),
    ...(name !== before.name && { name }),
    ...(enabled !== String(before.enabled) && { enabled }),
  };
}
