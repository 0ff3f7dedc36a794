import { PLAN } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import type { Action } from './action.ts';
import type { Arrival } from './delivery.ts';
import { ModelStripe } from './model-stripe.ts';
import { mutatedService } from './mutate.ts';
import { playHistory } from './play-history.ts';
import type { Change } from './provider-model.ts';
import { runJourney } from './run-journey.ts';

const memoryService = await mutatedService([]);

/** Plays the actions at once, sends their events in the given order, and holds every step to the oracle. */
async function endsRight(
  actions: readonly Action[],
  reorder: (changes: readonly Change[]) => readonly Change[] = (changes) => changes,
  ahead: 'of all' | 'of none' = 'of all',
) {
  const provider = playHistory(
    'ada',
    actions.map((action) => ({ gap: 0, action })),
  );
  const stripe = new ModelStripe();
  const service = memoryService(stripe);
  const arrivals = reorder(provider.changes).map((change): Arrival => {
    const present = ahead === 'of all' ? provider.changes.length - 1 : change.seq;
    return { kind: 'event', change, event: change.event, present };
  });
  await runJourney(service, stripe, provider, arrivals);
  return (await service.state(provider.uid)).record;
}

/** Stamps the event of this type a second late, as a busy machine would. */
const stampLate = (type: string, nth: number) => (changes: readonly Change[]) => {
  const late = changes.filter(({ event }) => event.type === type)[nth];
  return changes.map((change) =>
    change === late ? { ...change, event: { ...change.event, created: change.event.created + 1 } } : change,
  );
};

const metered: Action = { do: 'subscribe', plan: PLAN.metered, start: 'paid' };
const plain: Action = { do: 'subscribe', plan: PLAN.monthly, start: 'paid' };
const renew: Action = { do: 'renew', of: 0, invoiceDelay: 0 };
const toPlain: Action = { do: 'switch_plan', of: 0, plan: PLAN.monthly };
const buySmall: Action = { do: 'buy_pack', pack: 'small', pay: 'card' };

describe('what the model test found, smallest case of each', () => {
  it('an allowance ends with the renewal on a plan that has none: nothing rolls over', async () => {
    expect(await endsRight([metered, toPlain, renew])).toMatchObject({ creditsAllowance: 0 });
  });

  it('another subscription’s invoice without credits leaves a metered plan’s allowance alone', async () => {
    expect(await endsRight([metered, plain])).toMatchObject({ creditsAllowance: 20 });
  });

  it('an account that had credits uses them, whichever invoice arrives first', async () => {
    const newestFirst = (changes: readonly Change[]) => [...changes].reverse();
    expect(await endsRight([metered, toPlain, renew], newestFirst)).toMatchObject({ creditsAllowance: 0 });
  });

  it('an entitlement that is owned for good has no bound any more, whatever bound it had before', async () => {
    const small: Action = { do: 'buy_lifetime', plan: 'reader_small_for_good' };
    const record = await endsRight([metered, small]);
    expect(record?.entitlementsUntil).toEqual([['pro', expect.any(Number)]]);
  });

  it('of two lifetime plans the one whose payment is stamped later is shown, and both entitle', async () => {
    const large: Action = { do: 'buy_lifetime', plan: PLAN.lifetime };
    const small: Action = { do: 'buy_lifetime', plan: 'reader_small_for_good' };
    const [owned, latest] = [{ entitlements: ['basic', 'pro'] }, stampLate('checkout.session.completed', 0)];
    expect(await endsRight([large, small], latest)).toMatchObject({ plan: large.plan, ...owned });
    expect(await endsRight([small, large], latest)).toMatchObject({ plan: small.plan, ...owned });
  });

  it('of two lifetime plans of one second the same is shown, in whatever order they are told', async () => {
    const both: Action[] = [
      { do: 'buy_lifetime', plan: PLAN.lifetime },
      { do: 'buy_lifetime', plan: 'reader_small_for_good' },
    ];
    const newestFirst = (changes: readonly Change[]) => [...changes].reverse();
    const [one, other] = [await endsRight(both), await endsRight(both, newestFirst)];
    expect(one?.plan).toBe(other?.plan);
    expect(one?.entitlements).toEqual(['basic', 'pro']);
    expect(other?.entitlements).toEqual(['basic', 'pro']);
  });

  it('a change is not shown of what is set to end, though it is heard later that its schedule let go', async () => {
    const planned: Action = { do: 'plan_change', of: 0, plan: PLAN.monthly, quantity: 1 };
    const unplan: Action = { do: 'unplan', of: 0 };
    const cancel: Action = { do: 'cancel', of: 0, how: 'date' };
    const releasedLast = (changes: readonly Change[]) =>
      changes.toSorted((a, b) => Number(isRelease(a)) - Number(isRelease(b)));
    const isRelease = ({ event }: Change) => event.type === 'subscription_schedule.released';
    const record = await endsRight([metered, planned, unplan, cancel], releasedLast, 'of none');
    expect(record).toMatchObject({ cancelAtPeriodEnd: true, plannedChange: null, renewal: null });
  });

  it('two refunds within a second claw back what both gave back, though the later is stamped first', async () => {
    const refunds: Action[] = [
      { do: 'refund', of: 0, percent: 33 },
      { do: 'refund', of: 0, percent: 100 },
    ];
    const record = await endsRight([buySmall, ...refunds], stampLate('charge.refunded', 0));
    expect(record).toMatchObject({ packCreditsRemaining: 0 });
  });
});

describe('a hold of an account that was deleted', () => {
  it.each([
    ['release', 'release', 0],
    ['confirm', 'confirm', 5],
    ['settle', 'confirm', 3],
  ] as const)('ends by a %s, and takes nothing', async (as, outcome, shortfall) => {
    const provider = playHistory('ada', [{ gap: 0, action: buySmall }]);
    const stripe = new ModelStripe();
    const service = memoryService(stripe);
    stripe.at(provider, provider.changes.length - 1);
    for (const { event } of provider.changes) await service.deliver(event);
    const job = { key: 'job', feature: 'demo_deep', cost: 5, lifetime: 60_500, by: 'service' } as const;
    await service.reserve('ada', job);
    await service.close('ada');
    const end = { reservation: 'job', as, by: 'service', used: { amount: 3 } } as const;
    expect(await service.settle('ada', end)).toMatchObject({ outcome, replayed: false, balance: 0 });
    expect(await service.settle('ada', end)).toMatchObject({ outcome, replayed: true, balance: 0 });
    const { record, ledger } = await service.state('ada');
    expect(record).toMatchObject({ creditsRemaining: 0, packCreditsRemaining: 0, holds: new Map() });
    expect(ledger.get('settle_job')).toMatchObject({ deltaPack: 0, shortfall: shortfall || undefined });
  });
});
