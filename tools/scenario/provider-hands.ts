import type { LookupKey } from '@extension-billing/contract/catalog';
import type { Account } from '../../packages/cli/src/local/account.ts';

/** What a scenario does at the provider, in the words of a person who uses it; one implementation per provider. */
export interface ProviderHands {
  readonly provider: 'simulator' | 'stripe';
  /** Makes ready what this user's purchases need. */
  begin(account: Account): Promise<BuyerHands>;
}

export interface BuyerHands {
  /** Buys with a card that pays, as the hosted checkout would; a first plan with the trial of the catalogue. */
  buy(lookupKey: LookupKey): Promise<void>;
  /** Moves the provider's clock, and waits until everything due has been billed. */
  advanceDays(days: number): Promise<void>;
  cancelAtPeriodEnd(): Promise<void>;
  /** Gives back the last one-time payment: all that is left of it, or an amount in minor units. */
  refund(amount?: number): Promise<void>;
  /** The card that the next charge meets. */
  putCard(card: 'pays' | 'is declined'): Promise<void>;
  /** Pays the open invoice with the card that is there. */
  payOpenInvoice(): Promise<void>;
  /** Brings the events to the service until the condition holds. @throws Error when it does not come to hold. */
  deliverUntil(holds: () => Promise<boolean>): Promise<void>;
  /** Removes what `begin` made where that outlives the run. */
  end(): Promise<void>;
}
