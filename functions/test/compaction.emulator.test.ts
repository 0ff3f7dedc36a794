import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UsageEntry } from '@extension-billing/contract/usage';
import { expect, it, onTestFinished } from 'vitest';
import { exportUser } from '../../packages/cli/src/customer/export.ts';
import { compactLedger } from '../src/ledger/compact.ts';
import type { CheckDeps } from '../src/reconcile/user.ts';
import { parseUid, type Uid } from '../src/store/documents.ts';
import { auth, firestore } from './app/emulated-user.ts';
import { provider } from './app/suite.ts';
import { packBought } from './factories/provider-events.ts';
import { ageRequests } from './fixtures/aged-ledger.ts';
import { aUser, deliver } from './fixtures/service.ts';

const DAY = 24 * 60 * 60 * 1000;

/** A user who spent in three months of the past, and today. The records are as they were written, but for their times. */
async function anOldUser() {
  const user = await aUser();
  const key = randomUUID();
  await deliver(packBought(user, 100));
  await Promise.all(Array.from({ length: 6 }, () => user.consume()));
  await user.reserve('demo_deep', key);
  await user.confirm(key);
  await ageRequests(user.uid);
  await user.consume('demo', 'of-today');
  const uid = parseUid(user.uid) as Uid;
  const compact = () => compactLedger(firestore, uid, Date.now() - 100 * DAY, Date.now());
  const usage = async () => {
    const from = new Date(Date.now() - 300 * DAY).toISOString();
    const entries: UsageEntry[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await user.usage({ from, limit: '3', ...(cursor === '' ? {} : { cursor }) });
      entries.push(...(body.entries as readonly UsageEntry[]));
      cursor = body.next as string | null;
    }
    return entries;
  };
  return { ...user, uid, compact, usage };
}

it('a ledger that is compacted, by two at once and while its user spends, is what it was to everybody', async () => {
  const user = await anOldUser();
  const before = await user.usage();
  expect(before).toHaveLength(10);
  const [one, other] = await Promise.all([
    user.compact(),
    user.compact(),
    ...Array.from({ length: 5 }, (_, at) => user.consume('demo', `while-${at}`)),
  ]);
  expect(one.rolled + other.rolled).toBe(8);
  // The sum over the ledger is compared with the record.
  expect(await user.credits()).toEqual({ allowance: 0, packs: 100 - 6 - 5 - 1 - 5 });
  const kinds = [...(await user.ledger())].map(([id, { kind }]) => (id === 'rolled' ? id : kind)).toSorted();
  expect(kinds).toEqual([
    'consume',
    'consume',
    'consume',
    'consume',
    'consume',
    'consume',
    'grant',
    'rolled',
  ]);

  const after = await user.usage();
  expect(after.filter(({ id }) => !id.startsWith('consume_while-'))).toEqual(before);
  expect(await user.consume('demo', 'of-today')).toMatchObject({ status: 200, body: { replayed: true } });

  const deps = { firestore, auth, stripe: async () => provider(), now: Date.now } as unknown as CheckDeps;
  const folder = mkdtempSync(join(tmpdir(), 'export-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'user.json');
  expect(await exportUser(deps, user.uid, file)).toBe(true);
  const exported: readonly { readonly id: string; readonly createdAt: string }[] = JSON.parse(
    readFileSync(file, 'utf8'),
  ).ledger;
  expect(exported.map(({ id }) => id).toSorted()).toEqual(after.map(({ id }) => id).toSorted());
  const times = exported.map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted());
});
