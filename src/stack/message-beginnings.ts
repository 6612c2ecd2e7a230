// How those messages of the provider begin that the command drift recognizes among all that a refresh prints.

/** Begins the messages that say that a refresh compared no webhook. */
export const NOTHING_COMPARED = "Webhooks were not compared with the API";

/** Begins the warning that a refresh compared no URL. */
export const URLS_NOT_COMPARED = "The URLs of webhooks were not compared";

/** Begins the warning that a probe has cleared fields of a webhook. */
export const PROBE_CLEARED_FIELDS = "The probe of webhook";
