/** A webhook as the simulated API stores it, including what its replies never show. It does not change. */
export interface StoredWebhook {
  /** Decimal digits, even if replies write a number. */
  readonly id: string;
  /** The endpoint that receives notifications. No reply shows it. */
  readonly url: string;
  /** The descriptive name. */
  readonly name: string;
  /** The secret, if the create had one. No reply shows it; here it is plain text. */
  readonly secret?: string;
  /** Whether the webhook is active. Default true; the API docs do not show it. */
  readonly enabled: boolean;
  /** ISO 8601 in UTC with microseconds, by the API's clock, whatever the precision of replies. */
  readonly createdAt: string;
  /** Like `createdAt`. Each change sets a later time, even within one microsecond. */
  readonly updatedAt: string;
}
