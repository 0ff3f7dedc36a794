/** For pages of the extension without React: the typed messages to the background worker. */

export type { CreditWork, CreditWorkOptions, WithCredits } from '../credit-work.ts';
export { keepBillingAlive } from '../keep-alive.ts';
export type * from '../messages.ts';
export { BillingMessageError, send, withCredits } from '../send.ts';
