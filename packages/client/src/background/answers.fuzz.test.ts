import { ConsumeResponse, ReserveResponse, SettleResponse } from '@extension-billing/contract/api';
import fc from 'fast-check';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { runs } from '../../../../functions/test/fuzz/budget.ts';
import { oddText } from '../../../../functions/test/fuzz/odd-values.ts';
import { aSnapshot } from '../../test/factories.ts';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import { hostileValue } from '../../test/hostile-values.ts';
import { parseSnapshot } from '../snapshot/snapshot.ts';
import { createSnapshotWriter } from '../snapshot/write.ts';
import { createApi } from './api.ts';
import { createConsume, type SpendDeps } from './consume.ts';
import { type CreditPath, isCreditAnswer } from './credit-answers.ts';
import { createReservations } from './reservations.ts';

const GOOD = {
  ok: true,
  balance: 9,
  allowance: 9,
  packCredits: 0,
  cost: 1,
  replayed: false,
  updatedAt: 5_000,
  reservation: 'job',
  expiresAt: 9_000,
  code: 'credits_exhausted',
  detail: 'Top up.',
};
/** What a proxy, a captive portal or another version of the service may answer: JSON or not, whole or not. */
const body = fc.oneof(
  fc
    .dictionary(fc.oneof(fc.constantFrom(...Object.keys(GOOD)), oddText), hostileValue, { maxKeys: 3 })
    .map((odd) => JSON.stringify({ ...GOOD, ...odd })),
  hostileValue.map((value) => JSON.stringify(value) ?? ''),
  oddText,
);
const status = fc.constantFrom(200, 200, 200, 204, 402, 404, 409, 500);

/** A worker whose service answers everything with the same bytes. */
async function workerThatHears(code: number, answer: string) {
  const local = fakeStorage({ entitlements: aSnapshot({ updatedAt: 1_000 }) });
  const writer = createSnapshotWriter(local.area, () => 2_000);
  await writer.begin('ada');
  const api = createApi({
    baseUrl: 'https://api.example',
    token: async () => ({ kind: 'token', token: 'a.b.c' }),
    fetch: async () => new Response(code === 204 ? null : answer, { status: code }),
  });
  const spending: SpendDeps = {
    api,
    uid: async () => 'ada',
    online: () => true,
    apiIsLocal: false,
    snapshot: writer,
    now: () => 2_000,
    wait: async () => {},
    newKey: () => 'key',
  };
  return {
    consume: createConsume(spending),
    ...createReservations(spending),
    stored: () => local.peek('entitlements'),
  };
}

const isCredits = (value: unknown) => value === null || (Number.isSafeInteger(value) && Number(value) >= 0);

it('whatever is answered, a page is told whole credits or why not, and the snapshot stays whole', async () => {
  await fc.assert(
    fc.asyncProperty(status, body, async (code, answer) => {
      const worker = await workerThatHears(code, answer);
      const results = [
        await worker.consume({ feature: 'demo' }),
        await worker.reserve({ feature: 'demo' }),
        await worker.confirm({ reservation: 'job' }),
      ];
      for (const result of results) {
        expect([isCredits(result.balance), isCredits(result.allowance)]).toEqual([true, true]);
        expect(typeof ('reason' in result ? result.reason : 'none')).toBe('string');
        expect(result.ok).toBe(!('reason' in result));
        if ('reservation' in result)
          expect(result.reservation === null || result.reservation !== '').toBe(true);
        if (code !== 200) expect(result.ok).toBe(false);
      }
      expect(parseSnapshot(worker.stored())).toEqual(worker.stored());
    }),
    {
      ...runs(1_000),
      // Found by chance: more credits than a snapshot keeps, and an allowance beyond the balance.
      examples: [
        [200, JSON.stringify({ ...GOOD, allowance: 1_000_000_000_001 })],
        [200, JSON.stringify({ ...GOOD, balance: 3, packCredits: null })],
        [402, JSON.stringify({ ...GOOD, balance: 3 })],
      ],
    },
  );
});

const SCHEMAS = {
  '/credits/consume': ConsumeResponse,
  '/credits/reserve': ReserveResponse,
  '/credits/confirm': SettleResponse,
  '/credits/release': SettleResponse,
} as const satisfies Record<CreditPath, v.GenericSchema>;

/** Amounts that add up, of accounts with and without credits, and a name: what the schemas do not say. */
const isSound = ({
  balance,
  allowance,
  packCredits,
  cost,
  shortfall,
  updatedAt,
  expiresAt,
  reservation,
}: Any) =>
  (balance === null ? allowance === null : allowance !== null && Number(allowance) <= Number(balance)) &&
  [balance, packCredits, cost, shortfall].every((each) => Number(each ?? 0) <= 1_000_000_000_000) &&
  [updatedAt, expiresAt].every((each) => each === null || Number.isSafeInteger(each ?? 0)) &&
  reservation !== '';
type Any = Readonly<Record<string, unknown>>;

const plausible = fc.constantFrom<unknown>(
  null,
  0,
  1,
  9,
  -1,
  0.5,
  1e12,
  1e13,
  2 ** 60,
  true,
  false,
  '',
  'job',
);
const half = fc
  .record({
    changed: fc.dictionary(
      fc.constantFrom(...Object.keys(GOOD), 'shortfall'),
      fc.oneof(plausible, hostileValue),
      {
        maxKeys: 3,
      },
    ),
    without: fc.subarray([...Object.keys(GOOD), 'shortfall'], { maxLength: 1 }),
  })
  .map(({ changed, without }) => {
    const answer: Any = { ...GOOD, shortfall: 0, ...changed };
    return Object.fromEntries(Object.entries(answer).filter(([field]) => !without.includes(field)));
  });

it.each(Object.entries(SCHEMAS))('%s is read by hand as the contract’s schema says', (path, { entries }) => {
  let taken = 0;
  fc.assert(
    fc.property(half, (answer) => {
      const isAnswer = isCreditAnswer(path as CreditPath, answer);
      taken += Number(isAnswer);
      const read = v.safeParse(v.object(entries), answer);
      expect(isAnswer).toBe(read.success && isSound(read.output));
    }),
    runs(1_000),
  );
  expect(taken).toBeGreaterThan(100);
});
