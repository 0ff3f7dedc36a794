import type { Stripe } from 'stripe';

/** `retry`: a 5xx, the provider sends it again. */
export type Delivered = 'applied' | 'duplicate' | 'ignored' | 'retry';

export interface Consumed {
  readonly outcome: 'free' | 'granted' | 'exhausted';
  readonly replayed: boolean;
  /** Null for an account without credits. */
  readonly balance: number | null;
}

/** The service as the model sees it, whichever way it is run: in memory, or over HTTP. */
export interface Service {
  deliver(event: Stripe.Event): Promise<Delivered>;
  consume(uid: string, key: string, feature: string, cost: number): Promise<Consumed>;
  state(uid: string): Promise<State>;
}

/** What is stored of one user, read past the service. */
export interface State {
  readonly record: StoredRecord | null;
  /** By document id. */
  readonly ledger: ReadonlyMap<string, StoredEntry>;
}

export interface StoredRecord {
  readonly paid: boolean;
  readonly plan: string | null;
  readonly status: string | null;
  readonly cancelAtPeriodEnd: boolean;
  /** Milliseconds. */
  readonly currentPeriodEnd: number | null;
  readonly customerId: string | null;
  readonly trialUsed: boolean;
  readonly creditsRemaining: number | undefined;
  readonly creditsAllowance: number | undefined;
  readonly packCreditsRemaining: number | undefined;
}

export interface StoredEntry {
  readonly kind: string;
  readonly deltaAllowance: number;
  readonly deltaPack: number;
  readonly allowance: number;
  readonly packCredits: number;
}
