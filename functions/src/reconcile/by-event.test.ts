import { testCatalog } from '@extension-billing/contract/test/catalog';
import type { Stripe } from 'stripe';
import { afterAll, expect, it, vi } from 'vitest';
import { aConfig } from '../../test/app/config.ts';
import { keptLog } from '../../test/app/serve-app.ts';
import { packBought } from '../../test/factories/provider-events.ts';
import { passThrough } from '../../test/fixtures/pass.ts';
import { MemoryFirestore } from '../../test/model/memory-firestore.ts';
import { byEvent } from './by-event.ts';
import { Look } from './look.ts';
import { NEVER_BEGUN } from './pass.ts';
import type { CheckDeps } from './user.ts';

const PAGES = 5;
const EACH = 100;

// Who is looked at is another test's matter (functions/test/reconcile-daily.emulator.test.ts).
const looked = vi.spyOn(Look.prototype, 'at').mockImplementation(async () => 'looked');
afterAll(() => looked.mockRestore());

/** A provider with pages of purchases that it could not deliver, and what it and the database were asked in turn. */
function afterAnOutage() {
  const asked: string[] = [];
  const ranges: Stripe.EventListParams['created'][] = [];
  const pages = Array.from({ length: PAGES }, (_, page) =>
    Array.from({ length: EACH }, (_, index) => packBought({ uid: `user-${page}-${index}` })),
  );
  const list = async ({ starting_after: after, limit, types = [], created }: Stripe.EventListParams) => {
    expect(limit).toBe(EACH);
    // More of them are refused.
    expect(types.length).toBeLessThanOrEqual(20);
    const isListed = types.includes('checkout.session.completed');
    const at = after === undefined ? 0 : pages.findIndex((page) => page.at(-1)?.id === after) + 1;
    asked.push(isListed ? `page ${at}` : 'none of the other types');
    ranges.push(created);
    return isListed ? { data: pages[at], has_more: at < PAGES - 1 } : { data: [], has_more: false };
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
  return { asked, ranges, deps, database };
}

it('takes undelivered events by the page: none is asked for before the one before it is done', async () => {
  const { asked, deps } = afterAnOutage();
  const { undelivered } = await passThrough(byEvent, deps, { apply: false });
  expect(undelivered).toEqual({ found: PAGES * EACH, applied: 0, failed: 0 });
  const pages = Array.from({ length: PAGES }, (_, page) => [`page ${page}`, `${EACH} markers`]).flat();
  expect(asked).toEqual([...pages, 'none of the other types']);
});

it('applies them, and none twice', async () => {
  const { deps, database } = afterAnOutage();
  const first = await passThrough(byEvent, deps);
  expect(first.undelivered).toEqual({ found: PAGES * EACH, applied: PAGES * EACH, failed: 0 });
  expect(database.documents.get('customers/user-4-99')?.data).toMatchObject({ packCreditsRemaining: 100 });
  const second = await passThrough(byEvent, deps);
  expect(second.undelivered).toEqual({ found: 0, applied: 0, failed: 0 });
});

it('has the users of what never came looked at, page by page', async () => {
  const { deps } = afterAnOutage();
  looked.mockClear();
  await passThrough(byEvent, deps);
  const users = looked.mock.calls.map(([uids]) => [...uids]);
  expect(users.map(({ length }) => length)).toEqual([...Array.from({ length: PAGES }, () => EACH), 0]);
  expect(users[2]).toContain('user-2-17');
});

it('asks for what was made since the last clean pass, and leaves out what may be on its way', async () => {
  const { ranges, deps } = afterAnOutage();
  const [begunAt, since] = [1_800_000_000_000, 1_799_990_000_000];
  const look = new Look(deps, { apply: true, undeliveredOnly: false, onDifferent: () => {} });
  await byEvent(look, { ...NEVER_BEGUN, begunAt, since });
  await byEvent(look, { ...NEVER_BEGUN, begunAt });
  const halfHour = 30 * 60;
  expect(ranges).toEqual([
    { gte: since / 1000 - halfHour, lt: begunAt / 1000 - halfHour },
    { gte: begunAt / 1000 - 30 * 24 * 60 * 60, lt: begunAt / 1000 - halfHour },
  ]);
});
