import { randomUUID } from 'node:crypto';
import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import { expect, it } from 'vitest';
import { compactLedger } from '../src/ledger/compact.ts';
import { reportSource } from '../src/report/accounts.ts';
import { DaySums } from '../src/report/day-sums.ts';
import { firestore } from './app/emulated-user.ts';
import { ageRequests } from './fixtures/aged-ledger.ts';
import { aBuyer, stripe } from './fixtures/compared-buyer.ts';
import * as simulator from './fixtures/simulator.ts';
import { SMALL } from './model/compact-old.ts';

const DAY = 24 * 60 * 60 * 1000;

type Buyer = Awaited<ReturnType<typeof aBuyer>>;

/** Bought a pack and a plan, and spent of both long ago and today. */
async function aBuyerOfOld(): Promise<Buyer> {
  const user = await aBuyer();
  await user.buy(PACK.small);
  await user.buy(PLAN.metered);
  await simulator.delivered();
  const key = randomUUID();
  await user.reserve('demo_deep', key);
  await Promise.all([
    user.confirm(key),
    ...Array.from({ length: 12 }, (_, at) => user.consume('demo', `old-${at}`)),
  ]);
  await ageRequests(user.uid);
  await user.consume('demo', 'of-today');
  return user;
}

/** What the rest of a life shows: of a report, of refunds and ends, and of comparisons that find what was lost and repair it. */
async function restOf(user: Buyer) {
  const kinds = async () => (await user.differences()).map(({ kind }) => kind);
  const seen: unknown[] = [await reportOf(user), await kinds()];
  await simulator.cancel(await user.subscription(), false);
  const { data } = await stripe.charges.list({ customer: await user.customer() });
  const pack = data.find(({ amount }) => amount > 0);
  await simulator.refund(String(pack?.payment_intent), 250);
  await simulator.delivered();
  seen.push(await user.credits(), await kinds());
  await firestore.doc(`customers/${user.uid}/credit_ledger/consume_of-today`).delete();
  const { before, after } = await user.repair();
  seen.push(before.differences, after.differences, await user.credits());
  return seen;
}

async function reportOf({ uid }: Buyer) {
  const sums = new DaySums();
  const range = { from: Date.now() - 300 * DAY, to: Date.now() + DAY };
  for await (const entry of reportSource(firestore).entries(uid, range)) sums.countEntry(entry);
  return sums
    .days()
    .toSorted()
    .map((day) => [day, sums.of(day).figures]);
}

it('whose old requests were rolled lives on as whose were not', async () => {
  const [whole, rolled] = await Promise.all([aBuyerOfOld(), aBuyerOfOld()]);
  const done = await compactLedger(firestore, rolled.uid, Date.now() - 100 * DAY, Date.now(), SMALL);
  expect([done.rolled, done.pages > 1]).toEqual([14, true]);
  const [one, other] = await Promise.all([restOf(whole), restOf(rolled)]);
  expect(one.slice(2)).toMatchObject([
    { allowance: 0, packs: 50 },
    [],
    [{ kind: 'ledger' }],
    [],
    { allowance: 0, packs: 50 },
  ]);
  expect(other).toEqual(one);
});
