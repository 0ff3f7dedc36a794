import { PLAN } from '@extension-billing/contract/test/catalog';
import type { Action } from './action.ts';
import { FEATURES } from './features.ts';
import { playHistory } from './play-history.ts';
import type { Change, ProviderModel } from './provider-model.ts';

/** What a handler is doing when it dies. */
export interface CrashScenario {
  readonly name: string;
  readonly actions: readonly Action[];
  /** Deliveries before this one are done well; null: a request of the credits is what dies. */
  readonly dies: string | null;
  /** Which request; a consume by default. What is confirmed was reserved before. */
  readonly asks?: 'consume' | 'reserve' | 'confirm';
  /** Consumes that are done well, before the last one. */
  readonly consumes: number;
}

const buySmall: Action = { do: 'buy_pack', pack: 'small', pay: 'card' };
const subscribe: Action = { do: 'subscribe', plan: PLAN.metered, start: 'paid' };

export const CRASH_SCENARIOS: readonly CrashScenario[] = [
  { name: 'pack bought', actions: [buySmall], dies: 'checkout.session.completed', consumes: 0 },
  {
    name: 'trial starts',
    actions: [{ ...subscribe, start: 'trial' }],
    dies: 'customer.subscription.created',
    consumes: 0,
  },
  { name: 'allowance paid', actions: [subscribe], dies: 'invoice.paid', consumes: 0 },
  {
    name: 'pack refunded',
    actions: [buySmall, { do: 'refund', of: 0, percent: 50 }],
    dies: 'charge.refunded',
    consumes: 1,
  },
  {
    name: 'subscription ends',
    actions: [subscribe, { do: 'end_now', of: 0 }],
    dies: 'customer.subscription.deleted',
    consumes: 1,
  },
  {
    name: 'order unclear',
    actions: [subscribe, { do: 'cancel', of: 0, how: 'date' }],
    dies: 'customer.subscription.updated',
    consumes: 0,
  },
  { name: 'consume', actions: [buySmall], dies: null, consumes: 1 },
  { name: 'consume refused', actions: [buySmall], dies: null, consumes: 2 },
  { name: 'reserve', actions: [buySmall], dies: null, asks: 'reserve', consumes: 1 },
  { name: 'confirm', actions: [buySmall], dies: null, asks: 'confirm', consumes: 1 },
];

/** The last delivery of a scenario, and everything before it. */
export interface Played {
  readonly asks: NonNullable<CrashScenario['asks']>;
  readonly provider: ProviderModel;
  readonly before: readonly Change[];
  readonly last: Change | null;
}

export function playScenario({ actions, dies, asks = 'consume' }: CrashScenario, uid: string): Played {
  const provider = playHistory(
    uid,
    actions.map((action) => ({ gap: 0, action })),
  );
  if (dies === null) return { asks, provider, before: provider.changes, last: null };
  const at = provider.changes.findLastIndex(({ event }) => event.type === dies);
  const last = provider.changes[at];
  if (last === undefined) throw new Error(`the scenario has no ${dies}`);
  return { asks, provider, before: provider.changes.slice(0, at), last };
}

/** The dearest feature: a small pack pays for it twice. */
export const FEATURE = FEATURES[1];
