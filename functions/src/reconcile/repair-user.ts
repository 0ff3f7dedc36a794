import { createHash } from 'node:crypto';
import type { Difference } from '../domain/difference.ts';
import type { ToldFact } from '../domain/provider-view.ts';
import type { Uid } from '../domain/uid.ts';
import { endBesideLifetime } from '../provider/end-beside-lifetime.ts';
import { mirrorPaid } from '../store/claims.ts';
import { commitDerived } from '../store/commit-derived.ts';
import { commitEvent } from '../store/commit-event.ts';
import { takeTicket } from '../store/take-ticket.ts';
import { type CheckDeps, type CheckedUser, checkUser } from './check-user.ts';

/** Webhooks that arrive in between make a round void; this many in a row do not. */
const ROUNDS = 5;

export interface RepairedUser {
  readonly before: CheckedUser;
  /** What still differs: nothing, or what only a person can decide. */
  readonly after: CheckedUser;
}

/**
 * Brings one user to the provider's present state, through the same facts, derivation and transaction as the
 * webhook. Safe while webhooks arrive: the ticket is taken before the provider is asked, and where an event was
 * applied since, the question is put again. A second run finds nothing to do.
 */
export async function repairUser(deps: CheckDeps, uid: Uid): Promise<RepairedUser> {
  let before: CheckedUser | null = null;
  for (let round = 0; ; round += 1) {
    const found = await checkUser(deps, uid);
    before ??= found;
    if (!found.differences.some(isRepairable) || round === ROUNDS) return { before, after: found };
    const ticket = await takeTicket(deps.firestore, uid);
    const { differences } = await checkUser(deps, uid, ticket);
    await apply(deps, uid, ticket, differences);
  }
}

/** The subscriptions that would charge the owner of a lifetime plan again. */
function toEnd(differences: readonly Difference[]): readonly string[] {
  return differences.flatMap(({ repair }) => (repair.kind === 'end' ? [repair.subscription] : []));
}

function isRepairable({ repair }: Difference): boolean {
  return repair.kind !== 'none';
}

async function apply(
  deps: CheckDeps,
  uid: Uid,
  ticket: number,
  differences: readonly Difference[],
): Promise<void> {
  // In the order of the provider's time, as a person reads the ledger.
  const facts = differences
    .flatMap(({ repair }) => (repair.kind === 'facts' ? repair.facts : []))
    .sort((a, b) => a.fact.at - b.fact.at);
  for (const told of facts) {
    const { kind } = await commitEvent(deps.firestore, uid, eventOf(told, uid, ticket), deps.now());
    // Something else was applied since the provider was asked: the next round asks again.
    if (kind === 'undecidable' || kind === 'retry') return;
  }
  if (facts.length === 0 && differences.some(({ repair }) => repair.kind === 'derive')) {
    await commitDerived(deps.firestore, uid, `reconcile_${ticket}`, deps.now());
  }
  await endBesideLifetime(deps, toEnd(differences));
  await mirrorPaid(deps, uid);
  deps.log.info('reconciled', { facts: facts.length, differences: differences.length });
}

/** The ticket makes the id new in every round, the fact makes it one's own; nothing else ever has it. */
function eventOf({ fact, customer }: ToldFact, uid: Uid, ticket: number) {
  const hash = createHash('sha256')
    .update(JSON.stringify([uid, ticket, fact]))
    .digest('hex')
    .slice(0, 24);
  return { id: `reconcile_${ticket}_${hash}`, type: `reconcile.${fact.kind}`, at: fact.at, customer, fact };
}
