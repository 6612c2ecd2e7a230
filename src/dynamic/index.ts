import type { dynamic } from "@pulumi/pulumi";
import { connectToEngine, engineAddress } from "../engine/connection.js";
import { engineLog } from "../engine/log.js";
import { projectFolder } from "../engine/project-folder.js";
import { startNotes } from "../engine/start-notes.js";
import { Termination } from "../engine/termination.js";
import type { Notes } from "../notes/notes.js";
import { StackReading } from "../stack/stack-reading.js";
import { acceptFromPlugin } from "./from-plugin.js";
import { WebhookProvider } from "./webhook-provider.js";

const lost = connectToEngine()?.lost;
const termination = new Termination({ lost, atEnd: () => notes.end() });
const notes: Notes = startNotes(termination.interruption);
const webhooks = new WebhookProvider({
  log: engineLog,
  connect: () => termination.signal,
  notes,
  readStack: (running) => new StackReading({ ...running, folder: projectFolder(), engine: engineAddress() }),
});
const { diff, update } = acceptFromPlugin({
  diff: (id, olds, news) => webhooks.diff(id, olds, news),
  update: (id, olds, news) => webhooks.update(id, olds, news),
});

/** The provider that the text stored with each webhook loads. Its name and this module's are permanent. */
export const provider: dynamic.ResourceProvider = {
  configure: (request) => webhooks.configure(request),
  check: (olds, news) => webhooks.check(olds, news),
  diff,
  create: (inputs) => termination.finish(() => webhooks.create(inputs)),
  read: (id, properties) => termination.finish(() => webhooks.read(id, properties)),
  update: (id, olds, news) => termination.finish(() => update(id, olds, news)),
  delete: (id, properties) => termination.finish(() => webhooks.delete(id, properties)),
};
