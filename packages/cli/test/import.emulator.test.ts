import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import { FieldValue } from 'firebase-admin/firestore';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endAccount } from '../../../functions/src/account/delete.ts';
import { handleDelivery } from '../../../functions/src/events/webhook.ts';
import { giveFree } from '../../../functions/src/free/give.ts';
import { reconcileUser } from '../../../functions/src/reconcile/look.ts';
import { checkUser } from '../../../functions/src/reconcile/user.ts';
import { paths, type Uid } from '../../../functions/src/store/documents.ts';
import { sellerOf } from '../../../functions/src/stripe/seal.ts';
import { translateEvent } from '../../../functions/src/stripe/translate.ts';
import { auth, firestore, signInAs } from '../../../functions/test/app/emulated-user.ts';
import { post, servers } from '../../../functions/test/app/suite.ts';
import { requestsTo } from '../../../functions/test/fixtures/service.ts';
import * as simulator from '../../../functions/test/fixtures/simulator.ts';
import { applyAll, type From, findPeople, gather, judge } from '../src/import/import.ts';
import type { Person } from '../src/import/person.ts';
import { findTaken, giveBack } from '../src/import/undo.ts';
import { connect, type SupportDeps } from '../src/support/connect.ts';
import { claimOf, find, holdsFor, isPaidHere, isTakenBack, recordOf, type Shops } from './import-promises.ts';
import {
  aGuestPayment,
  anOldCustomer,
  anOldUser,
  asExtensionPayUser,
  dice,
  isPaidThere,
  live,
  type OldCustomer,
  oldPrices,
  type Prices,
  writeAsFirebaseExtension,
} from './old-shop.ts';

const LIVES = Number(process.env.IMPORT_LIVES ?? 1);
const SEED = Number(process.env.IMPORT_SEED ?? Math.floor(Math.random() * 2 ** 31));

let deps: SupportDeps;
let prices: Prices;
let shops: Shops;
beforeAll(async () => {
  ({ deps } = await connect(undefined, process.env));
  prices = await oldPrices();
  shops = { deps, prices };
});

describe(`${LIVES} lives of a firestore-stripe-payments shop (IMPORT_SEED=${SEED})`, () => {
  const from = { kind: 'firestore-stripe-payments', collection: 'customers' } as const;
  it.each(Array.from({ length: LIVES }, (_, i) => SEED + i))(
    'seed %i: nobody loses a right, a second run changes nothing, and all of it can be taken back',
    async (seed) => {
      const roll = dice(seed);
      const customer = await anOldCustomer({ firebaseUID: 'theirs' });
      const uid = await anOldUser(customer.mail);
      await writeAsFirebaseExtension(uid, customer);
      for (let part = 0; part < 3; part += 1) {
        await live(customer, prices, roll, 1 + roll(3));
        // Their webhook answers 200 also where it failed: what it wrote may be behind.
        if (roll(3) > 0) await writeAsFirebaseExtension(uid, customer);
      }
      await holdsFor(
        shops,
        'firestore-stripe-payments',
        from,
        customer,
        (person) => person.uid === uid,
        async () => uid,
        roll,
      );
      await isTakenBack(shops, 'firestore-stripe-payments', customer, uid);
      expect(await customer.metadata()).toContain('theirs');
    },
  );
});

const folder = mkdtempSync(join(tmpdir(), 'import-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** ExtensionPay's people, with a file of these users. */
function extensionPay(...users: readonly object[]) {
  const file = join(folder, `${crypto.randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(users));
  return { kind: 'extensionpay', file, trial: 7 * 86_400_000 } as const;
}

const uidOfMail = async (mail: string) =>
  auth.getUserByEmail(mail).then(
    ({ uid }) => uid as Uid,
    () => null,
  );

describe(`${LIVES} lives of a shop on ExtensionPay (IMPORT_SEED=${SEED})`, () => {
  it.each(Array.from({ length: LIVES }, (_, i) => SEED + i))(
    'seed %i: nobody loses a right, a second run changes nothing, and all of it can be taken back',
    async (seed) => {
      const roll = dice(seed);
      const customer = await anOldCustomer();
      const { mail } = customer;
      await live(customer, prices, roll, 1 + roll(6));
      if (roll(2) === 0) await anOldUser(mail);
      const isListed = roll(2) === 0 && (await isPaidThere(customer, prices));
      const from = extensionPay(...(isListed ? [asExtensionPayUser(mail)] : []));
      const isMeant = (person: Person) => person.mail === mail;
      await holdsFor(shops, 'extensionpay', from, customer, isMeant, () => uidOfMail(mail), roll);
      const uid = await uidOfMail(mail);
      if (uid !== null) await isTakenBack(shops, 'extensionpay', customer, uid);
    },
  );
});

/** A mail address that nobody has, for people of one test. */
const aMail = () => `${crypto.randomUUID()}@example.com`;

async function importUsers(from: From, ...mails: readonly string[]) {
  const found = await find(shops, 'extensionpay', from, ({ mail }) => mails.includes(mail ?? ''));
  await applyAll({ deps }, { source: 'extensionpay', anyway: false }, found);
  return found;
}

it('gives those a sign-in and a right of whom only ExtensionPay knows, for as long as they had it, and takes both back', async () => {
  const [free, once, lost, trial, over] = [aMail(), aMail(), aMail(), aMail(), aMail()];
  const plan = { unitAmountCents: 900, currency: 'usd', nickname: null, interval: 'month', intervalCount: 1 };
  const forGood = { ...plan, unitAmountCents: 19_900, interval: 'once', intervalCount: null };
  const began = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString();
  const from = extensionPay(
    asExtensionPayUser(free),
    asExtensionPayUser(once, { plan: forGood }),
    asExtensionPayUser(lost, { plan, subscriptionStatus: 'active' }),
    asExtensionPayUser(trial, { paid: false, trialStartedAt: began(2) }),
    asExtensionPayUser(over, { paid: false, trialStartedAt: began(9) }),
  );
  const found = await importUsers(from, free, once, lost, trial, over);
  expect(found.map(({ person }) => person.mail)).toEqual([free, once, lost, trial]);
  const untilOf = async (mail: string) => {
    const uid = await uidOfMail(mail);
    const record = uid === null ? null : await recordOf(uid);
    if (uid === null || record?.paid !== true || !(await claimOf(uid))) return 'nothing';
    return Math.round(((record.entitledUntil ?? 0) - Date.now()) / 86_400_000);
  };
  const years = (2075 - 2026) * 365;
  expect(await untilOf(free)).toBeGreaterThan(years - 365);
  expect(await untilOf(once)).toBeGreaterThan(years - 365);
  expect([await untilOf(lost), await untilOf(trial), await untilOf(over)]).toEqual([31, 5, 'nothing']);

  const again = await find(shops, 'extensionpay', from, ({ mail }) =>
    [free, once, lost, trial].includes(mail ?? ''),
  );
  expect(again.map(({ isToDo }) => isToDo)).toEqual([false, false, false, false]);

  const uids = (await Promise.all([free, once, lost, trial].map(uidOfMail))).filter((uid) => uid !== null);
  for (const uid of uids) await firestore.recursiveDelete(paths.facts(firestore, uid));
  for (const uid of uids) expect((await reconcileUser(deps, uid, true)).left).toEqual([]);
  for (const uid of uids) expect(await isPaidHere(uid)).toBe(true);

  for (const taken of await findTaken(deps, 'extensionpay'))
    if (uids.includes(taken.uid)) await giveBack(deps, 'extensionpay', taken);
  for (const uid of uids) expect(await isPaidHere(uid)).toBe(false);
  expect(await Promise.all([free, once, lost, trial].map(uidOfMail))).toEqual([null, null, null, null]);

  await importUsers(from, free);
  expect(await untilOf(free)).toBeGreaterThan(years - 365);
});

it('keeps the right of who paid as a guest of the checkout page, whom Stripe knows by nothing but a mail address', async () => {
  const [guest, refunded] = [aMail(), aMail()];
  await aGuestPayment(prices.forGood, guest);
  const [found] = await importUsers(extensionPay(), guest, refunded);
  expect(found).toMatchObject({ problems: [], decision: { isPaidThere: true } });
  const uid = await uidOfMail(guest);
  expect(uid !== null && (await isPaidHere(uid))).toBe(true);
});

it('gives nothing to who signs in with a mail address that they never proved', async () => {
  const customer = await anOldCustomer();
  await customer.subscribe(prices.monthly);
  const uid = await anOldUser(customer.mail);
  await auth.updateUser(uid, { emailVerified: false });
  const [found] = await importUsers(extensionPay(), customer.mail);
  expect(found?.problems).toEqual([expect.stringContaining('never proved')]);
  expect(await isPaidHere(uid)).toBe(false);
  await auth.updateUser(uid, { emailVerified: true });
  expect(await importUsers(extensionPay(), customer.mail)).toMatchObject([{ problems: [] }]);
  expect(await isPaidHere(uid)).toBe(true);
});

const root = fileURLToPath(new URL('../../../', import.meta.url));

async function billing(...args: string[]) {
  return promisify(execFile)(process.execPath, ['packages/cli/src/billing.ts', 'import', ...args], {
    cwd: root,
  }).then(
    ({ stdout }) => ({ status: 0, out: stdout }),
    ({ code, stdout, stderr }) => ({ status: Number(code), out: `${stdout}${stderr}` }),
  );
}

it('says in a table what somebody has there and will have here, does it, and says that it is done', async () => {
  const mail = aMail();
  const { file } = extensionPay(asExtensionPayUser(mail));
  const args = ['extensionpay', '--users', file, '--only', mail];
  const dry = await billing(...args, '--map', 'free=gold');
  expect([dry.status, dry.out]).toEqual([1, expect.stringMatching(/free: free .*needs you/)]);
  expect(dry.out).toContain('the catalogue has no gold; say --map free=<lookup key>');
  expect(await uidOfMail(mail)).toBe(null);
  const done = await billing(...args, '--apply');
  expect([done.status, done.out]).toEqual([
    0,
    expect.stringMatching(/free: free +paid, without a plan.*to be brought/),
  ]);
  expect(done.out).toContain('1 were brought');
  expect(await uidOfMail(mail)).not.toBe(null);
});

it('brings a metered plan with its allowance, and what is spent of it stays spent', async () => {
  const customer = await anOldCustomer();
  await customer.subscribe(prices.metered);
  const uid = await anOldUser(customer.mail);
  const [found] = await importUsers(extensionPay(), customer.mail);
  expect(found?.will).toMatchObject({ paid: true, creditsRemaining: 1_000 });
  expect(await recordOf(uid)).toMatchObject({ paid: true, creditsRemaining: 1_000, creditsAllowance: 1_000 });
});

it('brings a metered plan with its allowance if its invoice is delivered before the plan is marked', async () => {
  const customer = await anOldCustomer();
  await customer.subscribe(prices.metered);
  await simulator.delivered();
  const uid = await anOldUser(customer.mail);
  const stripe = await deps.stripe();
  const { data } = await stripe.events.list({ type: 'invoice.paid', limit: 100 });
  const paid = data.find(({ data: { object } }) => 'customer' in object && object.customer === customer.id);
  const update: typeof stripe.subscriptions.update = async (...wish) => {
    const outcome = await handleDelivery(deps, translateEvent(paid ?? expect.fail(), sellerOf(deps)));
    expect(outcome).toEqual({ outcome: 'applied', uids: [uid] });
    return stripe.subscriptions.update(...wish);
  };
  const subscriptions = Object.assign(Object.create(stripe.subscriptions), { update });
  const late = Object.assign(Object.create(stripe), { subscriptions });
  const found = await find(shops, 'extensionpay', extensionPay(), ({ mail }) => mail === customer.mail);
  const during = { ...deps, stripe: async () => late };
  await applyAll({ deps: during }, { source: 'extensionpay', anyway: false }, found);
  expect(await recordOf(uid)).toMatchObject({ paid: true, creditsRemaining: 1_000, creditsAllowance: 1_000 });
  expect((await checkUser(deps, uid)).differences).toEqual([]);
});

it('writes over no field of the owner’s own, and over nobody else’s customer', async () => {
  const from = { kind: 'firestore-stripe-payments', collection: 'customers' } as const;
  const [customer, uid] = await anOldSubscriber();
  await paths.customer(firestore, uid).set({ plan: 'their own word' }, { merge: true });
  const problemsOf = async () =>
    (await find(shops, 'firestore-stripe-payments', from, (person) => person.uid === uid)).flatMap(
      (each) => each.problems,
    );
  expect(await problemsOf()).toEqual([expect.stringContaining('this service would write: plan')]);
  await paths.customer(firestore, uid).update({ plan: FieldValue.delete() });
  expect(await problemsOf()).toEqual([]);
  await paths.providerCustomer(firestore, customer.id).set({ uid: 'eve' });
  expect(await problemsOf()).toEqual([expect.stringContaining('the customer of another user here, eve')]);
  const metadata = await customer.metadata();
  const found = await find(shops, 'firestore-stripe-payments', from, (person) => person.uid === uid);
  await applyAll({ deps }, { source: 'firestore-stripe-payments', anyway: true }, found);
  expect(await customer.metadata()).toBe(metadata);
  expect(await isPaidHere(uid)).toBe(false);
});

it('takes a document that the owner wrote by hand where the owner says what it is, and none that is only old', async () => {
  const from = { kind: 'firestore-stripe-payments', collection: 'customers' } as const;
  const customer = await anOldCustomer();
  const uid = await anOldUser(customer.mail);
  await writeAsFirebaseExtension(uid, customer);
  const subscriptions = paths.customer(firestore, uid).collection('subscriptions');
  const subscription = { status: 'active', role: 'vip', current_period_end: null };
  await subscriptions.doc('by-hand').set(subscription);
  const judged = async (...chosen: readonly (readonly [string, string])[]) => {
    for await (const person of gather(deps, from)) {
      if (person.uid === uid)
        return judge(
          deps,
          { source: 'firestore-stripe-payments', chosen: new Map(chosen), trustsMail: false },
          person,
        );
    }
    return null;
  };
  expect(await judged()).toMatchObject({ problems: [expect.stringContaining('--map vip=<lookup key>')] });
  expect(await judged(['vip', 'nothing'])).toBe(null);
  const found = await judged(['vip', PLAN.monthly]);
  expect(found).toMatchObject({ problems: [], will: { paid: true } });
  await applyAll(
    { deps },
    { source: 'firestore-stripe-payments', anyway: false },
    found === null ? [] : [found],
  );
  expect([await isPaidHere(uid), await claimOf(uid)]).toEqual([true, true]);
  expect(await judged(['vip', PLAN.monthly])).toMatchObject({ isToDo: false });

  await subscriptions.doc('sub_of_the_test_mode').set(subscription);
  expect(await judged(['vip', PLAN.monthly])).toMatchObject({
    problems: [expect.stringContaining('sub_of_the_test_mode is not known to Stripe under this key')],
  });
});

it('undoes an import and keeps what was bought here since, with the customer', async () => {
  const [customer, uid] = await anOldSubscriber();
  const from = { kind: 'firestore-stripe-payments', collection: 'customers' } as const;
  const found = await find(shops, 'firestore-stripe-payments', from, (person) => person.uid === uid);
  await applyAll({ deps }, { source: 'firestore-stripe-payments', anyway: false }, found);
  await customer.buyOnce(prices.forGood);
  const charge = await customer.charge();
  const sold = { uid, kind: 'lifetime', lookup_key: PLAN.lifetime, project: deps.config.project ?? '' };
  await (await deps.stripe()).charges.update(charge?.id ?? '', { metadata: sold });
  expect((await reconcileUser(deps, uid, true)).left).toEqual([]);
  for (const taken of await findTaken(deps, 'firestore-stripe-payments'))
    if (taken.uid === uid) await giveBack(deps, 'firestore-stripe-payments', taken);
  await simulator.delivered();
  expect(await recordOf(uid)).toMatchObject({ paid: true, plan: PLAN.lifetime });
  expect((await paths.providerCustomer(firestore, customer.id).get()).get('uid')).toBe(uid);
  expect((await findTaken(deps, 'firestore-stripe-payments')).filter((taken) => taken.uid === uid)).toEqual(
    [],
  );
});

it('undoes an import and keeps the plan that an imported subscription was changed to here', async () => {
  const [customer, uid] = await anOldSubscriber();
  const from = { kind: 'firestore-stripe-payments', collection: 'customers' } as const;
  const found = await find(shops, 'firestore-stripe-payments', from, (person) => person.uid === uid);
  await applyAll({ deps }, { source: 'firestore-stripe-payments', anyway: false }, found);
  const stripe = await deps.stripe();
  const [ours] = (await stripe.prices.list({ lookup_keys: [PLAN.yearly] })).data;
  const [running] = (await stripe.subscriptions.list({ customer: customer.id })).data;
  const item = { id: running?.items.data[0]?.id ?? '', price: ours?.id ?? '' };
  await stripe.subscriptions.update(running?.id ?? '', { items: [item] });
  await simulator.delivered();
  expect(await recordOf(uid)).toMatchObject({ paid: true, plan: PLAN.yearly });
  for (const taken of await findTaken(deps, 'firestore-stripe-payments'))
    if (taken.uid === uid) await giveBack(deps, 'firestore-stripe-payments', taken);
  await simulator.delivered();
  expect(await recordOf(uid)).toMatchObject({ paid: true, plan: PLAN.yearly });
  expect((await checkUser(deps, uid)).differences).toEqual([]);
  expect((await findTaken(deps, 'firestore-stripe-payments')).filter((taken) => taken.uid === uid)).toEqual(
    [],
  );
});

it('brings neither of two who name one customer before the owner says which, and then that one alone', async () => {
  const from = { kind: 'firestore-stripe-payments', collection: 'customers' } as const;
  const source = 'firestore-stripe-payments';
  const [customer, before] = await anOldSubscriber();
  const after = await anOldUser(aMail());
  await writeAsFirebaseExtension(after, customer);
  const bring = async (only: string | null) => {
    const asked = { source, chosen: new Map<string, string>(), only, trustsMail: false } as const;
    const found = await findPeople(deps, { ...asked, anyway: true, apply: true, project: undefined }, from);
    const theirs = found.filter(({ person }) => person.uid === before || person.uid === after);
    await applyAll({ deps }, { source, anyway: true }, theirs);
    return theirs.map(({ problems }) => problems.length);
  };
  const metadata = await customer.metadata();
  expect(await bring(null)).toEqual([1, 1]);
  expect(await customer.metadata()).toBe(metadata);
  expect(await bring(after)).toEqual([0]);
  expect([await isPaidHere(before), await isPaidHere(after)]).toEqual([false, true]);
  expect((await bring(null)).toSorted()).toEqual([0, 1]);
  expect([await isPaidHere(before), await isPaidHere(after)]).toEqual([false, true]);
});

const THEIRS = { kind: 'firestore-stripe-payments', collection: 'customers' } as const;
const SOURCE = 'firestore-stripe-payments';

/** What an import brings this user, and what was judged before. */
async function importUser(uid: Uid, ...chosen: readonly (readonly [string, string])[]) {
  for await (const person of gather(deps, THEIRS)) {
    if (person.uid !== uid) continue;
    const asked = { source: SOURCE, chosen: new Map(chosen), trustsMail: false } as const;
    const found = await judge(deps, asked, person);
    const done = await applyAll({ deps }, { source: SOURCE, anyway: false }, found === null ? [] : [found]);
    return { ...done, problems: found?.problems ?? [] };
  }
  throw new Error('the source does not know this user');
}

async function undoFor(uid: Uid): Promise<void> {
  for (const taken of await findTaken(deps, SOURCE))
    if (taken.uid === uid) await giveBack(deps, SOURCE, taken);
  await simulator.delivered();
}

it('brings nothing to an account that is deleted, before the run or while it runs, and says what goes on at Stripe', async () => {
  const [customer, uid] = await anOldSubscriber();
  const found = await find(shops, SOURCE, THEIRS, (person) => person.uid === uid);
  const metadata = await customer.metadata();
  expect(await endAccount(deps, uid)).toBe(0);
  expect(await applyAll({ deps }, { source: SOURCE, anyway: true }, found)).toEqual({ applied: 0, left: 1 });
  const subscription = (await customer.newest())?.id ?? '';
  const later = await importUser(uid);
  expect(later).toMatchObject({
    applied: 0,
    problems: [expect.stringContaining(`still charges it: ${subscription}`)],
  });
  expect(await customer.metadata()).toBe(metadata);
  expect((await paths.providerCustomer(firestore, customer.id).get()).exists).toBe(false);
  expect(await isPaidHere(uid)).toBe(false);
});

it('brings nothing to an account that is deleted while it is brought, and ends what charges it', async () => {
  const [customer, uid] = await anOldSubscriber();
  const metadata = await customer.metadata();
  const stripe = await deps.stripe();
  const ended: number[] = [];
  const update: typeof stripe.customers.update = async (...wish) => {
    if (ended.length === 0) ended.push(await endAccount(deps, uid));
    return stripe.customers.update(...wish);
  };
  const customers = Object.assign(Object.create(stripe.customers), { update });
  const deleting = Object.assign(Object.create(stripe), { customers });
  const found = await find(shops, SOURCE, THEIRS, (person) => person.uid === uid);
  const during = { ...deps, stripe: async () => deleting };
  expect(await applyAll({ deps: during }, { source: SOURCE, anyway: false }, found)).toEqual({
    applied: 0,
    left: 1,
  });
  await simulator.delivered();
  expect(ended).toEqual([1]);
  expect((await customer.newest())?.status).toBe('canceled');
  expect(JSON.parse(await customer.metadata())[0]).toEqual(JSON.parse(metadata)[0]);
  expect(await isPaidHere(uid)).toBe(false);
});

it('brings the plan that an imported subscription was changed to at the old shop, with the next import', async () => {
  const [customer, uid] = await anOldSubscriber();
  await importUser(uid);
  const stripe = await deps.stripe();
  const running = await customer.newest();
  const item = { id: running?.items.data[0]?.id ?? '', price: prices.yearly.id };
  await stripe.subscriptions.update(running?.id ?? '', { items: [item] });
  await simulator.delivered();
  expect(await importUser(uid)).toEqual({ applied: 1, left: 0, problems: [] });
  await simulator.delivered();
  expect(await recordOf(uid)).toMatchObject({ paid: true, plan: PLAN.yearly });
  expect((await checkUser(deps, uid)).differences).toEqual([]);
  await undoFor(uid);
  expect(await customer.metadata()).toMatch(/^\[(\{\},?)+\]$/);
});

it('brings a user who has had free credits here before', async () => {
  const [, uid] = await anOldSubscriber();
  const free = { credits: 20, every: 'day', guests: 0 } as unknown as Parameters<typeof giveFree>[2]['free'];
  const access = {
    free,
    share: { credits: 20, isGuest: false, identity: null },
    ceiling: {} as never,
  };
  await giveFree(firestore, uid, access, Date.now());
  expect(await importUser(uid)).toEqual({ applied: 1, left: 0, problems: [] });
  expect(await recordOf(uid)).toMatchObject({ paid: true, creditsRemaining: 20 });
});

it('undoes an import and keeps a subscription that is to change to a plan of this service’s', async () => {
  const customer = await anOldCustomer();
  const uid = await anOldUser(customer.mail);
  await customer.subscribe(prices.metered);
  await writeAsFirebaseExtension(uid, customer);
  await importUser(uid);
  const authorization = `Bearer ${await signInAs(uid)}`;
  const asked = JSON.stringify({ lookup_key: PLAN.monthly });
  const { body } = await post(`${servers['direct server']}/billing/change`, asked, { authorization });
  await fetch(String(body.url), {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ action: 'confirm' }),
  });
  await simulator.delivered();
  expect(await recordOf(uid)).toMatchObject({ plannedChange: { plan: PLAN.monthly } });
  await undoFor(uid);
  expect(await recordOf(uid)).toMatchObject({ paid: true, plannedChange: { plan: PLAN.monthly } });
  expect((await paths.providerCustomer(firestore, customer.id).get()).get('uid')).toBe(uid);
  expect((await checkUser(deps, uid)).differences).toEqual([]);
});

it('brings again what an undo took back, without what was spent of it', async () => {
  const customer = await anOldCustomer();
  await customer.subscribe(prices.metered);
  await customer.buyOnce(prices.forGood);
  const user = await anOldUser(customer.mail);
  await writeAsFirebaseExtension(user, customer);
  const bring = () => importUser(user, [prices.forGood.id, PACK.small]);
  await bring();
  expect(await recordOf(user)).toMatchObject({ creditsAllowance: 1_000, packCreditsRemaining: 100 });
  const { consume } = requestsTo(servers['direct server'], await signInAs(user));
  const spend = async (times: number) => {
    for (let time = 0; time < times; time += 1) expect((await consume('demo_deep')).status).toBe(200);
  };
  await spend(2);
  await undoFor(user);
  expect(await recordOf(user)).toMatchObject({ creditsRemaining: 0 });
  await bring();
  expect(await recordOf(user)).toMatchObject({ creditsAllowance: 990, packCreditsRemaining: 100 });
  await spend(1);
  await undoFor(user);
  await bring();
  expect(await recordOf(user)).toMatchObject({ creditsAllowance: 985, packCreditsRemaining: 100 });
  expect((await checkUser(deps, user)).differences).toEqual([]);
});

it('finds in the dry run what could not be brought of ExtensionPay’s users', async () => {
  const [never, odd] = [aMail(), 'no-mail-address'];
  const plan = { unitAmountCents: 900, currency: 'usd', nickname: null, interval: 'month', intervalCount: 1 };
  const from = extensionPay(
    asExtensionPayUser(never, { plan, subscriptionStatus: 'active', subscriptionCancelAt: '9999-12-31' }),
    asExtensionPayUser(odd),
  );
  const found = await importUsers(from, never, odd);
  expect(found.map(({ problems }) => problems)).toEqual([
    [expect.stringContaining('it ends on 9999-12-31')],
    [expect.stringContaining('no-mail-address: it is no mail address')],
  ]);
  expect(await uidOfMail(never)).toBe(null);
});

it('does the same in two runs at the same time as in one', async () => {
  const mails = Array.from({ length: 3 }, aMail);
  const customer = await anOldCustomer();
  await customer.subscribe(prices.monthly);
  mails.push(customer.mail);
  const from = extensionPay(...mails.slice(0, 3).map((mail) => asExtensionPayUser(mail)));
  const judged = await Promise.all(
    [1, 2].map(() => find(shops, 'extensionpay', from, ({ mail }) => mails.includes(mail ?? ''))),
  );
  const done = await Promise.all(
    judged.map((found) => applyAll({ deps }, { source: 'extensionpay', anyway: false }, found)),
  );
  expect(done.map(({ left }) => left)).toEqual([0, 0]);
  for (const mail of mails) {
    const uid = (await uidOfMail(mail)) ?? expect.fail();
    expect([await isPaidHere(uid), (await checkUser(deps, uid)).differences]).toEqual([true, []]);
  }
  const again = await find(shops, 'extensionpay', from, ({ mail }) => mails.includes(mail ?? ''));
  expect(again.map(({ isToDo, problems }) => [isToDo, problems])).toEqual(mails.map(() => [false, []]));
});

/** Somebody who subscribed through the Firebase extension. */
async function anOldSubscriber(): Promise<readonly [OldCustomer, Uid]> {
  const customer = await anOldCustomer();
  const uid = await anOldUser(customer.mail);
  await customer.subscribe(prices.monthly);
  await writeAsFirebaseExtension(uid, customer);
  return [customer, uid];
}
