import type { Reply, WebhookRecord } from "../client/api.js";
import { findRecord, parseWebhook } from "../client/api.js";

/**
 * Parses the reply to a create. The record has an id only if nothing in the reply contradicts that it is the id of the
 * webhook that was sent: not one outside the record, nor beside another name or another `webhook_id`.
 */
export function parseCreatedRecord(reply: Reply, sent: { name: string }): WebhookRecord {
  const { id, ...record } = parseWebhook(reply);
  const { place, record: written } = findRecord(reply);
  const isOutside = place === "" && ("data" in reply || "webhook" in reply);
  const isOther = record.name !== undefined && record.name !== sent.name;
  const objects = [reply, reply.data, reply.webhook, written];
  const hasOtherId = objects.some((object) => {
    const { webhook_id: other }: Reply = Object(object);
    // A number beyond 2^53 has lost digits.
    return typeof other === "number" ? other !== Number(id) : other !== undefined && other !== id;
  });
  return isOutside || isOther || hasOtherId || id === undefined ? record : { id, ...record };
}
