import { PLAN } from '@extension-billing/contract/test/catalog';
import { DAY } from '@extension-billing/contract/time';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Action, History } from './action.ts';
import { ModelStripe } from './model-stripe.ts';
import { mutatedService } from './mutate.ts';
import { playHistory } from './play-history.ts';
import type { Change, ProviderModel } from './provider-model.ts';
import { failureOfRaces } from './races.ts';
import type { DelayableService } from './service.ts';

const memoryService = await mutatedService([]);
const subscribe: Action = { do: 'subscribe', plan: PLAN.metered, start: 'paid' };
const cancel: Action = { do: 'cancel', of: 0, how: 'date' };
const uncancel: Action = { do: 'uncancel', of: 0 };
const afterwards = (action: Action, gap: number) => ({ gap, action });

let stripe: ModelStripe;
let service: DelayableService;
let provider: ProviderModel;

function given(history: History): void {
  provider = playHistory('ada', history);
  stripe = new ModelStripe();
  service = memoryService(stripe);
}

/** Delivers the changes in this order, with the provider's present at the end of the history. */
async function deliver(changes: readonly (Change | undefined)[]): Promise<string[]> {
  stripe.at(provider, provider.changes.length - 1);
  const outcomes: string[] = [];
  for (const change of changes) if (change !== undefined) outcomes.push(await service.deliver(change.event));
  return outcomes;
}

const stored = async () =>
  JSON.stringify([(await service.state('ada')).record, [...(await service.state('ada')).ledger]]);

/** The subscription's updates: became active, cancelled, and whatever follows. */
const updates = () => provider.changes.filter(({ event }) => event.type === 'customer.subscription.updated');

describe('two snapshots of one second', () => {
  beforeEach(async () => {
    given([afterwards(subscribe, 0), afterwards(cancel, 0)]);
    await deliver(provider.changes.filter((change) => change !== updates()[1]));
  });

  it('are settled by the provider', async () => {
    expect(await deliver([updates()[1]])).toEqual(['applied']);
    expect((await service.state('ada')).record).toMatchObject({ cancelAtPeriodEnd: true });
    expect(stripe.gets).toHaveLength(1);
  });

  it('come again, and nothing of them is written, while the provider fails', async () => {
    const before = await stored();
    stripe.mood = 'failing';
    expect(await deliver([updates()[1], updates()[1]])).toEqual(['retry', 'retry']);
    expect(await stored()).toBe(before);
    expect(await service.isMarked(updates()[1]?.event.id ?? '')).toBe(false);

    stripe.mood = 'well';
    expect(await deliver([updates()[1]])).toEqual(['applied']);
    expect((await service.state('ada')).record).toMatchObject({ cancelAtPeriodEnd: true });
  });

  it('come again, and nothing of them is written, while the provider answers a state older than both', async () => {
    const before = await stored();
    stripe.mood = 'older';
    expect(await deliver([updates()[1]])).toEqual(['retry']);
    expect(await stored()).toBe(before);

    stripe.mood = 'well';
    expect(await deliver([updates()[1]])).toEqual(['applied']);
    expect((await service.state('ada')).record).toMatchObject({ cancelAtPeriodEnd: true });
  });
});

describe('two snapshots that are stamped one second apart', () => {
  it.each([
    ['the earlier one is known', [0, 1]],
    ['the later one is known', [1, 0]],
  ] as const)('come again while a provider that lags answers the earlier one: %s', async (_which, order) => {
    given([afterwards(subscribe, 0), afterwards(cancel, 1000)]);
    const [earlier, later] = updates();
    let now = (later?.at ?? 0) + 2000;
    service = memoryService(stripe, undefined, () => now);
    const [first, last] = order.map((index) => updates()[index]);
    const others = provider.changes.filter(({ event }) => event.type !== 'customer.subscription.updated');
    await deliver([...others, first]);

    const before = await stored();
    stripe.at(provider, earlier?.seq ?? 0);
    expect(last && (await service.deliver(last.event))).toBe('retry');
    expect(await stored()).toBe(before);

    now += 120_000;
    expect(await deliver([last])).toEqual(['applied']);
    expect((await service.state('ada')).record).toMatchObject({ cancelAtPeriodEnd: true });
  });

  it('are believed of a provider that still says the earlier one after a minute: it was taken back', async () => {
    given([afterwards(subscribe, 0), afterwards(cancel, 1000), afterwards(uncancel, 0)]);
    service = memoryService(stripe, undefined, () => (updates()[1]?.at ?? 0) + 120_000);
    expect(await deliver(provider.changes.slice(0, -1))).not.toContain('retry');
    expect((await service.state('ada')).record).toMatchObject({ cancelAtPeriodEnd: false });
  });
});

describe('answers that are late', () => {
  it('lose to the answer of a question that was put later', async () => {
    given([afterwards(subscribe, 0), afterwards(cancel, 0), afterwards(uncancel, 0), afterwards(cancel, 0)]);
    const [, first, second] = updates();
    await deliver(provider.changes.filter(({ event }) => event.type !== 'customer.subscription.updated'));
    await deliver([updates()[0]]);

    // The first question is answered as things were, and its answer waits until everything else is done.
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    stripe.mood = 'slow';
    stripe.wait = () => released;
    stripe.at(provider, first?.seq ?? 0);
    const slow = first === undefined ? null : service.deliver(first.event);
    await vi.waitFor(() => expect(stripe.gets).toHaveLength(1));

    stripe.wait = async () => {};
    stripe.at(provider, second?.seq ?? 0);
    expect(second && (await service.deliver(second.event))).toBe('applied');
    release();
    expect(await slow).toBe('applied');
    expect((await service.state('ada')).record).toMatchObject({ cancelAtPeriodEnd: false });
  });
});

describe('handlers that overlap while a subscription is cancelled and taken back', () => {
  it('end as the truth says, however long the answers of the provider are on their way', async () => {
    const seed = Date.now() % 0x7fffffff;
    expect(await failureOfRaces(memoryService, { histories: 150, seed })).toBeNull();
  });
});

describe('what a purchase costs in calls to the provider', () => {
  const purchases: Readonly<Record<string, History>> = {
    'a pack': [afterwards({ do: 'buy_pack', pack: 'small', pay: 'card' }, 0)],
    'a plan that is paid at once': [afterwards(subscribe, 0)],
    'a trial': [afterwards({ ...subscribe, start: 'trial' }, 0)],
    'a lifetime plan': [afterwards({ do: 'buy_lifetime' }, 0)],
    'a renewal': [afterwards(subscribe, 0), afterwards({ do: 'renew', of: 0, invoiceDelay: 0 }, 0)],
    'a cancellation on another day': [afterwards(subscribe, 0), afterwards(cancel, DAY)],
    'a refund': [
      afterwards({ do: 'buy_pack', pack: 'small', pay: 'card' }, 0),
      afterwards({ do: 'refund', of: 0, percent: 100 }, DAY),
    ],
  };

  it.each(Object.entries(purchases))('%s asks it nothing', async (_name, history) => {
    given(history);
    const outcomes = await deliver(provider.changes);
    expect(new Set(outcomes)).toEqual(new Set(['applied']));
    await deliver([...provider.changes].reverse());
    expect(stripe.gets).toEqual([]);
  });

  it.each(Object.entries(purchases))(
    '%s asks it nothing when its events arrive in reverse',
    async (_name, history) => {
      given(history);
      await deliver([...provider.changes].reverse());
      expect(stripe.gets).toEqual([]);
    },
  );
});
