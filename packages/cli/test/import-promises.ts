import { isPaidAt } from '@extension-billing/contract/customer';
import { expect } from 'vitest';
import { reconcileUser } from '../../../functions/src/reconcile/look.ts';
import { checkUser } from '../../../functions/src/reconcile/user.ts';
import { paths, readCustomer, type Uid } from '../../../functions/src/store/documents.ts';
import { auth, firestore } from '../../../functions/test/app/emulated-user.ts';
import * as simulator from '../../../functions/test/fixtures/simulator.ts';
import { applyAll, type Found, type From, gather, judge } from '../src/import/import.ts';
import type { Person, Source } from '../src/import/person.ts';
import { findTaken, giveBack } from '../src/import/undo.ts';
import { adoptCustomers } from '../src/reconcile/adopt.ts';
import type { SupportDeps } from '../src/support/connect.ts';
import {
  hasLostDispute,
  isLate,
  isPaidThere,
  live,
  liveOn,
  type OldCustomer,
  type Prices,
} from './old-shop.ts';

// What holds of everybody who comes from another service, from the dry run to the day after it was taken back.

/** This shop, and the prices of the one that they come from. */
export interface Shops {
  readonly deps: SupportDeps;
  readonly prices: Prices;
}

/** What becomes of these people, and of nobody else whom the suite knows. */
export async function find(
  { deps, prices }: Shops,
  source: Source,
  from: From,
  isMeant: (person: Person) => boolean,
): Promise<readonly Found[]> {
  const chosen = new Map([[prices.donation.id, 'nothing']]);
  const found: Found[] = [];
  for await (const person of gather(deps, from)) {
    if (!isMeant(person)) continue;
    const each = await judge(deps, { source, chosen, trustsMail: false }, person);
    if (each !== null) found.push(each);
  }
  return found;
}

export const recordOf = async (uid: Uid) => readCustomer(await paths.customer(firestore, uid).get());
export const isPaidHere = async (uid: Uid) => {
  const record = await recordOf(uid);
  return record !== null && isPaidAt(record, Date.now());
};
export const claimOf = async (uid: Uid) => (await auth.getUser(uid)).customClaims?.paid === true;

/** What the dry run says and the record must be: the rest are times and the clock's. */
function rightsIn(record: Awaited<ReturnType<typeof recordOf>>) {
  const { paid, plan, planKind, status, entitledUntil, cancelAtPeriodEnd } = record ?? {};
  return {
    paid: paid ?? false,
    plan: plan ?? null,
    planKind,
    status: status ?? null,
    entitledUntil: entitledUntil ?? null,
    cancelAtPeriodEnd: cancelAtPeriodEnd ?? false,
  };
}

/** Who may use what is paid by Stripe's own objects may here. */
async function isHeld(prices: Prices, customer: OldCustomer, uid: Uid): Promise<void> {
  if (!(await isPaidThere(customer, prices)) || (await hasLostDispute(customer))) return;
  expect(await isPaidHere(uid)).toBe(true);
}

/** All that holds of a person of the old shop, from the dry run to the day after it was taken back. */
export async function holdsFor(
  shops: Shops,
  source: Source,
  from: From,
  customer: OldCustomer,
  isMeant: (person: Person) => boolean,
  uidOf: () => Promise<Uid | null>,
  roll: (below: number) => number,
): Promise<void> {
  const { deps, prices } = shops;
  const isPaid = await isPaidThere(customer, prices);
  const metadata = await customer.metadata();
  const dry = await find(shops, source, from, isMeant);
  expect(await customer.metadata()).toBe(metadata);
  const problems = dry.flatMap((found) => found.problems);
  if ((await hasLostDispute(customer)) && problems.length > 0) {
    expect(problems).toEqual(['it is paid there, and would not be here: look at it']);
    return;
  }
  expect(problems).toEqual([]);
  if (dry.length === 0) {
    expect(isPaid).toBe(false);
    return;
  }

  await applyAll({ deps }, { source, anyway: false }, dry);
  await simulator.delivered();
  const uid = await uidOf();
  if (uid === null) throw new Error('nobody was brought');
  const will = dry[0]?.will ?? null;
  expect(rightsIn(await recordOf(uid))).toEqual(rightsIn(will));
  if (isPaid) expect([await isPaidHere(uid), await claimOf(uid)]).toEqual([true, true]);
  else if (!(await isLate(customer))) expect(await isPaidHere(uid)).toBe(false);
  expect((await checkUser(deps, uid)).differences).toEqual([]);

  const again = await find(shops, source, from, isMeant);
  expect(again.map(({ isToDo, problems }) => [isToDo, problems])).toEqual([[false, []]]);

  // Stripe tells of it, and no other import: what was brought is held by webhooks as what was sold here.
  await liveOn(customer, prices, roll, 3);
  await simulator.delivered();
  expect((await checkUser(deps, uid)).differences).toEqual([]);
  await isHeld(prices, customer, uid);

  await live(customer, prices, roll, 2);
  await simulator.delivered();
  // What is bought at the old shop after the import is brought by the next one; the rest Stripe has told.
  const later = await find(shops, source, from, isMeant);
  await applyAll({ deps }, { source, anyway: false }, later);
  await simulator.delivered();
  expect((await checkUser(deps, uid)).differences).toEqual([]);
  await isHeld(prices, customer, uid);

  const before = rightsIn(await recordOf(uid));
  await firestore.recursiveDelete(paths.facts(firestore, uid));
  await firestore.recursiveDelete(paths.customer(firestore, uid));
  await paths.providerCustomer(firestore, customer.id).delete();
  await adoptCustomers(deps, uid, true);
  expect((await reconcileUser(deps, uid, true)).left).toEqual([]);
  expect(rightsIn(await recordOf(uid))).toEqual(before);
}

/** Undone, they have nothing here, and nothing of ours stands on what they have at Stripe. */
export async function isTakenBack(
  { deps }: Shops,
  source: Source,
  customer: OldCustomer,
  uid: Uid,
): Promise<void> {
  // Another project in the same Stripe account may have imported its own users: its undo is about those.
  const other = { ...deps, config: { ...deps.config, project: 'their-other-shop' } };
  const others = await findTaken(other, source);
  expect(others.flatMap((each) => [...each.customers, ...each.subscriptions, ...each.charges])).toEqual([]);
  for (const taken of await findTaken(deps, source))
    if (taken.uid === uid) await giveBack(deps, source, taken);
  await simulator.delivered();
  expect(await isPaidHere(uid)).toBe(false);
  const account = await auth.getUser(uid).catch(() => null);
  expect(account?.customClaims?.paid ?? false).toBe(false);
  expect(await customer.metadata()).not.toMatch(/imported_from|lookup_key|"uid"/);
  expect((await paths.providerCustomer(firestore, customer.id).get()).exists).toBe(false);
  expect((await checkUser(deps, uid)).differences).toEqual([]);
  expect((await findTaken(deps, source)).filter((taken) => taken.uid === uid)).toEqual([]);
}
