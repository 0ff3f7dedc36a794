import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import type { Firestore } from 'firebase-admin/firestore';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readUsage } from '../../functions/src/credits/usage.ts';
import { readStoredAccount } from '../../functions/src/events/apply.ts';
import { byCustomer, byFacts, byGrant, byRecord } from '../../functions/src/reconcile/by-account.ts';
import { Look } from '../../functions/src/reconcile/look.ts';
import { NEVER_BEGUN } from '../../functions/src/reconcile/pass.ts';
import type { CheckDeps } from '../../functions/src/reconcile/user.ts';
import { reportSource } from '../../functions/src/report/accounts.ts';
import type { Uid } from '../../functions/src/store/documents.ts';
import { aConfig } from '../../functions/test/app/config.ts';
import { auth, firestore as direct } from '../../functions/test/app/emulated-user.ts';
import { provider } from '../../functions/test/app/suite.ts';
import { type CountedClient, openCountedClient } from '../../functions/test/fixtures/counted-client.ts';
import { exportUser } from '../../packages/cli/src/customer/export.ts';
import { readLedger } from '../../packages/cli/src/customer/user.ts';
import { gatherFirebaseExtension } from '../../packages/cli/src/import/firestore-stripe-payments.ts';
import { standingGifts } from '../../packages/cli/src/import/undo.ts';
import { readReport } from '../../packages/cli/src/report/read-report.ts';
import { missingIndex, readIndexFile } from './index-rules.ts';
import { describeShape, type QueryShape, readQuery } from './query-shape.ts';
import { isReached, querySites } from './query-sites.ts';
import { messagesIn } from './wire.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const file = readIndexFile(`${root}/firestore.indexes.json`);
const uid = 'somebody-who-is-asked-for' as Uid;
const now = Date.now();
const range = { from: now - 1_000, to: now + 1_000 };

/** Every place of the service and its commands that asks for more than documents by their names. */
const QUERIES: Readonly<Record<string, (firestore: Firestore) => Promise<unknown>>> = {
  'the ledger’s sum, with record, facts and customers': (firestore) => readStoredAccount(firestore, uid),
  'a page of usage': (firestore) => readUsage(firestore, uid, range, 10, null),
  'a later page of usage': (firestore) => readUsage(firestore, uid, range, 10, { createdAt: now, id: 'x' }),
  'the users that are compared': async (firestore) => {
    for (const pass of [byFacts, byRecord, byGrant, byCustomer]) {
      for (const cursor of [null, uid]) await pass(aLook(firestore), { ...NEVER_BEGUN, cursor });
    }
  },
  'the ledger that support sees': (firestore) => readLedger(firestore, uid, 20),
  'what a user may ask for': async (firestore) => {
    const file = join(tmpdir(), `export-${randomUUID()}.json`);
    await exportUser(depsWith(firestore), uid, file);
    rmSync(file);
  },
  'what an import took over': (firestore) => standingGifts(depsWith(firestore), 'extensionpay'),
  'what an import reads': async (firestore) => {
    // A name of theirs, which the last phase of npm test holds to no index of ours.
    const collection = `imported/${randomUUID()}/subscriptions`;
    await direct.doc(`${collection}/ada`).set({ stripeId: 'cus_of_nobody' });
    for await (const { uid } of gatherFirebaseExtension(firestore, collection)) expect(uid).toBe('ada');
  },
  'the report': (firestore) => readReport(firestore, range, now),
  'what is added up by day': async (firestore) => {
    const source = reportSource(firestore);
    for await (const entry of source.entries(uid, range)) expect(entry.createdAt).toBeTypeOf('number');
    for (const after of [null, 'x']) await Promise.all([source.accounts(after), source.invoices(after)]);
  },
};

const depsWith = (firestore: Firestore): CheckDeps =>
  ({ firestore, auth, stripe: async () => provider(), now: Date.now }) as unknown as CheckDeps;

/** One that only gathers who would be looked at. */
function aLook(firestore: Firestore): Look {
  const deps = { ...depsWith(firestore), config: aConfig(), catalog: () => testCatalog };
  const look = new Look(deps, { apply: false, undeliveredOnly: true, onDifferent: () => {} });
  return Object.assign(look, { at: async () => 'looked' });
}

let client: CountedClient;
const sent = new Map<string, QueryShape>();
beforeAll(async () => {
  client = await openCountedClient();
});
afterAll(() => client.close());

/** The queries that arrive at Firestore while something runs. */
async function queriesOf(work: (firestore: Firestore) => Promise<unknown>): Promise<readonly QueryShape[]> {
  const shapes = new Map<string, QueryShape>();
  client.proxy.watch = ({ method, request }) => {
    for (const message of messagesIn(request)) {
      const shape = readQuery(method, message);
      if (shape !== null) shapes.set(describeShape(shape), shape);
    }
  };
  await work(client.firestore);
  // A call is over a moment after its answer.
  await client.firestore.doc('customers/the-last-call').get();
  client.proxy.watch = null;
  for (const [text, shape] of shapes) sent.set(text, shape);
  return [...shapes.values()];
}

it.each(Object.entries(QUERIES))('%s: each query has the index that Google asks for', async (_what, work) => {
  const shapes = await queriesOf(work);
  expect(shapes.length).toBeGreaterThan(0);
  expect(shapes.map((shape) => missingIndex(shape, file)).filter((index) => index !== null)).toEqual([]);
});

it('there is no other place in the sources that makes a query', () => {
  const places = querySites(root);
  expect(places.length).toBeGreaterThan(10);
  expect(places.filter((site) => !isReached(site, sent.values()))).toEqual([]);
});

it('a query without its index is noticed', async () => {
  // One that the service sends: the last phase of npm test would hold any other against it.
  const shapes = await queriesOf((firestore) => readStoredAccount(firestore, uid));
  const isMissing = shapes.map((shape) => missingIndex(shape, { ...file, indexes: [] }));
  expect(isMissing.filter((index) => index !== null)).toEqual([
    'an index of credit_ledger (COLLECTION) on deltaAllowance ASCENDING, deltaPack ASCENDING',
  ]);
});
