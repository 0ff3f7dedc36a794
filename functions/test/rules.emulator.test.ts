import { readFileSync } from 'node:fs';
import { assertFails, assertSucceeds, initializeTestEnvironment } from '@firebase/rules-unit-testing';
import {
  collection,
  collectionGroup,
  deleteDoc,
  doc,
  type Firestore,
  getCountFromServer,
  getDoc,
  getDocs,
  limit,
  orderBy,
  query,
  setDoc,
  setLogLevel,
  updateDoc,
} from 'firebase/firestore';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const RULES = readFileSync(new URL('../../firestore.rules', import.meta.url), 'utf8');
const [host = '127.0.0.1', port = '8080'] = (process.env.FIRESTORE_EMULATOR_HOST ?? '').split(':');

// The SDK prints every refusal, which is what these tests are about.
setLogLevel('silent');

const environment = await initializeTestEnvironment({
  projectId: process.env.GCLOUD_PROJECT ?? 'demo-extension-billing',
  firestore: { rules: RULES, host, port: Number(port) },
});

/** Fresh ids: the project is the suite's own, so other tests' documents stay as they are. */
const run = crypto.randomUUID().slice(0, 8);
const OWNER = `rules-owner-${run}`;
const OTHER = `rules-other-${run}`;

const existing = [
  `customers/${OWNER}`,
  `customers/${OWNER}/credit_ledger/consume_1`,
  `billing_events/evt_${run}`,
  `billing_facts/${OWNER}`,
  `billing_audit/${run}`,
  `grant_days/${run}`,
  `provider_customers/cus_${run}`,
  `billing_catalog/rules-${run}`,
  `free_identities/${run}`,
  `free_days/${run}`,
  `service_keys/${run}`,
  `billing_jobs/${run}`,
  `billing_days/${run}`,
] as const;
const OWN = existing.slice(0, 2);
const CLOSED = existing.slice(2);

const db = (firestore: unknown) => firestore as Firestore;
const owner = () => db(environment.authenticatedContext(OWNER, { paid: true }).firestore());
const clients = {
  owner,
  'another user': () => db(environment.authenticatedContext(OTHER).firestore()),
  'nobody signed in': () => db(environment.unauthenticatedContext().firestore()),
};

beforeAll(() =>
  environment.withSecurityRulesDisabled(async (admin) => {
    for (const path of existing) await setDoc(doc(db(admin.firestore()), path), { paid: false });
  }),
);

afterAll(async () => {
  await environment.withSecurityRulesDisabled(async (admin) => {
    for (const path of existing) await deleteDoc(doc(db(admin.firestore()), path));
  });
  await environment.cleanup();
});

describe.each(Object.entries(clients))('%s writes nothing', (_who, client) => {
  it.each([...existing, `unknown_collection/${run}`])('%s', async (path) => {
    const target = doc(client(), path);
    const absent = doc(client(), `${path}_new`);
    await assertFails(setDoc(absent, { paid: true }));
    await assertFails(setDoc(target, { paid: true }));
    await assertFails(setDoc(target, { paid: true }, { merge: true }));
    await assertFails(updateDoc(target, { paid: true }));
    await assertFails(deleteDoc(target));
  });

  it('a ledger entry of a user without one', async () => {
    await assertFails(setDoc(doc(client(), `customers/${OTHER}/credit_ledger/consume_1`), { outcome: 'ok' }));
    await assertFails(setDoc(doc(client(), `customers/${OTHER}`), { paid: true, creditsRemaining: 1e6 }));
  });
});

/** The status of the owner's query of the own ledger over REST: the SDK has no offset. */
async function listStatus(bounds: { readonly limit: number; readonly offset?: number }): Promise<number> {
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const token = `${encoded({ alg: 'none', typ: 'JWT' })}.${encoded({ sub: OWNER, user_id: OWNER })}.`;
  const parent = `projects/${environment.projectId}/databases/(default)/documents/customers/${OWNER}`;
  const { status } = await fetch(`http://${host}:${port}/v1/${parent}:runQuery`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ structuredQuery: { from: [{ collectionId: 'credit_ledger' }], ...bounds } }),
  });
  return status;
}

describe('reading', () => {
  it.each(OWN)('the owner reads %s', async (path) => {
    await assertSucceeds(getDoc(doc(owner(), path)));
  });

  it('the owner reads the own ledger by the page, and an own record that is not there yet', async () => {
    const ledger = collection(owner(), `customers/${OWNER}/credit_ledger`);
    await assertSucceeds(getDocs(query(ledger, limit(100))));
    await assertSucceeds(getDocs(query(ledger, orderBy('createdAt', 'desc'), limit(1))));
    await assertSucceeds(getDoc(doc(clients['another user'](), `customers/${OTHER}`)));
  });

  it('nobody, the owner neither, reads a ledger without end', async () => {
    const ledger = collection(owner(), `customers/${OWNER}/credit_ledger`);
    await assertFails(getDocs(ledger));
    await assertFails(getDocs(query(ledger, limit(101))));
    await assertFails(getCountFromServer(ledger));
    await assertFails(getDocs(query(collectionGroup(owner(), 'credit_ledger'), limit(1))));
  });

  it('the owner skips no entries, which Firestore would bill', async () => {
    expect(await listStatus({ limit: 100 })).toBe(200);
    expect(await listStatus({ limit: 100, offset: 0 })).toBe(200);
    expect(await listStatus({ limit: 100, offset: 1 })).toBe(403);
    expect(await listStatus({ limit: 1, offset: 100_000 })).toBe(403);
  });

  it.each(['another user', 'nobody signed in'] as const)('%s reads nothing of the owner', async (who) => {
    for (const path of OWN) await assertFails(getDoc(doc(clients[who](), path)));
    const ledger = collection(clients[who](), `customers/${OWNER}/credit_ledger`);
    await assertFails(getDocs(query(ledger, limit(1))));
  });

  it.each(Object.entries(clients))('%s cannot list customers', async (_who, client) => {
    await assertFails(getDocs(collection(client(), 'customers')));
  });

  it('whoever is signed in gets the catalogue in force, and neither a list nor an earlier one', async () => {
    for (const who of ['owner', 'another user'] as const) {
      await assertSucceeds(getDoc(doc(clients[who](), 'billing_catalog/current')));
    }
    await assertFails(getDoc(doc(clients['nobody signed in'](), 'billing_catalog/current')));
    await assertFails(setDoc(doc(owner(), 'billing_catalog/current'), { version: 1 }));
  });

  it.each(CLOSED)('nobody reads %s', async (path) => {
    for (const client of Object.values(clients)) {
      await assertFails(getDoc(doc(client(), path)));
      await assertFails(getDocs(collection(client(), path.split('/')[0] ?? '')));
    }
  });
});
