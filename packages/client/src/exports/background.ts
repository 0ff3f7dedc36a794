/** For the background worker: `createBillingBackground`, called at the top level of its module. */
export type { BillingConfig } from '../background/config.ts';
export {
  type BillingBackground,
  createBillingBackground,
} from '../background/create-billing-background.ts';
export type { HostIdentity, HostUser } from '../background/host-identity.ts';
export type { CreditWork, CreditWorkOptions, WithCredits } from '../credit-work.ts';
export type {
  ConsumeRequest,
  ConsumeResult,
  DenialReason,
  OpenResult,
  SessionReply,
  SessionUser,
} from '../messages.ts';
export { forgetDismissalWhenRisen } from '../ui/wall/wall.ts';
