import type { AuditRecord } from '@extension-billing/contract/audit';
import { allowanceOf, type Catalog, hasTiers, type Offer } from '@extension-billing/contract/catalog';
import { type Millis, PAID } from '@extension-billing/contract/customer';
import { termsOfOffer } from '@extension-billing/contract/sold-terms';
import { isOver } from '@extension-billing/contract/subscription-status';
import type { Stripe } from 'stripe';
import type { StoredAccount } from '../../../../functions/src/events/apply.ts';
import type { Uid } from '../../../../functions/src/store/documents.ts';
import { writeMetadata } from '../../../../functions/src/stripe/fields.ts';
import type { SaleSeal } from '../../../../functions/src/stripe/seal.ts';
import { hadTrial } from '../../../../functions/src/stripe/subscriptions.ts';
import { type Chosen, describePrice, GIVEN, type Mapped, mapPrice, type SourcePrice } from './mapping.ts';
import { sourceOf, tag } from './mark.ts';
import type { Person, SaidRight, Source } from './person.ts';
import { priceOfSubscription, type SeenCustomer, type SeenPayment } from './stripe-objects.ts';

/** What holds for everybody in one run. */
export interface Rules {
  readonly source: Source;
  readonly catalog: Catalog;
  readonly chosen: Chosen;
  readonly project: string | null;
  readonly now: Millis;
  /** Seals what is written onto subscriptions and charges, as checkout does. */
  readonly seal: SaleSeal['seal'];
  /** Who signs in with a mail address that they never proved counts as its owner. */
  readonly trustsMail: boolean;
}

/** What is there of one person, wherever it counts. */
export interface Seen {
  readonly uid: Uid;
  /**
   * `new`: the import makes it. `none`: there was one, or there will be; nobody can sign in as this uid now. `deleted`: the
   * account was deleted here.
   */
  readonly signIn: 'there' | 'new' | 'unproven' | 'none' | 'deleted';
  readonly customers: readonly SeenCustomer[];
  /** Whose each customer is here; absent where it is nobody's. */
  readonly owners: ReadonlyMap<string, string>;
  readonly stored: StoredAccount;
  readonly audits: readonly AuditRecord[];
  /** Stripe objects that the source names and that are none of these customers': whether Stripe knows them. */
  readonly elsewhere: ReadonlyMap<string, boolean>;
}

/** Metadata to be written onto an object of Stripe's. */
export interface Tag {
  readonly kind: 'customer' | 'subscription' | 'charge';
  readonly id: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A right that no payment stands for: given by hand, so that it is a fact. */
export interface Gift {
  readonly reason: string;
  readonly entitlement: string;
  readonly until: Millis;
}

export interface Decision {
  readonly tags: readonly Tag[];
  /** Customers that become this user's here. */
  readonly links: readonly string[];
  readonly gifts: readonly Gift[];
  /** The record says from the beginning that the trial was used. */
  readonly marksTrial: boolean;
  /** Something of theirs is brought, by this run or an earlier one. */
  readonly brings: boolean;
  /** They have it there at this moment, whatever it is. */
  readonly isPaidThere: boolean;
  /** What they have there, for a person. */
  readonly there: readonly string[];
  /** One of the problems is of all that they have: nothing of it can be brought by itself. */
  readonly isBlocked: boolean;
  /** Why nothing is done for them until somebody decides. */
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

/** Given for good: grants by hand have an end, and none is further away than fifty years. */
export const FOR_GOOD: Millis = Date.UTC(2075, 0, 1);

/** Their rule for who may use what is paid, at both sources: `past_due` is shut out there, and is not here. */
const PAYING: ReadonlySet<string> = new Set(['active', 'trialing']);

/** What has to be done so that a person has here what they have there. Pure. */
export function decide(person: Person, seen: Seen, rules: Rules): Decision {
  const customers = seen.customers.map((each) => ({
    each,
    part: decideCustomer(each.customer, seen, rules),
  }));
  // What hangs on somebody else's customer is somebody else's.
  const own = customers.filter(({ part }) => part.problem === undefined);
  const parts = own.flatMap(({ each }) => [
    ...each.subscriptions.map((subscription) => decideSubscription(subscription, seen.uid, rules)),
    ...each.payments.map((payment) => decidePayment(payment, seen.uid, rules)),
  ]);
  const isInForce = parts.some(({ isPaid }) => isPaid === true);
  const said = person.said
    .filter(({ until }) => until === null || until > rules.now)
    .filter(({ isBeside }) => isBeside || !isInForce)
    .map((right) => decideSaid(right, seen, rules));
  const all = [...parts, ...said];
  const brings = all.some((part) => part.brings === true);
  const blocks = brings ? blocksOf(person, seen, rules) : [];
  const links = own.map(({ part }) => part);
  const others = customers.filter(({ each, part }) => part.problem !== undefined && hasBought(each));
  return {
    tags: brings ? [...links, ...all].flatMap((part) => part.tag ?? []) : [],
    links: brings ? links.flatMap(({ link }) => link ?? []) : [],
    gifts: said.flatMap(({ gifts = [] }) => gifts),
    marksTrial: marksTrial(person, seen, brings),
    brings,
    isPaidThere: all.some(({ isPaid }) => isPaid === true),
    there: all.flatMap(({ there }) => there ?? []),
    isBlocked: blocks.length > 0,
    problems: [
      ...blocks,
      ...all.flatMap(({ problem }) => problem ?? []),
      ...others.flatMap(({ part }) => part.problem ?? []),
    ],
    notes: seen.signIn === 'none' && brings ? ['nobody can sign in as this user'] : [],
  };
}

/** Of an account that has seen no event yet: later ones say it themselves. Nobody gets a sign-in for that alone. */
function marksTrial({ trialUsed }: Person, { customers, stored, signIn }: Seen, brings: boolean): boolean {
  if (stored.stored !== null || stored.record?.trialUsed === true) return false;
  if (!brings && signIn !== 'there') return false;
  return trialUsed || customers.some(({ subscriptions }) => subscriptions.some(hadTrial));
}

/** What one thing of theirs leads to. */
interface Part {
  readonly there?: string;
  readonly isPaid?: boolean;
  readonly brings?: boolean;
  readonly tag?: Tag;
  readonly link?: string;
  readonly gifts?: readonly Gift[];
  readonly problem?: string;
}

function decideSubscription(subscription: Stripe.Subscription, uid: Uid, rules: Rules): Part {
  const { id, status, metadata } = subscription;
  const price = priceOfSubscription(subscription);
  // One that is over brings nothing.
  if (price === null || isSoldElsewhere(metadata) || isOver(status)) return {};
  const isPaid = PAYING.has(status);
  const there = `${describePrice(price)}, ${status}`;
  const mapped = mapPrice(price, rules.catalog, rules.chosen);
  switch (mapped.kind) {
    case 'nothing':
      return { there: `${there}, which is nothing here` };
    case 'unmapped':
      return { there, isPaid, problem: mapped.why };
    case 'offer':
      return {
        ...tagged(
          { kind: 'subscription', id },
          metadata,
          soldAs(subscription, mapped.offer, uid, rules),
          rules,
        ),
        there,
        isPaid,
        brings: true,
      };
    default:
      return mapped satisfies never;
  }
}

/** This service sold it, to this project's users or to another's: it is not the source's to give. */
function isSoldElsewhere(metadata: Readonly<Record<string, string>>): boolean {
  return metadata.project !== undefined && sourceOf(metadata) === null;
}

function decidePayment({ charge, price, isWithheld }: SeenPayment, uid: Uid, rules: Rules): Part {
  // All the money went back: there is nothing that it would bring.
  if (charge.refunded || isSoldElsewhere(charge.metadata)) return {};
  const there = `${describePrice(price)}, paid`;
  const mapped = mapPrice(price, rules.catalog, rules.chosen);
  switch (mapped.kind) {
    case 'nothing':
      return { there: `${there}, which is nothing here` };
    case 'unmapped':
      return { there, problem: mapped.why };
    case 'offer': {
      const { id, metadata } = charge;
      // Nothing on a charge shows its price, so the seal is for this charge.
      const wanted = rules.seal(metadataOf(mapped.offer, price.names[0] ?? '', uid, rules), id);
      const isPaid = mapped.offer.kind === 'lifetime' && !isWithheld;
      return { ...tagged({ kind: 'charge', id }, metadata, wanted, rules), there, isPaid, brings: true };
    }
    default:
      return mapped satisfies never;
  }
}

function decideCustomer({ id, metadata }: Stripe.Customer, { uid, owners }: Seen, rules: Rules): Part {
  const owner = owners.get(id);
  if (owner !== undefined && owner !== uid)
    return { problem: `${id} is the customer of another user here, ${owner}` };
  const { project } = rules;
  const wanted = { uid, ...(project !== null && { project }) };
  return {
    ...tagged({ kind: 'customer', id }, metadata, wanted, rules),
    ...(owner === undefined && { link: id }),
  };
}

function tagged(
  about: Pick<Tag, 'kind' | 'id'>,
  present: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
  { source }: Rules,
): Pick<Part, 'tag' | 'problem'> {
  const tagging = tag(present, wanted, source);
  switch (tagging.kind) {
    case 'tag':
      return { tag: { ...about, metadata: tagging.metadata } };
    case 'done':
      return {};
    case 'taken':
      return {
        problem: `${about.id} says ${tagging.key}=${tagging.value} in its metadata, which this service writes`,
      };
    default:
      return tagging satisfies never;
  }
}

/** What checkout would have written onto a subscription of this offer. */
function soldAs({ items }: Stripe.Subscription, offer: Offer, uid: Uid, rules: Rules) {
  return rules.seal(metadataOf(offer, items.data[0]?.price.id ?? '', uid, rules));
}

function metadataOf(offer: Offer, priceId: string, uid: Uid, { catalog, project }: Rules) {
  const isPack = offer.kind === 'pack';
  return writeMetadata({
    ...{ uid, kind: offer.kind, lookupKey: offer.lookupKey, priceId },
    credits: isPack ? offer.credits : 0,
    monthlyCredits: isPack ? 0 : allowanceOf(offer),
    ...termsOfOffer(offer),
    ...(!isPack && hasTiers(catalog) && { entitlements: offer.grants }),
    ...(project !== null && { project }),
  });
}

function decideSaid(right: SaidRight, seen: Seen, rules: Rules): Part {
  const there = `${right.about}: ${describePrice(right.price)}`;
  const known = right.stripe === null ? undefined : seen.elsewhere.get(right.stripe);
  if (right.stripe !== null && known === undefined) return {};
  if (known === true)
    return { there, isPaid: true, problem: `${right.stripe} is of a customer whom the source does not name` };
  if (right.stripe !== null && /^(?:sub|pi)_/.test(right.stripe))
    return {
      there,
      isPaid: true,
      problem: `${right.stripe} is not known to Stripe under this key: of the other mode, or of another account`,
    };
  if (right.until !== null && right.until > FOR_GOOD) {
    const end = new Date(right.until).toISOString().slice(0, 10);
    return {
      there,
      isPaid: true,
      problem: `it ends on ${end}: a grant ends by 2075; correct the date, or leave it out`,
    };
  }
  const names = entitlementsFor(right.price, rules);
  if (typeof names === 'string') return { there, isPaid: true, problem: names };
  if (names.length === 0) return { there: `${there}, which is nothing here` };
  const gifts = names.flatMap((entitlement): readonly Gift[] => {
    const reason = `taken over from ${rules.source}: ${right.about}, ${entitlement}`;
    return hasGift(seen, reason, rules) ? [] : [{ reason, entitlement, until: right.until ?? FOR_GOOD }];
  });
  return { there, isPaid: true, brings: true, gifts };
}

/** Names to be given for a price; none where it is nothing here, a text where that has to be said first. */
function entitlementsFor(price: SourcePrice, { source, catalog, chosen }: Rules): readonly string[] | string {
  const mapped: Mapped = mapPrice(price, catalog, chosen);
  if (mapped.kind === 'nothing') return [];
  if (mapped.kind === 'unmapped') {
    const isSaid = price.names.some((name) => chosen.has(name));
    // The owner's own list says it. A document in a database may be anybody's, if its rules were open.
    const isOwners = source === 'extensionpay' && price.interval === GIVEN;
    return isOwners && !isSaid && !hasTiers(catalog) ? [PAID] : mapped.why;
  }
  const { offer } = mapped;
  if (offer.kind === 'pack') return `${offer.lookupKey} is a pack: give its credits with "customer grant"`;
  const includes = (other: string, name: string) =>
    other !== name && catalog.entitlements[other]?.includes(name) === true;
  const top = offer.grants.filter((name) => !offer.grants.some((other) => includes(other, name)));
  return top.length === 0 ? [PAID] : top;
}

/** Whose grants by hand an import's are. */
export function actorOf(source: Source): string {
  return `import:${source}`;
}

function hasGift({ audits }: Seen, reason: string, { source, now }: Rules): boolean {
  const revoked = new Set(audits.flatMap(({ what, grant }) => (what === 'revoke' ? [grant] : [])));
  return audits.some(
    (audit) =>
      audit.what === 'grant' &&
      audit.actor === actorOf(source) &&
      audit.reason === reason &&
      (audit.until ?? 0) > now &&
      !revoked.has(audit.grant),
  );
}

/** As Firebase Auth takes them. */
const MAIL = /^[^\s@]+@[^\s@]+$/;

/** What of the source's goes on at Stripe, for the owner to end. */
export function stillCharging(customers: readonly SeenCustomer[]): string {
  const running = customers
    .flatMap(({ subscriptions }) => subscriptions)
    .filter(({ status, metadata }) => !isOver(status) && !isSoldElsewhere(metadata));
  if (running.length === 0) return 'nothing of the source’s charges it any more';
  return `end at Stripe what still charges it: ${running.map(({ id }) => id).join(', ')}`;
}

/** Whether the source sold them anything: another customer of somebody else's takes nothing from this person. */
function hasBought({ subscriptions, payments }: SeenCustomer): boolean {
  const sold = [...subscriptions, ...payments.map(({ charge }) => charge)];
  return sold.some(({ metadata }) => !isSoldElsewhere(metadata));
}

function blocksOf(
  { taken, mail }: Person,
  { stored, signIn, customers }: Seen,
  { trustsMail }: Rules,
): readonly string[] {
  return [
    ...(signIn === 'deleted' ? [`the account was deleted here; ${stillCharging(customers)}`] : []),
    ...(signIn === 'new' && mail !== null && !MAIL.test(mail)
      ? [`nobody can sign in with ${mail}: it is no mail address`]
      : []),
    ...(taken.length > 0 && stored.stored === null
      ? [`the record has fields of yours that this service would write: ${taken.join(', ')}`]
      : []),
    ...(signIn === 'unproven' && !trustsMail
      ? ['somebody signs in with this mail address and never proved that it is theirs; see --trust-mail']
      : []),
  ];
}
