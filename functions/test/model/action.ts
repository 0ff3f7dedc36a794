import type { LEGACY_LIFETIME_PLAN } from '@extension-billing/contract/customer';
import type { Currency, LifetimeName, PackName, PlanName } from './catalog.ts';

/**
 * Something that happens at the provider. `of` picks one of the things it can happen to (modulo how many
 * there are); an action that fits nothing is skipped, so that any list of actions is a history.
 */
export type Action =
  | ImportAction
  | {
      readonly do: 'buy_pack';
      readonly pack: PackName;
      readonly pay: 'card' | 'promotion' | 'delayed' | 'delayed_fails';
    }
  /** The larger one where no plan is said. */
  | { readonly do: 'buy_lifetime'; readonly plan?: LifetimeName }
  /** Gives back `percent` of what is left of a purchase's money. */
  | { readonly do: 'refund'; readonly of: number; readonly percent: number }
  | { readonly do: 'refund_fails'; readonly of: number }
  /** The bank takes back `percent` of a sale's or an invoice's money, or only asks. */
  | {
      readonly do: 'dispute';
      readonly of: number;
      readonly on?: 'sale' | 'invoice';
      readonly percent?: number;
      readonly inquiry?: boolean;
    }
  /** An inquiry becomes a dispute: the money is taken. */
  | { readonly do: 'escalate'; readonly of: number }
  | { readonly do: 'close_dispute'; readonly of: number; readonly won: boolean }
  | {
      readonly do: 'subscribe';
      readonly plan: PlanName;
      readonly start: 'trial' | 'paid' | 'incomplete' | 'expires';
      /** How many of the plan; one where it is not said. */
      readonly quantity?: number;
      /** Beside something else of the owner's, which the provider lists first. */
      readonly addOn?: boolean;
      /** Dollars where it is not said; what the customer is billed in already goes before. */
      readonly currency?: Currency;
      readonly discounted?: boolean;
    }
  /** The period ends: renewed and paid, or ended where a cancellation is pending. */
  | {
      readonly do: 'renew';
      readonly of: number;
      readonly invoiceDelay: number;
      /** What else stands on the invoice: something billed once, or so much that an event does not carry it all. */
      readonly extras?: InvoiceExtras;
    }
  | { readonly do: 'renewal_fails'; readonly of: number }
  /** The oldest open invoice is paid after all. */
  | { readonly do: 'recover'; readonly of: number }
  | { readonly do: 'give_up'; readonly of: number; readonly to: 'unpaid' | 'canceled' }
  | { readonly do: 'cancel'; readonly of: number; readonly how: 'flag' | 'date' }
  | { readonly do: 'uncancel'; readonly of: number }
  /** Cancels and takes it back, `times` times within one second. */
  | { readonly do: 'waver'; readonly of: number; readonly times: number }
  | { readonly do: 'end_now'; readonly of: number }
  /** Within its period, for the difference; `unpaid`: what is due for it is not paid. */
  | { readonly do: 'switch_plan'; readonly of: number; readonly plan: PlanName; readonly unpaid?: boolean }
  /** As a switch between intervals: the old period is credited, and a new one begins and is paid. */
  /** From the end of the period on it is another plan, or as many of it as `quantity` says. */
  | { readonly do: 'plan_change'; readonly of: number; readonly plan: PlanName; readonly quantity: number }
  | { readonly do: 'unplan'; readonly of: number }
  | { readonly do: 'switch_period'; readonly of: number; readonly plan: PlanName }
  /** The trial ends now, and the first period begins and is paid. */
  | { readonly do: 'end_trial'; readonly of: number }
  /** The collection of payments is paused: the subscription goes on, its invoices do not get paid. */
  | {
      readonly do: 'pause_collection';
      readonly of: number;
      readonly behavior: 'void' | 'keep_as_draft' | 'mark_uncollectible';
      /** Days until it ends by itself; null where it does not. */
      readonly days: number | null;
    }
  | { readonly do: 'resume_collection'; readonly of: number }
  | { readonly do: 'pause'; readonly of: number }
  | { readonly do: 'resume'; readonly of: number }
  | { readonly do: 'delete_customer' }
  /** The owner gives credits, and a complimentary plan for so many days, or one of the two. */
  | {
      readonly do: 'grant';
      readonly credits: number;
      readonly tier: 'none' | 'paid' | 'basic' | 'pro';
      readonly days: number;
    }
  | { readonly do: 'revoke'; readonly of: number }
  /** Events that change nothing here. */
  | { readonly do: 'noise'; readonly kind: 'manual_invoice' | 'subscription_refund' | 'unknown_type' };

export type InvoiceExtras = 'none' | 'one_off' | 'many';

/** The account came from elsewhere, with what it had there. Only as the first of a history. */
export interface ImportAction {
  readonly do: 'import';
  /** Of a plan, the provider has the subscription, and reports what becomes of it from now on. */
  readonly plan: PlanName | typeof LEGACY_LIFETIME_PLAN | null;
  readonly trialUsed: boolean;
  /** Null: it has no credits. `spent` of `monthly` is gone already. */
  readonly credits: { readonly monthly: number; readonly spent: number; readonly packs: number } | null;
  /** Its ledger has entries under the ids that its first events would take. */
  readonly takenIds: boolean;
}

/** An action and how many milliseconds pass before it. */
interface Step {
  readonly gap: number;
  readonly action: Action;
}

export type History = readonly Step[];
