import type { Pool } from '@extension-billing/contract/schedule';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import { HOUR } from '@extension-billing/contract/time';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { aRecord, aSnapshot } from '../../test/factories.ts';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import { creditsAtClock, nextChange } from './clock.ts';
import { projectRecord } from './project.ts';
import { createSnapshotStore } from './read.ts';
import { type EntitlementSnapshot, parseSnapshot, SNAPSHOT_KEY } from './snapshot.ts';

const START = Date.UTC(2026, 10, 21, 12);

function aPool(left: number, fields: Partial<Pool> = {}): Pool {
  return {
    ...{ source: 'free', kind: 'allowance', amount: 20, every: '5h', anchor: START, from: START },
    ...{ until: null, left, period: START },
    ...fields,
  } as Pool;
}
/** Somebody who has some of their free credits left, and packs beside them. */
function stored(left: number, packs = 0, fields: Partial<Pool> = {}): EntitlementSnapshot {
  const credits = { creditsRemaining: left + packs, creditsAllowance: left, packCreditsRemaining: packs };
  const record = aRecord({ ...credits, monthlyCredits: 0, allowances: [aPool(left, fields)] });
  const snapshot = parseSnapshot(JSON.parse(JSON.stringify(projectRecord('ada', record, START))));
  if (snapshot === null) throw new Error('no snapshot');
  return snapshot;
}
const at = (snapshot: EntitlementSnapshot, now: number) => creditsAtClock(snapshot, now)?.credits;

beforeEach(() => void vi.useFakeTimers({ now: START }));
afterEach(() => void vi.useRealTimers());

it('brings the credits of a new period at its instant, and not before', () => {
  const snapshot = stored(3, 7);
  expect(at(snapshot, START + 5 * HOUR - 1)).toMatchObject({ balance: 10, allowance: 3 });
  expect(at(snapshot, START + 5 * HOUR)).toMatchObject({ balance: 27, allowance: 20, packCredits: 7 });
  expect(at(snapshot, START + 50 * HOUR)).toMatchObject({ balance: 27 });
});

it('ends what has ended', () => {
  const ends = { every: 'once', kind: 'pack', until: START + HOUR } as const;
  const credits = { balance: 9, allowance: 0, packCredits: 9, monthlyCredits: 0, pools: [aPool(9, ends)] };
  const snapshot = aSnapshot({ credits });
  expect(at(snapshot, START)).toMatchObject({ balance: 9 });
  expect(at(snapshot, START + HOUR)).toMatchObject({ balance: 0, packCredits: 0 });
});

it('goes on from what a consume answered, at the instant of the answer', () => {
  const { credits } = stored(20);
  if (credits === null) throw new Error('no credits');
  const answered = aSnapshot({ credits: { ...credits, balance: 4, allowance: 4, asOf: START + HOUR } });
  expect(at(answered, START + 2 * HOUR)).toMatchObject({ balance: 4 });
});

it('leaves alone what no clock changes, the very object', () => {
  const plain = aSnapshot();
  expect(creditsAtClock(plain, START + 900 * HOUR)).toBe(plain);
  expect(creditsAtClock(null, START)).toBeNull();
});

it('is shown by every page at the instant, offline too, and once a page that was hidden is seen', async () => {
  const { storage } = fakeStorage({ [SNAPSHOT_KEY]: stored(0) });
  const store = createSnapshotStore(storage);
  await store.loaded;
  const shown: unknown[] = [];
  store.subscribe((snapshot) => shown.push(snapshot?.credits?.balance));
  expect(store.get()?.credits?.balance).toBe(0);
  vi.advanceTimersByTime(5 * HOUR - 1);
  expect(shown).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(shown).toEqual([20]);
  expect(store.get()?.credits?.balance).toBe(20);
});

it('says what comes next, and how much a period has', () => {
  expect(at(stored(3), START + HOUR)).toMatchObject({ nextAt: START + 5 * HOUR, periodCredits: 20 });
});

it('waits for a change that is further away than a timer can be set', async () => {
  const monthly = stored(0, 0, { every: 'month' });
  expect(nextChange(monthly.credits ?? {}, START)).toBe(Date.UTC(2026, 11, 21, 12));
  const { storage } = fakeStorage({ [SNAPSHOT_KEY]: monthly });
  const store = createSnapshotStore(storage);
  await store.loaded;
  vi.advanceTimersByTime(30 * 24 * HOUR);
  expect(store.get()?.credits?.balance).toBe(20);
});

it('hides free credits while the published catalogue gives none', async () => {
  const published = (free: object | null) => ({
    form: 1,
    version: 1,
    catalog: JSON.stringify({ ...testCatalog, free }),
  });
  const { storage, area } = fakeStorage({ [SNAPSHOT_KEY]: stored(20, 7), billingCatalog: published(null) });
  const store = createSnapshotStore(storage);
  await store.loaded;
  const shown = () => store.get()?.credits;
  expect(shown()).toMatchObject({ balance: 7, allowance: 0, packCredits: 7, nextAt: null });
  vi.advanceTimersByTime(5 * HOUR);
  expect(shown()).toMatchObject({ balance: 7 });
  await area.set({ billingCatalog: published({ credits: 20, every: '5h' }) });
  expect(shown()).toMatchObject({ balance: 27, allowance: 20 });
  await area.set({ billingCatalog: published(null) });
  expect(shown()).toMatchObject({ balance: 7 });
});

it('keeps what a reservation holds of free credits apart from those that it hides', () => {
  const record = aRecord({
    ...{ creditsRemaining: 27, creditsAllowance: 20, packCreditsRemaining: 7, monthlyCredits: 0 },
    allowances: [aPool(20)],
    creditHolds: [{ reservation: 'job', feature: 'f', credits: 5, free: 5, expiresAt: START + HOUR }],
  });
  const snapshot = parseSnapshot(JSON.parse(JSON.stringify(projectRecord('ada', record, START))));
  expect(creditsAtClock(snapshot, START)?.credits).toMatchObject({ balance: 22, allowance: 15 });
  expect(creditsAtClock(snapshot, START, true)?.credits).toMatchObject({ balance: 7, allowance: 0 });
});

it('hides nothing of a balance that the service answered: it has no free credits in it', () => {
  const { credits } = stored(20, 7);
  if (credits === null) throw new Error('no credits');
  const answer = { balance: 6, allowance: 0, packCredits: 6, asOf: START + HOUR };
  const answered = aSnapshot({ credits: { ...credits, ...answer } });
  expect(creditsAtClock(answered, START + HOUR, true)?.credits).toMatchObject({ balance: 6, packCredits: 6 });
});

it('takes no damaged pool for one', () => {
  const odd = [aPool(3, { every: 'fortnight' as never }), { left: 3 }, null, aPool(Number.NaN)];
  const snapshot = aSnapshot();
  const read = parseSnapshot({ ...snapshot, credits: { ...snapshot.credits, pools: odd } });
  expect(creditsAtClock(read, START)?.credits).toMatchObject({ pools: [], balance: 1_000, nextAt: null });
});
