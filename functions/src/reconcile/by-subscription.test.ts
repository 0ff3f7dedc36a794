import { testCatalog } from '@extension-billing/contract/test/catalog';
import { expect, it, vi } from 'vitest';
import { aConfig } from '../../test/app/config.ts';
import { keptLog } from '../../test/app/serve-app.ts';
import { MemoryFirestore } from '../../test/model/memory-firestore.ts';
import { bySubscription } from './by-subscription.ts';
import { Look } from './look.ts';
import { NEVER_BEGUN } from './pass.ts';
import type { CheckDeps } from './user.ts';

it('looks at whoever has damaged facts, and goes on with the page', async () => {
  const looked = vi.spyOn(Look.prototype, 'at').mockImplementation(async () => 'looked');
  const firestore = new MemoryFirestore().connect();
  await firestore.doc('billing_facts/ada').set({ facts: { subscriptions: null } });
  const data = ['ada', 'bob'].map((uid) => ({
    ...{ id: `sub_${uid}`, object: 'subscription', customer: `cus_${uid}`, status: 'active' },
    ...{ items: { data: [] }, metadata: { uid } },
  }));
  const deps = {
    ...{ firestore, now: () => Date.now(), log: keptLog(), config: aConfig(), catalog: () => testCatalog },
    stripe: async () => ({ subscriptions: { list: async () => ({ data, has_more: false }) } }),
  } as unknown as CheckDeps;
  const look = new Look(deps, { apply: true, undeliveredOnly: false, onDifferent: () => {} });
  expect(await bySubscription(look, NEVER_BEGUN)).toEqual({ next: null, done: 2 });
  expect([...(looked.mock.calls[0]?.[0] ?? [])]).toEqual(['ada', 'bob']);
});
