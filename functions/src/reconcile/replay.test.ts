import { testCatalog } from '@extension-billing/contract/test/catalog';
import type { Stripe } from 'stripe';
import { expect, it } from 'vitest';
import { aConfig } from '../../test/app/config.ts';
import { keptLog } from '../../test/app/serve-app.ts';
import { packBought } from '../../test/factories/provider-events.ts';
import { MemoryFirestore } from '../../test/model/memory-firestore.ts';
import { reconcileAll } from './all.ts';
import { replayUndelivered } from './replay.ts';
import type { CheckDeps } from './user.ts';

const PAGES = 5;
const EACH = 100;

/** A provider with pages of purchases that it could not deliver, and what it and the database were asked in turn. */
function afterAnOutage() {
  const asked: string[] = [];
  const pages = Array.from({ length: PAGES }, (_, page) =>
    Array.from({ length: EACH }, (_, index) => packBought({ uid: `user-${page}-${index}` })),
  );
  const list = async ({ starting_after: after, limit }: Stripe.EventListParams) => {
    const at = after === undefined ? 0 : pages.findIndex((page) => page.at(-1)?.id === after) + 1;
    asked.push(`page ${at}`);
    expect(limit).toBe(EACH);
    return { data: pages[at] ?? [], has_more: at < PAGES - 1 };
  };
  const database = new MemoryFirestore();
  const firestore = database.connect();
  const getAll = firestore.getAll.bind(firestore);
  Object.assign(firestore, {
    getAll: (...refs: Parameters<typeof getAll>) => {
      asked.push(`${refs.length} markers`);
      return getAll(...refs);
    },
  });
  const deps = {
    firestore,
    auth: { getUser: async () => ({}), setCustomUserClaims: async () => {} },
    stripe: async () => ({ events: { list } }),
    now: () => Date.now(),
    log: keptLog(),
    config: aConfig(),
    catalog: () => testCatalog,
  } as unknown as CheckDeps;
  return { asked, deps, database };
}

it('takes undelivered events by the page: none is asked for before the one before it is done', async () => {
  const { asked, deps } = afterAnOutage();
  expect(await replayUndelivered(deps, false)).toEqual({
    found: PAGES * EACH,
    applied: 0,
    failed: 0,
    finished: true,
  });
  expect(asked).toEqual(
    Array.from({ length: PAGES }, (_, page) => [`page ${page}`, `${EACH} markers`]).flat(),
  );
});

it('applies them, and none twice', async () => {
  const { deps, database } = afterAnOutage();
  expect(await replayUndelivered(deps, true)).toEqual({
    found: PAGES * EACH,
    applied: PAGES * EACH,
    failed: 0,
    finished: true,
  });
  expect(database.documents.get('customers/user-4-99')?.data).toMatchObject({ packCreditsRemaining: 100 });
  expect(await replayUndelivered(deps, true)).toEqual({
    found: 0,
    applied: 0,
    failed: 0,
    finished: true,
  });
});

it('has half of the daily time: users are looked at all the same, and the summary says what is left', async () => {
  const { deps } = afterAnOutage();
  const users = {
    select: () => users,
    orderBy: () => users,
    limit: () => users,
    get: async () => ({ docs: [{ id: 'ada', get: () => 'ada' }] }),
  };
  Object.assign(deps.firestore, { collection: () => users });
  let now = 0;
  const clock = () => {
    now += 1_000;
    return now;
  };
  const options = { apply: true, within: 60_000, onDifferent: () => {} };
  const summary = await reconcileAll({ ...deps, now: clock }, options);
  expect(summary.undelivered.finished).toBe(false);
  expect(summary.undelivered.applied).toBeGreaterThan(0);
  expect(summary).toMatchObject({ finished: false });
  expect(summary.users).toBeGreaterThan(0);
});
