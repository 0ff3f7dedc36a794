import type { Millis } from '@extension-billing/contract/customer';
import { PAID } from '@extension-billing/contract/customer';
import type { BillingEvent, Fact } from '../stripe/facts.ts';

// What people and backends of the owner give, and take back, without the provider: credits, and a complimentary plan
// (docs/decisions/grants-by-hand.md#a-fact-an-audit-record-and-a-daily-limit).

/** Something that was given or taken back by hand. Times are this service's own, in milliseconds. */
export type HandFact =
  | ({ readonly kind: 'hand_granted'; readonly grant: string; readonly at: Millis } & HandTerms)
  | { readonly kind: 'hand_revoked'; readonly grant: string; readonly at: Millis };

/** What a grant brings: credits, or a complimentary plan, or both. */
export interface HandTerms {
  /** 0: none. */
  readonly credits: number;
  /** From then on nothing is left of the credits; null where they are kept for good. */
  readonly expires: Millis | null;
  /** Names with all that they include, as the catalogue had them; `paid` alone where it is a plan without names. */
  readonly entitlements: readonly string[];
  /** When the plan ends; null where there is none. */
  readonly until: Millis | null;
}

/** The account was deleted: what it had is given up (events/deletion.ts). */
interface ClosedFact {
  readonly kind: 'account_closed';
  readonly at: Millis;
}

/** All that is known of a user comes as one of these. */
export type KnownFact = Fact | HandFact | ClosedFact;

/** A provider's event, an act by hand, or a deletion. */
export type AccountEvent = Omit<BillingEvent, 'fact'> & { readonly fact: KnownFact };

/** What was bought or given until an account was deleted: it never counts again. */
export interface GivenUp {
  readonly at: Millis;
  /** Purchases, and grants by hand. */
  readonly ids: readonly string[];
}

/** How far the provider's clock may be behind this one. Within it, ids alone tell what was bought before a deletion. */
const CLOCKS_DIFFER: Millis = 60_000;

export function isGivenUp(fact: KnownFact, givenUp: GivenUp): boolean {
  if (fact.kind === 'hand_granted') return givenUp.ids.includes(fact.grant);
  if (fact.kind !== 'purchase_paid') return false;
  return givenUp.ids.includes(fact.purchase) || fact.at < givenUp.at - CLOCKS_DIFFER;
}

/** All that is known of one grant, in whichever order it became known. */
export interface HandGrant extends HandTerms {
  /** Null while only its revocation is known. */
  readonly at: Millis | null;
  /** Null while it stands. */
  readonly revokedAt: Millis | null;
}

const UNKNOWN_GRANT: HandGrant = {
  at: null,
  credits: 0,
  expires: null,
  entitlements: [],
  until: null,
  revokedAt: null,
};

/** Adds one fact to what is known of its grant: whatever order they come in, it ends the same. */
export function mergeHandGrant(before: HandGrant | undefined, fact: HandFact): HandGrant {
  const known = before ?? UNKNOWN_GRANT;
  if (fact.kind === 'hand_revoked') {
    return { ...known, revokedAt: Math.min(known.revokedAt ?? fact.at, fact.at) };
  }
  const { credits, expires, entitlements, until, at } = fact;
  return { credits, expires, entitlements, until, at, revokedAt: known.revokedAt };
}

/** What complimentary plans entitle to, and until when; what was revoked never did. */
export function complimentaryOf({ at, entitlements, until, revokedAt }: HandGrant) {
  if (at === null || revokedAt !== null || entitlements.length === 0) return [];
  return [{ grants: entitlements.filter((name) => name !== PAID), until }];
}

/** Which ledger entry an act goes into: none where it moved no credits. */
export function handCauseOf(before: HandGrant | undefined, fact: HandFact) {
  if (fact.kind === 'hand_granted') {
    if ((before?.at ?? null) !== null || fact.credits === 0) return null;
    return { id: `grant_${fact.grant}`, kind: 'grant', reason: 'granted by hand', byHand: true } as const;
  }
  if (before === undefined || before.revokedAt !== null || before.credits === 0) return null;
  return {
    id: `clawback_${fact.grant}`,
    kind: 'clawback',
    reason: 'grant by hand revoked',
    byHand: true,
  } as const;
}
