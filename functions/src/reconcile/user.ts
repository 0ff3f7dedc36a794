import { createHash } from 'node:crypto';
import type { AuditRecord } from '@extension-billing/contract/audit';
import { balancesOf, type ClaimedRights, type Millis, rightsIn } from '@extension-billing/contract/customer';
import type { EventEntry } from '@extension-billing/contract/ledger';
import type { CustomerRecord } from '@extension-billing/contract/record';
import type { Config } from '../config.ts';
import { totalOf } from '../credits/decide.ts';
import type { AppDeps } from '../deps.ts';
import {
  commitEvent,
  readFacts,
  readStoredAccount,
  type StoredAccount,
  takeFencingToken,
  toFactsDocument,
} from '../events/apply.ts';
import { type Claims, claimsWith, mirrorRights, readClaims, rightsOf } from '../events/claims.ts';
import { derive } from '../events/derive.ts';
import type { Facts } from '../events/facts.ts';
import { factOf, readAudits } from '../events/grants.ts';
import { openAccount } from '../events/open-account.ts';
import {
  paths,
  readCustomer,
  requireKnownSchema,
  setFields,
  toCustomerDocument,
  toEntryDocument,
  type Uid,
} from '../store/documents.ts';
import { sumLedger } from '../store/queries.ts';
import { transact } from '../store/transact.ts';
import { keepSale } from '../stripe/kept-sale.ts';
import type { BesideLifetime } from '../stripe/sale.ts';
import { type SellerDeps, sellerOf } from '../stripe/seal.ts';
import { endBesideLifetime } from '../stripe/subscriptions.ts';
import { listProviderView, type ProviderView } from '../stripe/view.ts';
import {
  compareGrants,
  compareWithFacts,
  compareWithLedger,
  compareWithProvider,
  type Difference,
  type MissingFact,
  NOTHING_NEW,
} from './compare.ts';

export type CheckDeps = Pick<AppDeps, 'firestore' | 'auth' | 'stripe' | 'now' | 'log'> &
  SellerDeps & { readonly config: Pick<Config, 'providerCallsPerSecond'> };

/** One user as the store and the provider have it, and where they do not agree. */
interface CheckedUser {
  readonly uid: Uid;
  readonly account: StoredAccount;
  readonly view: ProviderView;
  /** What was done by hand. */
  readonly audits: readonly AuditRecord[];
  /** What the claims say; null for a uid without an auth user. */
  readonly claims: ClaimedRights | null;
  readonly differences: readonly Difference[];
}

/**
 * Compares one user's facts with the provider's present state, the record with its facts, the ledger with the
 * record, and the claim with the record. Reads only.
 *
 * @param token taken before; 0 where nothing will be applied
 */
export async function checkUser(deps: CheckDeps, uid: Uid, token = 0): Promise<CheckedUser> {
  const account = await readStoredAccount(deps.firestore, uid);
  const view = await listProviderView(await deps.stripe(), uid, account.customers, sellerOf(deps));
  const claims = await readClaims(deps, uid);
  const audits = await readAudits(deps.firestore, uid);
  const { record, ledger, stored } = account;
  const { facts } = stored ?? openAccount(record, ledger, 'check', 0).account;
  const differences = [
    ...compareWithProvider(facts, view, token, deps.catalog()),
    ...compareGrants(facts, audits.map(factOf)),
    // Before the first event there is nothing that record and ledger could follow from.
    ...(stored === null
      ? []
      : [
          ...compareWithFacts({ ...stored, record }, deps.now(), deps.catalog()),
          ...compareWithLedger(record, ledger),
        ]),
    ...compareClaims(record, claims),
  ];
  return { uid, account, view, audits, claims: claims === null ? null : rightsOf(claims), differences };
}

/** @param claims null for a uid without an auth user */
export function compareClaims(record: CustomerRecord | null, claims: Claims | null): readonly Difference[] {
  if (claims === null) return [];
  const here = rightsOf(claims);
  const should = rightsOf(claimsWith(claims, rightsIn(record)));
  const rows = [
    { about: 'paid', here: String(here.paid), should: String(should.paid) },
    { about: 'entitlements', here: nameAll(here.entitlements), should: nameAll(should.entitlements) },
  ];
  return rows
    .filter((row) => row.here !== row.should)
    .map((row) => ({ kind: 'claim', ...row, repair: { kind: 'mirror' } }));
}

function nameAll(names: readonly string[]): string {
  return names.join(', ') || 'none';
}

/** Webhooks that arrive in between make a round void; this many in a row do not. */
const ROUNDS = 5;

interface RepairedUser {
  readonly before: CheckedUser;
  /** What still differs: nothing, or what only a person can decide. */
  readonly after: CheckedUser;
}

/**
 * Brings one user to the provider's present state, through the same facts, derivation and transaction as the
 * webhook. Safe while webhooks arrive: the token is taken before the provider is asked, and where an event was
 * applied since, the question is put again. A second run finds nothing to do.
 */
export async function repairUser(deps: CheckDeps, uid: Uid): Promise<RepairedUser> {
  let before: CheckedUser | null = null;
  for (let round = 0; ; round += 1) {
    const found = await checkUser(deps, uid);
    before ??= found;
    if (!found.differences.some(isRepairable) || round === ROUNDS) return { before, after: found };
    const token = await takeFencingToken(deps.firestore, uid);
    const { differences } = await checkUser(deps, uid, token);
    await apply(deps, uid, token, differences);
  }
}

/** What would charge the owner of a lifetime plan again. */
function toEnd(differences: readonly Difference[]): BesideLifetime {
  const repairs = differences.flatMap(({ repair }) => (repair.kind === 'end' ? [repair] : []));
  return { subscriptions: repairs.map(({ subscription }) => subscription), owned: repairs[0]?.owned ?? [] };
}

function isRepairable({ repair }: Difference): boolean {
  return repair.kind !== 'none';
}

async function apply(
  deps: CheckDeps,
  uid: Uid,
  token: number,
  differences: readonly Difference[],
): Promise<void> {
  // In the order of the provider's time, as a person reads the ledger.
  const facts = differences
    .flatMap(({ repair }) => (repair.kind === 'facts' ? repair.facts : []))
    .sort((a, b) => a.fact.at - b.fact.at);
  for (const each of facts) {
    const { kind } = await commitEvent(deps, uid, eventOf(each, uid, token), deps.now());
    // Something else was applied since the provider was asked: the next round asks again.
    if (kind === 'undecidable' || kind === 'retry') return;
  }
  if (facts.length === 0 && differences.some(({ repair }) => repair.kind === 'derive')) {
    await commitDerived(deps, uid, `reconcile_${token}`, deps.now());
  }
  for (const { repair } of differences)
    if (repair.kind === 'keep') await keepSale(deps, repair.subscription, uid);
  await endBesideLifetime(deps, toEnd(differences));
  await mirrorRights(deps, uid);
  deps.log.info('reconciled', { facts: facts.length, differences: differences.length });
}

/** The token makes the id new in every round, the fact makes it one's own; nothing else ever has it. */
function eventOf({ fact, customer }: MissingFact, uid: Uid, token: number) {
  const hash = createHash('sha256')
    .update(JSON.stringify([uid, token, fact]))
    .digest('hex')
    .slice(0, 24);
  return { id: `reconcile_${token}_${hash}`, type: `reconcile.${fact.kind}`, at: fact.at, customer, fact };
}

/**
 * Derives a record again from the facts, and enters what the ledger lacks to add up to it, in one transaction.
 * The facts decide what a balance can be; what is missing from it without an entry counts as spent.
 *
 * @param id of the correction; the same one twice writes once
 * @param change what becomes of the facts: what was spent until then is allocated by the facts as they were
 */
export function commitDerived(
  { firestore, catalog: inForce }: Pick<AppDeps, 'firestore' | 'catalog'>,
  uid: Uid,
  id: string,
  now: Millis,
  change: (facts: Facts) => Facts = (facts) => facts,
): Promise<void> {
  const catalog = inForce();
  const factsRef = paths.facts(firestore, uid);
  const customerRef = paths.customer(firestore, uid);
  const entryRef = paths.entry(firestore, uid, `correction_${id}`);

  return transact(firestore, async (transaction) => {
    const [facts, customer, done] = await transaction.getAll(factsRef, customerRef, entryRef);
    requireKnownSchema(facts, customer);
    const stored = readFacts(facts);
    if (stored === null || done?.exists === true) return;
    const ledger = await sumLedger(firestore, transaction, uid);
    const event = { id, type: 'reconcile', at: now, customer: null, fact: NOTHING_NEW };
    const after = change(stored.facts);
    const { allocation, record, period } = derive(
      { ...stored, record: readCustomer(customer) },
      after,
      event,
      now,
      catalog,
    );
    setFields(transaction, factsRef, facts, toFactsDocument({ facts: after, allocation }));
    setFields(transaction, customerRef, customer, toCustomerDocument(record));
    if (period !== null) {
      transaction.create(paths.entry(firestore, uid, period.id), toEntryDocument(period));
    }
    const balances = balancesOf(record);
    const before = {
      allowance: ledger.allowance + (period?.deltaAllowance ?? 0),
      packs: ledger.packs + (period?.deltaPack ?? 0),
    };
    if (balances === null || (balances.allowance === before.allowance && balances.packs === before.packs))
      return;
    const entry: EventEntry = {
      id: entryRef.id,
      kind: 'correction',
      reason: `the ledger added up to ${totalOf(ledger)}`,
      eventId: id,
      deltaAllowance: balances.allowance - before.allowance,
      deltaPack: balances.packs - before.packs,
      allowance: balances.allowance,
      packCredits: balances.packs,
      createdAt: record.updatedAt,
    };
    transaction.create(entryRef, toEntryDocument(entry));
  });
}
