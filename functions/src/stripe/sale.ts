import {
  type Catalog,
  grantsOf,
  hasTiers,
  isPlanKey,
  type Offer,
  offerOf,
} from '@extension-billing/contract/catalog';
import { termsOfOffer } from '@extension-billing/contract/sold-terms';
import { isOver, isStalled } from '@extension-billing/contract/subscription-status';
import type { Product, SubscriptionState } from './facts.ts';
import { type MetadataMap, type PurchaseMetadata, readMetadata } from './fields.ts';

// Who owns an object of the provider's, what was sold with it, and why that is believed (design, section 14). Everything
// that reads the provider's objects asks here, and nothing else reads the metadata of what was sold.

/** Who sells: this Firebase project, null where it is not known, and what it sells now. */
export interface Seller {
  readonly project: string | null;
  readonly catalog: Catalog;
  /**
   * Opens this project's seals. Present where others let users write metadata on the same account: then plain metadata
   * proves nothing. Absent, the default: only this service and its owner write metadata.
   */
  readonly open?: (metadata: MetadataMap, object: string) => Opened | null;
}

/**
 * What a seal is for. `for_its_price`: it counts on an object of the price that it names, whichever that is. A user can
 * read their own objects' metadata and copy the seal to another one, and has then paid that price.
 */
export type Opened = 'for_its_price' | 'for_the_object';

/** A price on an object, as far as the object shows it. */
export interface ShownPrice {
  readonly id: string;
  readonly lookup_key?: string | null;
  readonly metadata?: MetadataMap | null;
}

/** The parts of an object that say whose it is and what was sold. */
interface Signs {
  /** Of the object, where a seal may be for it alone. */
  readonly id?: string | undefined;
  /** Its own metadata, and that of what it belongs to (an invoice's line and subscription): the last one counts most. */
  readonly metadata: readonly (MetadataMap | null | undefined)[];
  /** A checkout session's `client_reference_id`; null where it came from a payment link, since whoever opens one chooses it. */
  readonly reference?: string | null;
  readonly prices?: readonly ShownPrice[];
}

export interface Sale {
  /**
   * `sealed`: this project's checkout or import wrote it. `plain`: plain metadata, on an account where only this service
   * writes any. `price`: one of its prices has a lookup key of ours. `foreign`: none of that.
   */
  readonly proof: 'sealed' | 'plain' | 'price' | 'foreign';
  /** Whom it names, unchecked; undefined: its customer says whose it is. */
  readonly uid: string | undefined;
  /** What was sold, empty for a foreign object. */
  readonly said: PurchaseMetadata;
  /** What the metadata says, proven or not: enough to take something back, never to give. */
  readonly claimed: PurchaseMetadata;
}

/** Whose an object is, what was sold with it, and the proof. Pure. */
export function saleOf({ id = '', metadata, reference = null, prices = [] }: Signs, seller: Seller): Sale {
  const { open, catalog, project } = seller;
  const claimed: PurchaseMetadata = Object.assign({}, ...metadata.map((each) => readMetadata(each)));
  if (open === undefined) {
    const proof = Object.keys(claimed).length === 0 ? 'foreign' : 'plain';
    const uid = claimed.uid ?? (isNamed(claimed, catalog) ? (reference ?? undefined) : undefined);
    return { proof, uid, said: claimed, claimed };
  }
  let uid: string | undefined;
  for (const each of metadata.toReversed()) {
    const opened = each === null || each === undefined ? null : open(each, id);
    const said = readMetadata(each);
    // Projects that share a key at the provider open each other's seals.
    if (opened === null || (project !== null && said.project !== undefined && said.project !== project))
      continue;
    uid ??= said.uid;
    const isOfPrice = said.priceId !== undefined && prices.some((price) => price.id === said.priceId);
    if (opened === 'for_the_object' || isOfPrice) return { proof: 'sealed', uid, said, claimed };
  }
  const own = prices.find((price) => offerAt(price, catalog) !== undefined);
  if (own !== undefined) return { proof: 'price', uid, said: soldAt(own, catalog), claimed };
  return { proof: 'foreign', uid, said: {}, claimed };
}

/** Whether the metadata is this project's: its tag, or the key of something that it sells. */
function isNamed({ lookupKey, project }: PurchaseMetadata, catalog: Catalog): boolean {
  return project !== undefined || (lookupKey !== undefined && offerOf(catalog, lookupKey) !== undefined);
}

function offerAt({ lookup_key: key }: ShownPrice, catalog: Catalog): Offer | undefined {
  return typeof key === 'string' ? offerOf(catalog, key) : undefined;
}

/** What a price sells by itself: its own metadata, then the catalogue's word on its lookup key. */
export function soldAt(price: ShownPrice | null | undefined, catalog: Catalog): PurchaseMetadata {
  if (price === null || price === undefined) return {};
  const offer = offerAt(price, catalog);
  const own = readMetadata(price.metadata);
  const { credits, monthlyCredits, terms, expiresAfterDays, entitlements } = own;
  const shared = { priceId: price.id, ...(offer !== undefined && keysOf(offer)) };
  if (offer?.kind === 'pack') {
    const lasts = expiresAfterDays === undefined ? termsOfOffer(offer) : { expiresAfterDays };
    return { ...shared, credits: credits ?? offer.credits, ...lasts };
  }
  const grants = entitlements ?? (offer !== undefined && hasTiers(catalog) ? offer.grants : undefined);
  const sold =
    monthlyCredits === undefined
      ? planCreditsOf(offer)
      : { monthlyCredits, ...(terms !== undefined && { terms }) };
  return { ...shared, ...sold, ...(grants !== undefined && { entitlements: grants }) };
}

function keysOf({ kind, lookupKey }: Offer): Pick<PurchaseMetadata, 'kind' | 'lookupKey'> {
  return { kind, lookupKey };
}

/** The credits of a plan, as the catalogue sells them now. */
function planCreditsOf(offer: Offer | undefined): Pick<PurchaseMetadata, 'monthlyCredits' | 'terms'> {
  if (offer === undefined || offer.kind === 'pack' || offer.credits === null) return {};
  return { monthlyCredits: offer.credits.amount, ...termsOfOffer(offer) };
}

/**
 * What was bought once, with what was said of it; where that does not name the kind, its other fields do. Null for a
 * subscription, and for what neither the catalogue nor this project's tag knows.
 */
export function productOf(
  { kind, credits, lookupKey, project }: PurchaseMetadata,
  catalog: Catalog,
): Product | null {
  const isKnown =
    project !== undefined || lookupKey === undefined || offerOf(catalog, lookupKey) !== undefined;
  if (!isKnown) return null;
  const sold = kind ?? (lookupKey === undefined ? undefined : offerOf(catalog, lookupKey)?.kind);
  if (sold !== undefined) return sold === 'subscription' ? null : sold;
  return credits === undefined ? null : 'pack';
}

/** Where an object of the provider's may carry what checkout wrote. */
interface Tagged {
  readonly metadata?: MetadataMap | null;
  readonly parent?: { readonly subscription_details?: Details } | null;
  /** Of an invoice, before 2025-03-31. */
  readonly subscription_details?: Details;
}
type Details = { readonly metadata?: MetadataMap | null } | null;

/**
 * Whether an object was sold by another Firebase project on the same account: its tag names that one. Objects without a
 * tag are not: they were made before there was one, or by hand (docs/decisions/ownership-and-sale.md). Where
 * users can write metadata a tag says nothing: a buyer could take a refund's charge away from this service by it.
 */
export function isOfOtherProject(
  object: unknown,
  { project, open }: Pick<Seller, 'project' | 'open'>,
): boolean {
  if (project === null || open !== undefined || typeof object !== 'object' || object === null) return false;
  const { metadata, parent, subscription_details: details } = object as Tagged;
  const tags = [metadata, parent?.subscription_details?.metadata, details?.metadata].map(
    (each) => readMetadata(each).project,
  );
  return tags.some((tag) => tag !== undefined && tag !== project);
}

/**
 * Whether a subscription is of something that this project sells: its plan is in the catalogue, or checkout tagged
 * it. Any other price of the account entitles to nothing (docs/decisions/ownership-and-sale.md).
 */
export function isSold(
  { lookupKey, tagged }: Pick<SubscriptionState, 'lookupKey' | 'tagged'>,
  catalog: Catalog,
): boolean {
  return tagged === true || isPlanKey(catalog, lookupKey);
}

/**
 * What a plan that was sold entitles to beside `paid`: what was sold with it, for good; the catalogue's word where the
 * sale did not say.
 */
export function grantsSold(
  {
    entitlements,
    lookupKey,
  }: { readonly entitlements?: readonly string[]; readonly lookupKey?: string | null },
  catalog: Catalog,
): readonly string[] {
  return entitlements ?? grantsOf(catalog, lookupKey ?? null);
}

/** What would charge the owner of a lifetime plan again. */
export interface BesideLifetime {
  /** Ids of subscriptions. */
  readonly subscriptions: readonly string[];
  /** What the lifetime plans entitle to beside `paid`. */
  readonly owned: readonly string[];
}

/** How a subscription is ended beside a lifetime plan. */
export type Ending =
  /** What is paid, or free as a trial, runs out; nothing is charged after it. */
  | 'at_period_end'
  /** Nothing that is paid would be lost, and an invoice that is still open would be charged. */
  | 'now';

/**
 * How a subscription of a lifetime plan's owner has to be ended, or null where it ends by itself
 * (docs/decisions/entitlements.md). What this project does not sell is not its to end, and what
 * entitles to more than the lifetime plan goes on (docs/decisions/entitlements.md).
 *
 * @param owned what the lifetime plans entitle to
 */
export function endingOf(
  state: SubscriptionState,
  catalog: Catalog,
  owned: readonly string[],
): Ending | null {
  if (!isSold(state, catalog) || grantsSold(state, catalog).some((name) => !owned.includes(name)))
    return null;
  const { status, cancel } = state;
  if (isOver(status)) return null;
  if (isStalled(status)) return 'now';
  // A status that is not known yet ends with its period, like an active one.
  return cancel ? null : 'at_period_end';
}
