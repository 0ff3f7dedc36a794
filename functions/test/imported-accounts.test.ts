import { offerOf } from '@extension-billing/contract/catalog';
import { PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import { type DocumentSnapshot, Timestamp } from 'firebase-admin/firestore';
import type { Stripe } from 'stripe';
import { beforeEach, describe, expect, it } from 'vitest';
import { checkouts } from '../src/checkout/open.ts';
import { customersIn, readFacts } from '../src/events/apply.ts';
import { parseUid, readCustomer } from '../src/store/documents.ts';
import { rememberPrices } from '../src/stripe/prices.ts';
import { FakeProvider } from './app/fake-provider.ts';
import { someDeps } from './app/serve-app.ts';
import { invoicePaid, type PostedEvent, packBought, subscriptionEvent } from './factories/provider-events.ts';
import { MemoryFirestore } from './model/memory-firestore.ts';
import { memoryService } from './model/memory-service.ts';
import { ModelStripe } from './model/model-stripe.ts';

/** Imported accounts, on the service's own code and a store in memory. */

const METERED = {
  paid: true,
  plan: PLAN.metered,
  status: 'active',
  cancelAtPeriodEnd: false,
  currentPeriodEnd: Timestamp.fromMillis(Date.now() + 20 * 86_400_000),
  customerId: 'cus_elsewhere',
  trialUsed: true,
  updatedAt: Timestamp.fromMillis(1_700_000_000_000),
  creditsRemaining: 800,
  creditsAllowance: 800,
  packCreditsRemaining: 0,
};

let store: MemoryFirestore;
let service: ReturnType<typeof memoryService>;

beforeEach(async () => {
  store = new MemoryFirestore();
  service = memoryService(new ModelStripe(), store, () => Date.now());
});

const deliver = (event: PostedEvent) => service.deliver(event as unknown as Stripe.Event);
const plan = (subscription: string) => ({ uid: 'ada', subscription });

async function state() {
  const { record, ledger } = await service.state('ada');
  const sum = [...ledger.values()].reduce((all, entry) => all + entry.deltaAllowance + entry.deltaPack, 0);
  return { paid: record?.paid, allowance: record?.creditsAllowance, left: record?.creditsRemaining, sum };
}

describe('an imported allowance', () => {
  beforeEach(async () => {
    await store.doc('customers/ada').set(METERED);
  });

  it('goes with the first subscription that ends, and never comes back with another', async () => {
    expect(await deliver(subscriptionEvent('deleted', plan('sub_a')))).toBe('applied');
    expect(await state()).toMatchObject({ paid: false, allowance: 0, sum: 0 });

    const plain = { items: { data: [{ price: { lookup_key: PLAN.monthly } }] } };
    expect(await deliver(subscriptionEvent('created', plan('sub_b'), plain))).toBe('applied');
    expect(await state()).toMatchObject({ paid: true, allowance: 0, sum: 0 });

    expect(await deliver(subscriptionEvent('deleted', plan('sub_b'), plain))).toBe('applied');
    expect(await state()).toMatchObject({ paid: false, allowance: 0, sum: 0 });
  });

  it('and its plan outlast a checkout whose first payment never came', async () => {
    for (const status of ['incomplete', 'incomplete_expired']) {
      await deliver(subscriptionEvent('updated', plan('sub_b'), { status }));
      expect(await state()).toMatchObject({ paid: true, allowance: 800 });
    }
  });
});

it('an imported customer is looked at and ended with the account also when another one was seen since', async () => {
  await store.doc('customers/ada').set(METERED);
  await deliver(packBought({ uid: 'ada' }, 100));
  const [record, facts] = await Promise.all(
    ['customers/ada', 'billing_facts/ada'].map(
      (path) => store.doc(path).get() as unknown as Promise<DocumentSnapshot>,
    ),
  );
  expect(customersIn(readCustomer(record), readFacts(facts), undefined)).toEqual(
    expect.arrayContaining(['cus_ada', 'cus_elsewhere']),
  );
});

describe('an imported plan that no event has told of', () => {
  const DAY = 86_400_000;
  const ended = (daysAgo: number) =>
    store
      .doc('customers/ada')
      .set({ ...METERED, currentPeriodEnd: Timestamp.fromMillis(Date.now() - daysAgo * DAY) });
  const record = async () => (await service.state('ada')).record;

  it('counts for 7 days after its period', async () => {
    await ended(6);
    await deliver(packBought({ uid: 'ada' }, 100));
    expect(await record()).toMatchObject({ paid: true, status: 'active', plan: METERED.plan });
  });

  it('is over then, and shows no status that would stand in the way of another plan', async () => {
    await ended(8);
    await deliver(packBought({ uid: 'ada' }, 100));
    expect(await record()).toMatchObject({
      paid: false,
      plan: null,
      status: null,
      currentPeriodEnd: null,
      entitledUntil: null,
      trialUsed: true,
    });
  });

  it.each([
    ['none runs at the provider', [], 200],
    ['it runs on at the provider', [{ status: 'active', priced: PLAN.monthly }], 409],
    ['only something else runs there', [{ status: 'active', priced: 'other_shop' }], 200],
  ])('lets another one be bought where %s: the provider is asked', async (_what, running, status) => {
    await ended(8);
    await deliver(packBought({ uid: 'ada' }, 100));
    const provider = new FakeProvider();
    const asked: unknown[] = [];
    async function* list({ customer }: Stripe.SubscriptionListParams) {
      asked.push(customer);
      for (const { status, priced } of running) {
        yield { id: 'sub_1', status, items: { data: [{ price: { lookup_key: priced } }] } };
      }
    }
    provider.customers.set('cus_ada', { id: 'cus_ada' });
    const stripe = async () => Object.assign(await provider.stripe(), { subscriptions: { list } });
    const deps = someDeps({ firestore: store.connect(), stripe: stripe as never });
    const open = checkouts(deps, rememberPrices(deps.stripe, deps.now));
    const offer = offerOf(testCatalog, PLAN.monthly);
    const opened =
      offer && (await open(parseUid('ada') ?? expect.fail(), { offer, currency: null, extension: null }));
    expect(asked).toEqual(['cus_elsewhere']);
    expect(opened).toMatchObject(
      status === 200 ? { kind: 'opened', trial: false } : { kind: 'refused', code: 'already_subscribed' },
    );
  });
});

describe('an id that the imported ledger has already', () => {
  const taken = (id: string) =>
    store.doc(`customers/ada/credit_ledger/${id}`).set({ deltaAllowance: 0, deltaPack: 0 });

  it('blocks no end of a subscription: the drop gets an id of its own', async () => {
    await store.doc('customers/ada').set(METERED);
    await taken('drop_sub_a');
    const ended = subscriptionEvent('deleted', plan('sub_a'));
    expect(await deliver(ended)).toBe('applied');
    expect(await state()).toMatchObject({ paid: false, allowance: 0, left: 0, sum: 0 });
    const { ledger } = await service.state('ada');
    expect(ledger.get(`drop_sub_a_${ended.id}`)).toMatchObject({ kind: 'drop', deltaAllowance: -800 });
    expect(await deliver(ended)).toBe('duplicate');
  });

  it('blocks no opening, no grant and no allowance, however many ids are taken', async () => {
    await store.doc('customers/ada').set(METERED);
    const bought = packBought({ uid: 'ada', paymentIntent: 'pi_1' }, 100);
    for (const id of [`opening_${bought.id}`, 'grant_pi_1', `grant_pi_1_${bought.id}`]) await taken(id);
    expect(await deliver(bought)).toBe('applied');
    expect(await state()).toMatchObject({ allowance: 800, left: 900, sum: 900 });
    const paid = invoicePaid(plan('sub_a'), { invoice: 'in_1' });
    await taken('allowance_in_1');
    expect(await deliver(paid)).toBe('applied');
    expect(await state()).toMatchObject({ allowance: 1000, left: 1100, sum: 1100 });
  });
});
