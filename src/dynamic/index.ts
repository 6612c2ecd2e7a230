import type { dynamic } from "@pulumi/pulumi";
import { connectToEngine } from "./engine-connection.js";
import { engineLog } from "./log.js";
import { WebhookProvider } from "./webhook-provider.js";

/** The provider that the text stored with each webhook loads. Its name and this module's are permanent. */
export const provider: dynamic.ResourceProvider = new WebhookProvider(engineLog, connectToEngine);
