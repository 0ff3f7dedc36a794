/** For pages of the extension without React: the typed messages to the background worker. */
export { keepBillingAlive } from '../keep-alive.ts';
export type * from '../messages.ts';
export { BillingMessageError, send } from '../send.ts';
export { withCredits } from '../with-credits.ts';
export type { CreditWork, CreditWorkOptions, WithCredits } from '../work-with-credits.ts';
