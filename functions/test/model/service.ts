import type { PlannedChange, Renewal } from '@extension-billing/contract/customer';
import type { DocumentData } from 'firebase-admin/firestore';
import type { Stripe } from 'stripe';
import type { ReserveArrival, SettleArrival } from './credit-arrivals.ts';
import type { Crash } from './delivery.ts';

/** `retry`: a 503, the provider sends it again. `crashed`: no answer, or a 500; it sends it again as well. */
export type Delivered = 'applied' | 'duplicate' | 'ignored' | 'retry' | 'crashed';

/** `balance`: what can be spent after it; null for an account without credits, and where the answer does not say. */
export interface CreditAnswer<Outcome extends string> {
  readonly outcome: Outcome;
  readonly replayed: boolean;
  readonly balance: number | null;
}
export type Consumed = CreditAnswer<'free' | 'granted' | 'exhausted'>;
export type Reserved = Consumed;
/** How the reservation ended, now or before. */
export type Settled = CreditAnswer<'free' | 'unknown' | 'above_hold' | 'confirm' | 'release' | 'expiry'>;

/** The service as the model sees it, whichever way it is run: in memory, or over HTTP. */
export interface Service {
  /** Stores these documents, by path, past the service. */
  store(documents: ReadonlyMap<string, DocumentData>): Promise<void>;
  deliver(event: Stripe.Event): Promise<Delivered>;
  /** Null: no answer; it is unknown whether anything was spent. */
  consume(uid: string, key: string, feature: string, cost: number): Promise<Consumed | null>;
  /** As `consume`. */
  reserve(uid: string, asked: Omit<ReserveArrival, 'kind'>): Promise<Reserved | null>;
  settle(
    uid: string,
    asked: Pick<SettleArrival, 'reservation' | 'as' | 'by' | 'used'>,
  ): Promise<Settled | null>;
  /** The service's clock, in milliseconds. */
  now(): number;
  state(uid: string): Promise<State>;
  /** Whether this event is recorded as processed. */
  isMarked(eventId: string): Promise<boolean>;
  /** The custom claim `paid`; undefined where it was never set. */
  paidClaim(uid: string): Promise<boolean | undefined>;
}

/** A service that can be made to die while it handles the next arrival. */
export interface MortalService extends Service {
  crashAt(crash: Crash | null): void;
  /** The service's clock moves on. */
  pass(ms: number): void;
  /** Another instance, whose clock is so far ahead, writes the record; the time that it wrote, null without a record. */
  runAhead(uid: string, ms: number): Promise<number | null>;
  /** The grant that an arrival made or took back by hand, and when; null where none did. */
  actOf(eventId: string): { readonly grant: string; readonly at: number } | null;
  /** What the daily look does where the provider has nothing new: the record is derived again. */
  look(uid: string): Promise<void>;
  /** Gives up what the account has, as a deletion does. */
  close(uid: string): Promise<void>;
  /** Documents go whose time is over, by the policies in firestore.indexes.json. */
  removeExpired(): void;
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
  /** Null where the record says none. */
  readonly planKind: 'subscription' | 'lifetime' | null;
  readonly entitlements: readonly string[];
  /** Milliseconds, of those that a bound ends; sorted by name. */
  readonly entitlementsUntil: readonly (readonly [string, number])[];
  readonly status: string | null;
  readonly cancelAtPeriodEnd: boolean;
  /** Milliseconds. */
  readonly currentPeriodEnd: number | null;
  /** Milliseconds; null where nothing bounds it. */
  readonly entitledUntil: number | null;
  readonly customerId: string | null;
  readonly trialUsed: boolean;
  readonly renewal: Renewal | null;
  readonly plannedChange: PlannedChange | null;
  readonly creditsRemaining: number | undefined;
  readonly creditsAllowance: number | undefined;
  readonly packCreditsRemaining: number | undefined;
  /** Status of the subscription that is shown beside a lifetime plan. */
  readonly runningBeside: string | undefined;
  /** By reservation; also those that have expired. */
  readonly holds: ReadonlyMap<string, { readonly credits: number; readonly expiresAt: number }>;
}

export interface StoredEntry {
  readonly kind: string;
  readonly deltaAllowance: number;
  readonly deltaPack: number;
  readonly allowance: number;
  readonly packCredits: number;
  readonly outcome: string | undefined;
  readonly cost: number | undefined;
  readonly held: number | undefined;
  readonly shortfall: number | undefined;
  /** Milliseconds. */
  readonly createdAt: number | undefined;
}

/** A service whose calls to its database can be made to come one after the other. */
export interface DelayableService extends MortalService {
  delayBy(wait: () => Promise<void>): void;
}
