import type { Millis } from '@extension-billing/contract/customer';

/** What came of a request for a checkout. */
export type OpenedCheckout =
  | {
      readonly kind: 'opened';
      readonly url: string;
      readonly sessionId: string;
      readonly trial: boolean;
      /** Made by another request of the same user at the same moment. */
      readonly shared: boolean;
    }
  | { readonly kind: 'refused'; readonly code: 'already_subscribed' | 'already_owned' | 'account_deleted' };

/** The user opened as many checkouts as may be, on whichever instances, and may open another at `until`. */
export class CheckoutsSpent extends Error {
  readonly until: Millis;

  constructor(until: Millis) {
    super('this user opened too many checkouts in a minute');
    this.until = until;
  }
}
