import { PLAN } from '@extension-billing/contract/test/catalog';
import { DAY } from '@extension-billing/contract/time';
import type { Stripe } from 'stripe';
import { beforeEach, describe, expect, it } from 'vitest';
import { invoicePaid, type PostedEvent, subscriptionEvent } from './factories/provider-events.ts';
import { MemoryFirestore } from './model/memory-firestore.ts';
import { memoryService } from './model/memory-service.ts';
import { ModelStripe } from './model/model-stripe.ts';

/**
 * How long an entitlement lasts when nothing more is heard (docs/decisions/entitlements.md), on the
 * service's own code and a store in memory, whose clock the test moves.
 */
const START = Date.UTC(2026, 5, 1);
const seconds = (at: number) => Math.floor(at / 1000);

let now: number;
let store: MemoryFirestore;
let service: ReturnType<typeof memoryService>;

beforeEach(() => {
  now = START;
  store = new MemoryFirestore();
  service = memoryService(new ModelStripe(), store, () => now);
});

const plan = { uid: 'ada', subscription: 'sub_1' };
const deliver = (event: PostedEvent) => service.deliver(event as unknown as Stripe.Event);

interface State {
  readonly status?: string;
  /** Days after the start. */
  readonly from?: number;
  readonly to?: number;
  readonly pause?: object | null;
}

/** An update of the metered plan, created as many days after the start as its period begins. */
function updated({ status = 'active', from = 0, to = from + 30, pause = null }: State) {
  const item = {
    current_period_start: seconds(START + from * DAY),
    current_period_end: seconds(START + to * DAY),
    price: { id: 'price_metered', lookup_key: PLAN.metered },
  };
  const over = { status, pause_collection: pause, items: { data: [item] } };
  return deliver(subscriptionEvent('updated', plan, over, seconds(START + from * DAY)));
}

/** A paid invoice of the period that begins so many days after the start. */
function paid(amount: number, { from = 0, to = from + 30 }: Pick<State, 'from' | 'to'> = {}) {
  const event = invoicePaid(plan, { invoice: `in_${from}` });
  const period = { start: seconds(START + from * DAY), end: seconds(START + to * DAY) };
  const lines = { data: [{ id: 'il_1', period, quantity: 1 }] };
  const created = seconds(START + from * DAY);
  return deliver({
    ...event,
    data: { object: { ...event.data.object, created, amount_paid: amount, lines } },
  });
}

/** Leaves the facts as builds wrote them that did not keep what an invoice paid up to. */
function forgetPeriodEnds(): void {
  const path = 'billing_facts/ada';
  const known = store.documents.get(path) ?? expect.fail();
  const grants = Object.entries(known.data.facts.grants as Record<string, { periodEnd?: number }>);
  const older = grants.map(([id, { periodEnd: _, ...grant }]) => [id, grant]);
  const facts = { ...known.data.facts, grants: Object.fromEntries(older) };
  store.documents.set(path, { ...known, data: { ...known.data, facts } });
}

/** On which day after the start the plan is over, when nothing more is heard; and the allowance. */
async function lastDays(): Promise<{ paid: number; allowance: number }> {
  const { record } = await service.state('ada');
  const days = { paid: 0, allowance: 0 };
  expect(record?.paid).toBe(true);
  const isOver = (day: number) => day > Math.max(days.paid, days.allowance) + 10;
  // Each day until it is over, then now and then: it doesn't come back.
  for (let day = 0; day < 400; day += isOver(day) ? 40 : 1) {
    // The instances' clocks are a little off each other.
    now = START + day * DAY + 1000;
    await service.look('ada');
    const looked = await service.state('ada');
    expect(await service.paidClaim('ada')).toBe(looked.record?.paid);
    if (looked.record?.paid === true) days.paid = day + 1;
    if ((looked.record?.creditsAllowance ?? 0) > 0) days.allowance = day + 1;
    const sum = [...looked.ledger.values()].reduce((all, entry) => all + entry.deltaAllowance, 0);
    expect(sum).toBe(looked.record?.creditsAllowance ?? 0);
  }
  expect(record?.entitledUntil).toBe(START + days.paid * DAY);
  return days;
}

describe('when nothing more is heard, a plan is over', () => {
  it('7 days after a period whose renewal or end was lost, and its allowance after 30', async () => {
    await updated({});
    await paid(1900);
    expect(await lastDays()).toEqual({ paid: 37, allowance: 60 });
  });

  it('30 days after what was paid, where the next payment failed; a new period begins no new grace', async () => {
    await updated({});
    await paid(1900);
    await updated({ status: 'past_due', from: 30 });
    await updated({ status: 'past_due', from: 60 });
    expect(await lastDays()).toEqual({ paid: 60, allowance: 60 });
  });

  it('3 days after a trial whose first payment failed: nothing was ever paid', async () => {
    await updated({ status: 'trialing', to: 7 });
    await paid(0, { to: 7 });
    await updated({ status: 'past_due', from: 7 });
    expect(await lastDays()).toMatchObject({ paid: 10 });
  });

  it('3 days into a period of which no invoice is known to be paid', async () => {
    await updated({ status: 'past_due' });
    expect(await lastDays()).toEqual({ paid: 3, allowance: 0 });
  });

  it.each([
    ['void', null, 30],
    ['void', 100, 30],
    ['keep_as_draft', null, 60],
    ['mark_uncollectible', null, 60],
    ['mark_uncollectible', 100, 107],
    ['a_behaviour_of_tomorrow', null, 60],
  ])('paused (%s, to day %j): on day %i, however many periods go by', async (behavior, resumes, until) => {
    const pause = { behavior, resumes_at: resumes === null ? null : seconds(START + resumes * DAY) };
    await updated({});
    await paid(1900);
    await updated({ pause });
    await updated({ from: 30, pause });
    await updated({ from: 60, pause });
    expect(await lastDays()).toEqual({ paid: until, allowance: 60 });
  });

  it.each([
    ['void', { behavior: 'void', resumes_at: null }, 'active', 30],
    ['past_due', null, 'past_due', 60],
  ])('%s, also for facts from before the paid period’s end was kept', async (_what, pause, status, until) => {
    await updated({});
    await paid(1900);
    forgetPeriodEnds();
    for (const from of [30, 60, 90]) await updated({ from, pause, status });
    expect(await lastDays()).toMatchObject({ paid: until });
  });

  it('and what is heard late entitles again', async () => {
    await updated({});
    await paid(1900);
    now = START + 50 * DAY;
    await service.look('ada');
    expect((await service.state('ada')).record).toMatchObject({ paid: false });
    await updated({ from: 30 });
    await paid(1900, { from: 30 });
    expect((await service.state('ada')).record).toMatchObject({
      paid: true,
      creditsAllowance: 1000,
      entitledUntil: START + 67 * DAY,
    });
  });
});
