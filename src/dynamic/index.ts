import type { dynamic } from "@pulumi/pulumi";
import { Journal } from "../journal/journal.js";
import { changesFolder } from "../journal/place.js";
import { unguardedWarning } from "../lifecycle/messages/ending.js";
import { connectToEngine } from "./engine-connection.js";
import { engineLog } from "./log.js";
import { Termination } from "./termination.js";
import { WebhookProvider } from "./webhook-provider.js";

const lost = connectToEngine()?.lost;
const journal = new Journal(changesFolder(), (problem) => engineLog.warn(unguardedWarning(problem)));
// A killed engine has saved nothing more, so the next run needs the journal.
const termination = new Termination({ lost, atEnd: () => lost?.aborted || journal.end() });
const webhooks = new WebhookProvider(engineLog, () => termination.signal, journal);

/** The provider that the text stored with each webhook loads. Its name and this module's are permanent. */
export const provider: dynamic.ResourceProvider = {
  configure: (request) => webhooks.configure(request),
  check: (olds, news) => webhooks.check(olds, news),
  diff: (id, olds, news) => webhooks.diff(id, olds, news),
  create: (inputs) => termination.finish(() => webhooks.create(inputs)),
  read: (id, properties) => termination.finish(() => webhooks.read(id, properties)),
  update: (id, olds, news) => termination.finish(() => webhooks.update(id, olds, news)),
  delete: (id, properties) => termination.finish(() => webhooks.delete(id, properties)),
};
