import { LEGACY_LIFETIME_PLAN } from '@extension-billing/contract/customer';
import { PLAN } from '@extension-billing/contract/test/catalog';
import { DAY, HOUR, SECOND } from '@extension-billing/contract/time';
import fc from 'fast-check';
import type { Action, History, ImportAction } from './action.ts';
import {
  type LifetimeName,
  MODEL_LIFETIMES,
  MODEL_PACKS,
  MODEL_PLANS,
  type PackName,
  type PlanName,
} from './catalog.ts';

const packs = Object.keys(MODEL_PACKS) as readonly PackName[];
const plans = Object.keys(MODEL_PLANS) as readonly PlanName[];
const lifetimes = Object.keys(MODEL_LIFETIMES) as readonly LifetimeName[];

const of = fc.nat(3);
const plan = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<PlanName[]>(PLAN.metered, PLAN.metered, 'writer_large_monthly') },
  { weight: 1, arbitrary: fc.constantFrom(...plans) },
);

function weighted<Kind extends Action['do']>(
  weight: number,
  arbitrary: fc.Arbitrary<Extract<Action, { do: Kind }>>,
) {
  return { weight, arbitrary };
}

const buyPack = fc.record({
  do: fc.constant('buy_pack' as const),
  pack: fc.constantFrom(...packs),
  pay: fc.constantFrom('card', 'card', 'card', 'card', 'promotion', 'delayed', 'delayed_fails'),
}) satisfies fc.Arbitrary<Action>;

const subscribe = fc.record({
  do: fc.constant('subscribe' as const),
  plan,
  start: fc.constantFrom('trial', 'trial', 'paid', 'paid', 'paid', 'incomplete', 'expires'),
  quantity: fc.constantFrom(1, 1, 1, 3),
  addOn: fc.constantFrom(false, false, true),
  currency: fc.constantFrom('usd', 'usd', 'eur'),
  discounted: fc.constantFrom(false, false, false, true),
}) satisfies fc.Arbitrary<Action>;

const importAccount: fc.Arbitrary<ImportAction> = fc.record({
  do: fc.constant('import' as const),
  plan: fc.oneof(
    { weight: 4, arbitrary: plan },
    { weight: 2, arbitrary: fc.constantFrom(LEGACY_LIFETIME_PLAN, null) },
  ),
  trialUsed: fc.boolean(),
  credits: fc.option(
    fc.record({ monthly: fc.constantFrom(0, 20), spent: fc.nat(20), packs: fc.constantFrom(0, 7) }),
    { freq: 4 },
  ),
  takenIds: fc.boolean(),
});

const renew = fc.record({
  do: fc.constant('renew' as const),
  of,
  invoiceDelay: fc.constantFrom(0, 0, SECOND, HOUR),
  extras: fc.constantFrom('none', 'none', 'one_off', 'many'),
}) satisfies fc.Arbitrary<Action>;

const recover = fc.record({ do: fc.constant('recover' as const), of }) satisfies fc.Arbitrary<Action>;

const switchPlan = fc.record({
  do: fc.constant('switch_plan' as const),
  of,
  plan: fc.oneof(plan, fc.constantFrom(...plans)),
  unpaid: fc.constantFrom(false, false, true),
}) satisfies fc.Arbitrary<Action>;

const planChange = fc.record({
  do: fc.constant('plan_change' as const),
  of,
  plan: fc.constantFrom(...plans),
  quantity: fc.constantFrom(1, 1, 2),
}) satisfies fc.Arbitrary<Action>;

const unplan = fc.record({ do: fc.constant('unplan' as const), of }) satisfies fc.Arbitrary<Action>;

const cancel = fc.record({
  do: fc.constant('cancel' as const),
  of,
  how: fc.constantFrom('flag', 'date'),
}) satisfies fc.Arbitrary<Action>;

const action: fc.Arbitrary<Action> = fc.oneof(
  weighted<'buy_pack'>(6, buyPack),
  weighted<'buy_lifetime'>(
    2,
    fc.record({ do: fc.constant('buy_lifetime'), plan: fc.constantFrom(...lifetimes) }),
  ),
  weighted<'refund'>(
    6,
    fc.record({ do: fc.constant('refund'), of, percent: fc.constantFrom(100, 100, 1, 33, 50, 80) }),
  ),
  weighted<'refund_fails'>(3, fc.record({ do: fc.constant('refund_fails'), of })),
  weighted<'dispute'>(
    4,
    fc.record({
      do: fc.constant('dispute'),
      of,
      on: fc.constantFrom('sale', 'invoice'),
      percent: fc.constantFrom(100, 100, 40),
      inquiry: fc.boolean(),
    }),
  ),
  weighted<'escalate'>(6, fc.record({ do: fc.constant('escalate'), of })),
  weighted<'close_dispute'>(5, fc.record({ do: fc.constant('close_dispute'), of, won: fc.boolean() })),
  weighted<'subscribe'>(3, subscribe),
  weighted<'renew'>(8, renew),
  weighted<'renewal_fails'>(2, fc.record({ do: fc.constant('renewal_fails'), of })),
  weighted<'recover'>(5, recover),
  weighted<'give_up'>(
    1,
    fc.record({ do: fc.constant('give_up'), of, to: fc.constantFrom('unpaid', 'canceled') }),
  ),
  weighted<'cancel'>(3, cancel),
  weighted<'uncancel'>(3, fc.record({ do: fc.constant('uncancel'), of })),
  weighted<'waver'>(2, fc.record({ do: fc.constant('waver'), of, times: fc.integer({ min: 1, max: 3 }) })),
  weighted<'end_now'>(2, fc.record({ do: fc.constant('end_now'), of })),
  weighted<'switch_plan'>(4, switchPlan),
  weighted<'plan_change'>(4, planChange),
  weighted<'unplan'>(2, unplan),
  weighted<'switch_period'>(2, fc.record({ do: fc.constant('switch_period'), of, plan })),
  weighted<'end_trial'>(2, fc.record({ do: fc.constant('end_trial'), of })),
  weighted<'pause_collection'>(
    3,
    fc.record({
      do: fc.constant('pause_collection'),
      of,
      behavior: fc.constantFrom('void', 'keep_as_draft', 'mark_uncollectible'),
      days: fc.constantFrom(null, null, 45),
    }),
  ),
  weighted<'resume_collection'>(3, fc.record({ do: fc.constant('resume_collection'), of })),
  weighted<'pause'>(1, fc.record({ do: fc.constant('pause'), of })),
  weighted<'resume'>(3, fc.record({ do: fc.constant('resume'), of })),
  weighted<'delete_customer'>(1, fc.constant({ do: 'delete_customer' })),
  weighted<'noise'>(
    1,
    fc.record({
      do: fc.constant('noise'),
      kind: fc.constantFrom('manual_invoice', 'subscription_refund', 'unknown_type'),
    }),
  ),
);

/** Many things happen within one second or two; the rest an hour or days apart. */
const gap = fc.constantFrom(0, 0, 150, 400, SECOND, SECOND + 300, 2 * SECOND, 3 * SECOND, HOUR, 3 * DAY);

/** What begins a history: anything that is bought, an account from elsewhere, or a subscription that changes. */
export type Opening = 'any' | 'import' | 'changes' | 'disputes' | 'by_hand';

const paidFor = subscribe.map((action): Action => ({ ...action, start: 'paid' }));
const change = fc.oneof<fc.Arbitrary<Action>[]>(
  ...[switchPlan, switchPlan, switchPlan, planChange, planChange, unplan, renew, recover, cancel],
);

/** A plan that is changed at once and soon, some of it to another interval, and what was paid for that is taken back. */
const begun = subscribe.map((action): Action => ({ ...action, discounted: false }));
const metered = fc.constantFrom<PlanName[]>(PLAN.metered, 'writer_large_monthly', PLAN.yearly);
const upgrade = fc.oneof<fc.Arbitrary<Action>[]>(
  fc.record({ do: fc.constant('switch_plan' as const), of: fc.constant(0), plan: metered }),
  fc.record({ do: fc.constant('switch_period' as const), of: fc.constant(0), plan: metered }),
  fc.record({ do: fc.constant('end_trial' as const), of: fc.constant(0) }),
);
const dispute = fc.record({
  do: fc.constant('dispute' as const),
  of: fc.nat(2),
  on: fc.constant('invoice' as const),
  percent: fc.constantFrom(100, 100, 40),
});
const disputed = fc.oneof<fc.Arbitrary<Action>[]>(
  ...[upgrade, dispute, dispute, renew],
  fc.record({ do: fc.constant('close_dispute' as const), of, won: fc.boolean() }),
);

const given = fc
  .record({
    do: fc.constant('grant' as const),
    credits: fc.constantFrom(0, 7, 13),
    tier: fc.constantFrom('none', 'none', 'paid', 'basic', 'pro'),
    days: fc.constantFrom(1, 10, 60),
  })
  .map(
    (grant): Extract<Action, { do: 'grant' }> =>
      grant.tier === 'none' && grant.credits === 0 ? { ...grant, credits: 5 } : grant,
  );
const byHand = fc.oneof<fc.Arbitrary<Action>[]>(
  given,
  given,
  fc.record({ do: fc.constant('revoke' as const), of }),
  fc.record({ do: fc.constant('revoke' as const), of }),
  buyPack,
  fc.record({ do: fc.constant('refund' as const), of, percent: fc.constantFrom(100, 50) }),
);

/** What a customer lived through at the provider. It starts with something bought, here or elsewhere. */
export function anyHistory(maxLength = 16, opening: Opening = 'any'): fc.Arbitrary<History> {
  const openings: Readonly<Record<Opening, fc.Arbitrary<Action>>> = {
    any: fc.oneof<fc.Arbitrary<Action>[]>(subscribe, buyPack, importAccount),
    import: importAccount,
    changes: paidFor,
    disputes: begun,
    by_hand: given,
  };
  const steps = (each: fc.Arbitrary<Action>, length: number, least = 0) =>
    fc.array(fc.record({ gap, action: each }), { minLength: least, maxLength: length, size: 'max' });
  const closely = (each: fc.Arbitrary<Action>, length: number) =>
    fc.array(fc.record({ gap: fc.constantFrom(0, 0, 150, SECOND), action: each }), {
      ...{ minLength: 1, maxLength: length, size: 'max' },
    });
  const first = fc.record({ gap: fc.constant(0), action: openings[opening] });
  const soonest: Partial<Record<Opening, fc.Arbitrary<History>>> = {
    changes: steps(change, 5, 2),
    disputes: fc
      .tuple(closely(upgrade, 3), closely(disputed, 4))
      .map(([changed, takenBack]) => [...changed, ...takenBack]),
    by_hand: steps(byHand, 7, 2),
  };
  const changes = soonest[opening] ?? fc.constant([]);
  const rest = steps(action, opening === 'disputes' ? 3 : maxLength - 1);
  return fc.tuple(first, changes, rest).map(([begins, soon, later]) => [begins, ...soon, ...later]);
}
