import { createHash } from 'node:crypto';
import { type AuditRecord, encodeAudit, type GrantAudit, readAudit } from '@extension-billing/contract/audit';
import type { Catalog } from '@extension-billing/contract/catalog';
import { type Millis, PAID } from '@extension-billing/contract/customer';
import type { ErrorCode } from '@extension-billing/contract/problems';
import { DAY, dayOf } from '@extension-billing/contract/time';
import type { Firestore, Transaction } from 'firebase-admin/firestore';
import type { GrantLimits } from '../config.ts';
import type { AppDeps } from '../deps.ts';
import { findAccount } from '../store/accounts.ts';
import { paths, toTimestamp, type Uid } from '../store/documents.ts';
import { queries } from '../store/queries.ts';
import { type Alongside, commitEvent } from './apply.ts';
import { mirrorRights } from './claims.ts';
import { isDeleted, reopenAccount } from './deletion.ts';
import { countGrant } from './grant-days.ts';
import type { HandFact, HandTerms } from './hand-grants.ts';

// Grants by hand: credits and complimentary plans that people and backends of the owner give and take back
// (docs/decisions/grants-by-hand.md). The fact, the record that follows from it, the ledger entry and the audit record
// are written in one transaction; the grant is counted in its actor's day before it (grant-days.ts).

/** Who does it, and why: for the audit record. */
export interface Act {
  readonly actor: string;
  readonly reason: string;
}

/** What is to be given. */
export interface AskedGrant extends Act {
  /** The same key for the same user is the same grant. */
  readonly key: string;
  /** 0: none. */
  readonly credits: number;
  /** When they end: a moment, or so many days from now; null where they are kept for good. */
  readonly ends: { readonly at: Millis } | { readonly inDays: number } | null;
  /** Of the catalogue, or `paid`; null for none. */
  readonly entitlement: string | null;
  /** When the complimentary plan ends. */
  readonly until: Millis | null;
}

export type Handled =
  | { readonly kind: 'done'; readonly grant: string; readonly replayed: boolean }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly detail: string };

type GrantDeps = Pick<AppDeps, 'auth' | 'log' | 'now' | 'catalog' | 'firestore'>;

/** Whatever is given ends within this, or is a slip of the keyboard. */
const LONGEST: Millis = 50 * 366 * DAY;
/** A day's count is kept beyond it, for who looks into what was given. */
const DAY_KEPT_FOR: Millis = 90 * DAY;

/** Gives a user credits, a complimentary plan, or both: once for each key, and within what the actor may give in a day. */
export async function grantByHand(
  deps: GrantDeps,
  uid: Uid,
  asked: AskedGrant,
  limits: GrantLimits,
): Promise<Handled> {
  const at = deps.now();
  const terms = termsOf(asked, at, deps.catalog());
  if ('code' in terms) return terms;
  if (!(await isKnown(deps, uid))) {
    return refused('unknown_user', 'Neither a sign-in nor a record has this uid.');
  }
  const grant = grantIdOf(uid, asked.key);
  const { actor, reason } = asked;
  const audit: GrantAudit = {
    ...{ what: 'grant', actor, reason, uid, grant, at },
    credits: terms.credits,
    ...(terms.expires !== null && { expiresAt: terms.expires }),
    entitlements: terms.entitlements,
    ...(terms.until !== null && { until: terms.until }),
    request: requestOf(asked),
  };
  const fact = { kind: 'hand_granted', grant, at, ...terms } as const;
  const act = async () => {
    // A grant to a deleted account is refused, so it isn't counted.
    const isClosed = isDeleted(await paths.facts(deps.firestore, uid).get());
    const over = isClosed ? null : await overLimit(deps.firestore, audit, limits);
    return over ?? commitAct(deps, uid, fact, audit);
  };
  const handled = await act();
  const isClosed = handled.kind === 'refused' && handled.code === 'account_deleted';
  return isClosed && (await reopenAccount(deps, uid)) ? act() : handled;
}

/** Takes back what is left of a grant's credits, and its complimentary plan. A second time changes nothing. */
export async function revokeGrant(
  deps: GrantDeps,
  uid: Uid,
  { grant, actor, reason }: Act & { readonly grant: string },
): Promise<Handled> {
  const at = deps.now();
  const fact = { kind: 'hand_revoked', grant, at } as const;
  const audit = { what: 'revoke', actor, reason, uid, grant, at } as const;
  return commitAct(deps, uid, fact, audit, async (transaction) => {
    const given = await transaction.get(paths.audit(deps.firestore, grant));
    if (readAudit(given.data())?.uid === uid) return null;
    return unknownGrant();
  });
}

/** What the facts say of a grant, from its audit records: those that were lost come back with them. */
export function factOf(audit: AuditRecord): HandFact {
  const { what, grant, at } = audit;
  if (what === 'revoke') return { kind: 'hand_revoked', grant, at };
  const { credits, expiresAt, entitlements, until } = audit;
  const terms = { credits, expires: expiresAt ?? null, entitlements, until: until ?? null };
  return { kind: 'hand_granted', grant, at, ...terms };
}

/** All that was done by hand for a user, the earliest first. */
export async function readAudits(firestore: Firestore, uid: Uid): Promise<readonly AuditRecord[]> {
  const { docs } = await queries.auditsOf(firestore, uid).get();
  return docs.flatMap((doc) => readAudit(doc.data()) ?? []).sort((a, b) => a.at - b.at);
}

function refused(code: ErrorCode, detail: string): Extract<Handled, { kind: 'refused' }> {
  return { kind: 'refused', code, detail };
}

const unknownGrant = () => refused('unknown_grant', 'This user has no grant of this name.');

function termsOf(
  { credits, ends, entitlement, until }: AskedGrant,
  now: Millis,
  { entitlements }: Pick<Catalog, 'entitlements'>,
): HandTerms | Extract<Handled, { kind: 'refused' }> {
  if (credits === 0 && entitlement === null)
    return refused('invalid_request', 'Grant credits, an entitlement, or both.');
  if (credits === 0 && ends !== null)
    return refused('invalid_request', 'Only credits expire; of an entitlement say until when.');
  if ((entitlement === null) !== (until === null))
    return refused('invalid_request', 'An entitlement needs an end (until), and nothing else has one.');
  if (entitlement !== null && entitlement !== PAID && !Object.hasOwn(entitlements, entitlement))
    return refused('unknown_entitlement', 'The catalogue has no entitlement of this name.');
  const expires = ends === null ? null : 'at' in ends ? ends.at : now + ends.inDays * DAY;
  for (const end of [expires, until]) {
    if (end !== null && !(end > now && end <= now + LONGEST))
      return refused('invalid_request', 'An end has to be in the future, and within 50 years.');
  }
  const names = entitlement === null ? [] : (entitlements[entitlement] ?? [PAID]);
  return { credits, expires, entitlements: names, until };
}

/** No other request of this user has it, and the same request always does. */
function grantIdOf(uid: Uid, key: string): string {
  return `hand_${digest([uid, key]).slice(0, 20)}`;
}

function requestOf({ credits, ends, entitlement, until }: AskedGrant): string {
  return JSON.stringify([credits, ends, entitlement, until]);
}

function dayIdOf(actor: string, now: Millis): string {
  return `${dayOf(now)}_${digest([actor]).slice(0, 20)}`;
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Counts a grant in its actor's day; why it may not be, or null. */
async function overLimit(
  firestore: Firestore,
  { grant, actor, credits, at }: GrantAudit,
  limits: GrantLimits,
): Promise<Extract<Handled, { kind: 'refused' }> | null> {
  const asked = { grant, actor, credits, limits, expireAt: at + DAY_KEPT_FOR };
  const counted = await countGrant(firestore, dayIdOf(actor, at), asked);
  switch (counted.kind) {
    case 'counted':
      return null;
    case 'too_many_grants':
      return refused('grant_limit_reached', `Daily grant limit is ${limits.grantsPerDay} grants (UTC).`);
    case 'too_many_credits': {
      const detail = `Daily grant limit is ${limits.creditsPerDay} credits (UTC); ${counted.left} left today.`;
      return refused('grant_limit_reached', detail);
    }
    default:
      return counted satisfies never;
  }
}

async function isKnown({ auth, firestore }: GrantDeps, uid: Uid): Promise<boolean> {
  if ((await findAccount(auth, uid)) !== null) return true;
  return (await paths.customer(firestore, uid).get()).exists;
}

/** One for a grant, and one for its revocation: both are told from this. */
function auditIdOf({ what, grant }: AuditRecord): string {
  return what === 'revoke' ? `${grant}_revoked` : grant;
}

/** @param refuse why the act is refused, or null; asked in the act's own transaction */
async function commitAct(
  deps: GrantDeps,
  uid: Uid,
  fact: HandFact,
  audit: AuditRecord,
  refuse: (transaction: Transaction) => Promise<Extract<Handled, { kind: 'refused' }> | null> = async () =>
    null,
): Promise<Handled> {
  const { firestore, log } = deps;
  const id = auditIdOf(audit);
  const ref = paths.audit(firestore, id);
  let answer: Handled | null = null;
  const alongside: Alongside = async (transaction) => {
    const [known, facts] = await transaction.getAll(ref, paths.facts(firestore, uid));
    answer = known?.exists === true ? replayOf(readAudit(known.data()), audit) : null;
    if (answer !== null) return null;
    if (isDeleted(facts)) {
      answer = refused('account_deleted', 'This account was deleted.');
      return null;
    }
    answer = await refuse(transaction);
    if (answer !== null) return null;
    return () => transaction.create(ref, encodeAudit(audit, toTimestamp));
  };
  const event = { id, type: `billing.${audit.what}`, at: audit.at, customer: null, fact };
  const committed = await commitEvent(deps, uid, event, audit.at, null, alongside);
  if (committed.kind === 'duplicate') answer = replayOf(readAudit((await ref.get()).data()), audit);
  const handled: Handled = answer ?? { kind: 'done', grant: audit.grant, replayed: false };
  // Whoever comes again heals what an act before it left undone.
  if (handled.kind === 'done') await mirrorRights(deps, uid);
  const outcome = handled.kind === 'refused' ? handled.code : handled.replayed ? 'replayed' : 'done';
  log.info(audit.what === 'grant' ? 'grant' : 'grant_revoked', { outcome, grant: audit.grant });
  return handled;
}

/** What an act that was carried out before answers to the same one, or to another under its name. */
function replayOf(known: AuditRecord | null, asked: AuditRecord): Handled {
  const isSame =
    known?.uid === asked.uid &&
    (known.what === 'revoke' || asked.what === 'revoke' || known.request === asked.request);
  if (isSame) return { kind: 'done', grant: asked.grant, replayed: true };
  if (asked.what === 'revoke') return unknownGrant();
  return refused('idempotency_key_reused', 'This key was used for another grant; send a new one.');
}
