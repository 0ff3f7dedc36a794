import { randomUUID } from 'node:crypto';
import type { ConsumeEntry } from '@extension-billing/contract/ledger';
import { Firestore, Timestamp } from 'firebase-admin/firestore';
import { afterAll, expect, it } from 'vitest';
import { COMPACT_JOB, compactAll, compactOnSchedule } from '../src/ledger/all.ts';
import type { Log } from '../src/log.ts';
import { toEntryDocument } from '../src/store/documents.ts';
import { takeJob } from '../src/store/jobs.ts';

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.UTC(2026, 10, 22, 12);

// A project of its own: a round goes through all users that there are.
const firestore = new Firestore({ projectId: `demo-round-${randomUUID().slice(0, 8)}` });
afterAll(() => firestore.terminate());

const idOf = (at: number) => `user-${String(at).padStart(3, '0')}`;
const ledgerOf = (at: number) => firestore.collection(`customers/${idOf(at)}/credit_ledger`);

async function spends(at: number, createdAt: number): Promise<void> {
  const entry: ConsumeEntry = {
    ...{ id: `consume_${createdAt}`, kind: 'consume', feature: 'demo', cost: 1, outcome: 'granted' },
    ...{ deltaAllowance: -1, deltaPack: 0, allowance: 9, packCredits: 0, createdAt },
  };
  const batch = firestore.batch();
  const updatedAt = Timestamp.fromMillis(createdAt);
  batch.set(firestore.doc(`customers/${idOf(at)}`), { paid: false, creditsRemaining: 9, updatedAt });
  batch.create(ledgerOf(at).doc(entry.id), toEntryDocument(entry));
  await batch.commit();
}

/** How many entries each ledger has, and whether there are pages beside it. */
async function lengths(...users: readonly number[]) {
  return Promise.all(
    users.map(async (at) => (await ledgerOf(at).get()).docs.map(({ id }) => id.split('_')[0])),
  );
}

it('a round goes on where it ended, passes over nobody who failed, and is made once a month', async () => {
  const others = firestore.batch();
  for (let at = 0; at < 105; at += 1) others.set(firestore.doc(`customers/${idOf(at)}`), { paid: false });
  await others.commit();
  await Promise.all([0, 3, 7, 104].map((at) => spends(at, NOW - 130 * DAY)));
  await spends(3, NOW - DAY);
  const lines: [severity: string, event: string][] = [];
  const log: Log = {
    info: (event) => lines.push(['info', event]),
    warn: (event) => lines.push(['warn', event]),
    error: (event) => lines.push(['error', event]),
    of: () => log,
  };
  let clock = NOW;
  const deps = { firestore, now: () => clock, log };
  const run = (days = 100) => compactOnSchedule(deps, days);
  expect(await run(0)).toBe('idle');

  // What one ledger has of old entries cannot be read.
  await ledgerOf(7)
    .doc('rolled')
    .set({ deltaAllowance: 0, deltaPack: 0, open: Buffer.from('damaged') });

  const other = await takeJob(firestore, COMPACT_JOB, () => clock);
  expect(await run()).toBe('held');
  await other?.release();

  // It is asked before each user, and after the first hundred.
  let asked = 0;
  const mustStop = () => {
    asked += 1;
    return asked > 100;
  };
  const first = { users: 100, rolled: 2, failed: 1, finished: false };
  expect(await compactAll(deps, { days: 100, mustStop })).toEqual(first);
  expect(await run()).toEqual({ users: 105, rolled: 3, failed: 1, finished: true });
  expect(await lengths(0, 3, 7, 104)).toEqual([
    ['rolled'],
    ['consume', 'rolled'],
    ['consume', 'rolled'],
    ['rolled'],
  ]);
  expect(lines).toEqual([
    ['error', 'ledger_not_compacted'],
    ['warn', 'ledgers_compacted'],
  ]);

  // Not each hour, which would go through all users each time; at once where a person asks for it.
  expect(await run()).toBe('idle');
  // Mended, it is the one that is left; then nothing is, until a month is old enough.
  await ledgerOf(7).doc('rolled').delete();
  const again = await compactAll(deps, { days: 100, again: true, mustStop: () => false });
  expect(again).toMatchObject({ users: 105, rolled: 1, failed: 0, finished: true });
  expect(await run()).toBe('idle');
  clock = NOW + 120 * DAY;
  expect(await run()).toMatchObject({ users: 105, rolled: 1, finished: true });
  expect(await lengths(3)).toEqual([['rolled']]);
});
