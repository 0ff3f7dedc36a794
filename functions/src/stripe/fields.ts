import type { PurchaseKind } from '@extension-billing/contract/catalog';
import { type Millis, PAID } from '@extension-billing/contract/customer';
import {
  readTerms,
  type SoldTerms,
  TERMS_KEYS,
  type TermsKey,
  writeTerms,
} from '@extension-billing/contract/sold-terms';
import type { Stripe } from 'stripe';
import type { Fact } from './facts.ts';

/** What one object says, before it is known whose it is. */
export interface ObjectFact {
  readonly fact: Fact;
  readonly uid: unknown;
  readonly customer: string | null;
  readonly charge?: string | null;
  readonly ask?: Question | null;
}

/** What an event leaves open, for the provider to be asked. */
export type Question =
  | InvoiceQuestion
  | { readonly kind: 'schedule'; readonly subscription: string }
  /** Which prices a session sold, where its metadata alone proves nothing. */
  | { readonly kind: 'session'; readonly session: Stripe.Checkout.Session };

/** What the invoice leaves open, for `completeInvoice` to ask. */
export type InvoiceQuestion =
  /** It names nobody: its subscription may have been sold, or taken over by an import, since it was made. */
  | {
      readonly kind: 'subscription';
      readonly subscription: string;
      readonly invoice: Stripe.Invoice;
      readonly at: Millis;
    }
  /** It has more lines than an event carries, and the one that counts is not among those. */
  | { readonly kind: 'lines'; readonly invoice: Stripe.Invoice; readonly at: Millis }
  /** Its prices are not the one that was bought here: theirs is the last word on the credits. */
  | { readonly kind: 'prices'; readonly lines: readonly (ServiceLine & { readonly price: string })[] };

/** A line that pays for a whole period of a price that a subscription has. */
export interface ServiceLine {
  readonly price: string | null;
  /** What the price itself says, where the line has it whole. */
  readonly priceMetadata: PurchaseMetadata | null;
  readonly metadata: MetadataMap | null | undefined;
  readonly quantity: number;
  readonly start: Millis | null;
  readonly end: Millis | null;
  /** The line says that a subscription's price is billed; a line from a tool or a test may say nothing. */
  readonly isSaid: boolean;
}

/**
 * What a purchase says about itself on the provider's objects (specification, "Price catalog"; design,
 * section 5). Written once at checkout onto the session and onto the subscription or the payment intent,
 * read by the webhook from whichever object an event carries. It is what lets credits be granted without
 * another call to the provider.
 */
export interface Purchase extends SoldTerms {
  readonly uid: string;
  readonly kind: PurchaseKind;
  readonly lookupKey: string;
  readonly priceId: string;
  /** Credits that a pack adds, a positive integer; 0 for anything else. */
  readonly credits: number;
  /** Credits in each period's allowance, a positive integer; 0 for a plan that is not metered. */
  readonly monthlyCredits: number;
  /** What one unit costs in the currency that the page was made in; absent where that is the price's own. */
  readonly charged?: Money;
  /** On a price: what it costs in further currencies, minor units. */
  readonly prices?: Readonly<Record<string, number>>;
  /**
   * What a plan entitled to when it was sold, beside `paid`: sorted, with all that each includes; its buyer keeps it when
   * the catalogue changes. Absent where the catalogue knew no entitlements, and for a pack.
   */
  readonly entitlements?: readonly string[];
  /** The Firebase project that sold it: several may share an account at the provider. Absent where it is not known. */
  readonly project?: string;
}

/** An amount in minor units. */
export interface Money {
  readonly currency: string;
  readonly amount: number;
}

/** What `readMetadata` found: only the parts that are present and legal. */
export type PurchaseMetadata = Partial<Purchase>;

export type MetadataMap = Readonly<Record<string, string>>;

/** The provider's key for each part; nothing else in the code names them. */
const KEY = {
  uid: 'uid',
  kind: 'kind',
  lookupKey: 'lookup_key',
  priceId: 'price_id',
  credits: 'credits',
  monthlyCredits: 'monthly_credits',
  /** `eur:1700` */
  charged: 'charged',
  /** `eur:1700,gbp:1500` */
  prices: 'prices',
  entitlements: 'entitlements',
  project: 'project',
} as const satisfies Record<Exclude<keyof Required<Purchase>, keyof SoldTerms>, string>;

/** The key of the seal over all of them (seal.ts). */
export const SEAL_KEY = 'seal';

/** The key by which `billing import` marks what it brought, and with which keys. */
export const IMPORT_MARK = 'imported_from';

/** All that this service writes of a sale, in the order in which it is sealed. */
export const SALE_KEYS: readonly string[] = [...Object.values(KEY), ...TERMS_KEYS].sort();

const KINDS: readonly PurchaseKind[] = ['subscription', 'lifetime', 'pack'];

/** Stripe allows 500 characters in a metadata value. */
const MAX_VALUE_LENGTH = 500;

/** Credits beyond this are a typing mistake in the dashboard, and would lose precision in arithmetic. */
const MAX_CREDITS = 1_000_000_000;

/** The metadata of a purchase as the provider wants it: strings only, amounts left out when they are 0. */
export function writeMetadata(purchase: Purchase): Record<string, string> {
  return {
    [KEY.uid]: purchase.uid,
    [KEY.kind]: purchase.kind,
    [KEY.lookupKey]: purchase.lookupKey,
    [KEY.priceId]: purchase.priceId,
    ...(purchase.credits > 0 && { [KEY.credits]: String(purchase.credits) }),
    ...(purchase.monthlyCredits > 0 && { [KEY.monthlyCredits]: String(purchase.monthlyCredits) }),
    ...(purchase.charged !== undefined && {
      [KEY.charged]: writePrices({ [purchase.charged.currency]: purchase.charged.amount }),
    }),
    ...(purchase.prices !== undefined && { [KEY.prices]: writePrices(purchase.prices) }),
    ...present(writeTerms(purchase)),
    ...(purchase.entitlements !== undefined && { [KEY.entitlements]: listed(purchase.entitlements) }),
    ...(purchase.project !== undefined && { [KEY.project]: purchase.project }),
  };
}

function present(written: Readonly<Record<TermsKey, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(written).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Stripe keeps no empty value, so a plan that entitled to nothing more says `paid`. */
function listed(entitlements: readonly string[]): string {
  return entitlements.length === 0 ? PAID : entitlements.join(',');
}

/** As the catalogue takes them: what a person typed otherwise is none, and could not be a field's name in Firestore. */
const NAME = /^[A-Za-z][\w-]{0,39}$/;

/** The names in such a list; undefined where there is none. */
function namesIn(list: string | undefined): readonly string[] | undefined {
  const names = (list ?? '').split(',').flatMap((name) => (NAME.test(name.trim()) ? name.trim() : []));
  if (names.length === 0) return undefined;
  return [...new Set(names)].filter((name) => name !== PAID).sort();
}

/** Reads what `writeMetadata` wrote, or a person typed. Illegal values are left out; it never throws. */
export function readMetadata(metadata: MetadataMap | null | undefined): PurchaseMetadata {
  if (metadata === null || typeof metadata !== 'object') return {};
  const uid = text(metadata, KEY.uid);
  const kind = KINDS.find((known) => known === text(metadata, KEY.kind));
  const lookupKey = text(metadata, KEY.lookupKey);
  const priceId = text(metadata, KEY.priceId);
  const credits = amount(metadata, KEY.credits);
  const monthlyCredits = amount(metadata, KEY.monthlyCredits);
  const entitlements = namesIn(text(metadata, KEY.entitlements));
  const project = text(metadata, KEY.project);
  const [charged] = Object.entries(pricesIn(metadata, KEY.charged) ?? {});
  const prices = pricesIn(metadata, KEY.prices);
  return {
    ...(uid !== undefined && { uid }),
    ...(kind !== undefined && { kind }),
    ...(lookupKey !== undefined && { lookupKey }),
    ...(priceId !== undefined && { priceId }),
    ...(credits !== undefined && { credits }),
    ...(monthlyCredits !== undefined && { monthlyCredits }),
    ...(charged !== undefined && { charged: { currency: charged[0], amount: charged[1] } }),
    ...(prices !== undefined && { prices }),
    ...(TERMS_KEYS.some((key) => key in metadata) && readTerms((key) => text(metadata, key))),
    ...(entitlements !== undefined && { entitlements }),
    ...(project !== undefined && { project }),
  };
}

/** Amounts by currency as a metadata value: `eur:1700,gbp:1500`, by the alphabet. */
export function writePrices(prices: Readonly<Record<string, number>>): string {
  return Object.entries(prices)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map((price) => price.join(':'))
    .join(',');
}

function pricesIn(metadata: MetadataMap, key: string): Readonly<Record<string, number>> | undefined {
  const value = text(metadata, key);
  if (value === undefined || !/^[a-z]{3}:\d{1,10}(?:,[a-z]{3}:\d{1,10})*$/.test(value)) return undefined;
  return Object.fromEntries(
    value.split(',').map((price) => [price.slice(0, 3), Number(price.slice(4))] as const),
  );
}

function text(metadata: MetadataMap, key: string): string | undefined {
  const value: unknown = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_VALUE_LENGTH
    ? value
    : undefined;
}

function amount(metadata: MetadataMap, key: string): number | undefined {
  const value = text(metadata, key);
  if (value === undefined || !/^\d{1,10}$/.test(value)) return undefined;
  const credits = Number(value);
  return credits <= MAX_CREDITS ? credits : undefined;
}

/** The id behind a field that holds an id or, where it was expanded, the object. Null where it holds neither. */
export function idOf(field: string | { readonly id: string } | null | undefined): string | null {
  const id: unknown = typeof field === 'object' ? field?.id : field;
  return typeof id === 'string' ? id : null;
}

/** The first second that a Firestore Timestamp cannot hold: the year 10000. */
const END_OF_TIME = 253_402_300_800;

/** The instant behind the provider's seconds since the epoch; null where the value is no such time. */
export function readInstant(seconds: unknown): Millis | null {
  if (typeof seconds !== 'number' || !Number.isSafeInteger(seconds)) return null;
  return seconds >= 0 && seconds < END_OF_TIME ? seconds * 1000 : null;
}

/** The objects in one of the provider's lists; none where the value is no list. */
export function rowsOf<Row extends object>(
  list: { readonly data?: readonly Row[] } | null | undefined,
): readonly Row[] {
  const rows: unknown = list?.data;
  if (!Array.isArray(rows)) return [];
  return rows.filter((row): row is Row => typeof row === 'object' && row !== null);
}
