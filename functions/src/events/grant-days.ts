import type { Millis } from '@extension-billing/contract/customer';
import { type DocumentSnapshot, type Firestore, Timestamp } from 'firebase-admin/firestore';
import type { GrantLimits } from '../config.ts';
import { paths } from '../store/documents.ts';
import { PerKeyQueue, type Waiting } from '../store/group-commit.ts';
import { isConflict, isUncertain, retry } from '../store/transact.ts';

// What one actor grants in a day (UTC). All of their grants share one document, so it is kept out of the grants' own
// transactions, which would wait for each other: each grant is counted before it is made, those that wait in one write.

interface Asked {
  readonly grant: string;
  readonly actor: string;
  readonly credits: number;
  readonly limits: GrantLimits;
  /** TTL of the day's document. */
  readonly expireAt: Millis;
}

export type Counted =
  | { readonly kind: 'counted' }
  | { readonly kind: 'too_many_grants' }
  | { readonly kind: 'too_many_credits'; readonly left: number };

type Queue = PerKeyQueue<string, Asked, Counted>;

/** One write reads an audit record for each grant: bounded, so that it stays quick. */
const QUEUE_LIMITS = { maxGroup: 100, maxWaiting: 2_000 };
const ATTEMPTS_WITHIN_MS: Millis = 10_000;

/** One for each client of the database, and so for each instance. */
const queues = new WeakMap<Firestore, Queue>();

/**
 * Counts a grant before it is made, once: a retry of the same grant finds it counted. If the grant then fails for good,
 * its share of the day is lost; the limits are never exceeded.
 *
 * @param day of one actor
 */
export function countGrant(firestore: Firestore, day: string, asked: Asked): Promise<Counted> {
  const known = queues.get(firestore);
  const queue: Queue =
    known ?? new PerKeyQueue((key, group) => countTogether(firestore, key, group), QUEUE_LIMITS);
  if (known === undefined) queues.set(firestore, queue);
  return queue.add(day, asked);
}

async function countTogether(
  firestore: Firestore,
  day: string,
  group: readonly Waiting<Asked, Counted>[],
): Promise<void> {
  const begun = performance.now();
  const counted = await retry(
    () => countOnce(firestore, day, group),
    (error, attempt) => {
      // If the answer was lost, the next read shows whether these grants were counted.
      const mayBeRepeated = isConflict(error) || isUncertain(error);
      if (!mayBeRepeated || performance.now() - begun > ATTEMPTS_WITHIN_MS) return null;
      return Math.random() * Math.min(400, 10 * 2 ** attempt);
    },
  );
  for (const [index, { resolve }] of group.entries()) resolve(counted[index] ?? { kind: 'counted' });
}

async function countOnce(
  firestore: Firestore,
  day: string,
  group: readonly Waiting<Asked, Counted>[],
): Promise<readonly Counted[]> {
  const ref = paths.grantDay(firestore, day);
  const before = await ref.get();
  const stored = pendingIn(before);
  // Read after the day: a grant is pending there until it has its audit record.
  const asked = group.map(({ request }) => pendingOf(request));
  const made = await withAudit(firestore, new Set([...stored, ...asked].map(grantOf)));
  const pending = new Set(stored.filter((name) => !made.has(grantOf(name))));
  let [credits, grants] = [countIn(before, 'credits'), countIn(before, 'grants')];
  const fresh: Asked[] = [];
  const counted = group.map(({ request }): Counted => {
    const name = pendingOf(request);
    if (made.has(request.grant) || pending.has(name)) return { kind: 'counted' };
    const { creditsPerDay, grantsPerDay } = request.limits;
    if (grants + 1 > grantsPerDay) return { kind: 'too_many_grants' };
    if (credits + request.credits > creditsPerDay)
      return { kind: 'too_many_credits', left: Math.max(0, creditsPerDay - credits) };
    credits += request.credits;
    grants += 1;
    pending.add(name);
    fresh.push(request);
    return { kind: 'counted' };
  });
  const [first] = fresh;
  if (first === undefined) return counted;
  const expireAt = Timestamp.fromMillis(Math.max(...fresh.map((asked) => asked.expireAt)));
  const fields = { actor: first.actor, credits, grants, pending: [...pending], expireAt };
  if (before.updateTime === undefined) await ref.create(fields);
  else await ref.update(fields, { lastUpdateTime: before.updateTime });
  return counted;
}

async function withAudit(firestore: Firestore, grants: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const audits = await firestore.getAll(...[...grants].map((grant) => paths.audit(firestore, grant)));
  return new Set(audits.filter(({ exists }) => exists).map(({ id }) => id));
}

/** With the amount: a key may be asked for with another one before its grant is made, and either may be made. */
function pendingOf({ grant, credits }: Asked): string {
  return `${grant}:${credits}`;
}

function grantOf(pending: string): string {
  return pending.split(':', 1)[0] ?? pending;
}

/** Grants that were counted and had no audit record yet. */
function pendingIn(day: DocumentSnapshot): readonly string[] {
  const pending: unknown = day.get('pending');
  return Array.isArray(pending) ? pending.filter((name) => typeof name === 'string') : [];
}

function countIn(day: DocumentSnapshot, field: string): number {
  const count: unknown = day.get(field);
  return typeof count === 'number' ? count : 0;
}
