import { randomUUID } from 'node:crypto';
import { publishedFields } from '@extension-billing/contract/published-catalog';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import type { Firestore } from 'firebase-admin/firestore';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { liveCatalog } from '../src/store/catalog.ts';
import { auth, firestore as direct, signUp } from './app/emulated-user.ts';
import { keptLog, serveApp } from './app/serve-app.ts';
import { type CountedClient, openCountedClient } from './fixtures/counted-client.ts';

/** Each service of this file reads a document of its own as the published one: the project is the suite's. */
const DOCUMENT = `billing_catalog/of-test-${randomUUID()}`;

let client: CountedClient;
beforeAll(async () => {
  client = await openCountedClient();
});
afterAll(async () => {
  await client?.close();
  await direct.doc(DOCUMENT).delete();
});

/** The same client with `billing_catalog/current` in another place. */
function elsewhere(firestore: Firestore): Firestore {
  return new Proxy(firestore, {
    get(target, property) {
      if (property === 'doc') {
        return (path: string) => target.doc(path === 'billing_catalog/current' ? DOCUMENT : path);
      }
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

it('a price that is published is charged within a minute, and a warm consume makes one call all the same', async () => {
  const { firestore, proxy } = client;
  let passed = 0;
  const now = (): number => Date.now() + passed;
  const log = keptLog();
  const live = liveCatalog({
    firestore: () => elsewhere(firestore),
    embedded: testCatalog,
    now,
    log,
  });
  const base = await serveApp({ firestore, auth, log, catalog: live.current, catalogReady: live.ready });
  const { uid, idToken } = await signUp();
  await direct.doc(`customers/${uid}`).set({
    ...{ paid: false, plan: null, status: null, trialUsed: false, updatedAt: new Date() },
    ...{ creditsRemaining: 100, creditsAllowance: 0, packCreditsRemaining: 100 },
  });
  const consume = async () => {
    proxy.calls.length = 0;
    const response = await fetch(`${base}/credits/consume`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${idToken}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: '{"feature":"demo"}',
    });
    const { cost } = (await response.json()) as { cost: number };
    return { cost, calls: [...proxy.calls] };
  };
  // The catalogue, beside what the request itself reads.
  expect((await consume()).calls).toEqual(['BatchGetDocuments', 'BatchGetDocuments', 'Commit']);
  for (let spends = 0; spends < 5; spends += 1)
    expect(await consume()).toEqual({ cost: 1, calls: ['Commit'] });

  const features = { ...testCatalog.features, demo: { cost: 7 } };
  await direct.doc(DOCUMENT).set(publishedFields({ version: 1, catalog: { ...testCatalog, features } }));
  passed = 60_000;
  expect((await consume()).cost).toBe(7);
  expect(await consume()).toEqual({ cost: 7, calls: ['Commit'] });
  expect(log.lines.map(({ event }) => event)).toContain('catalog_taken_up');
});
