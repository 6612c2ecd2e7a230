import type { dynamic } from "@pulumi/pulumi";
import { startSurroundings } from "../pulumi/surroundings.js";
import { WebhookProvider } from "./provider/webhook-provider.js";

/** The provider that the text stored with each webhook loads. Its name and this module's are permanent. */
export const provider: dynamic.ResourceProvider = new WebhookProvider(startSurroundings());
