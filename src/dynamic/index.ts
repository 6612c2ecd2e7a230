import type { dynamic } from "@pulumi/pulumi";
import { startSurroundings } from "../pulumi/surroundings.js";
import { WebhookProvider } from "./provider/webhook-provider.js";

const surroundings = startSurroundings();
const { termination } = surroundings;
const webhooks = new WebhookProvider(surroundings);

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
