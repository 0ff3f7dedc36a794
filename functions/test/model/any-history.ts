import { LEGACY_LIFETIME_PLAN } from '@extension-billing/contract/customer';
import { PLAN } from '@extension-billing/contract/test/catalog';
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

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

const packs = Object.keys(MODEL_PACKS) as readonly PackName[];
const plans = Object.keys(MODEL_PLANS) as readonly PlanName[];
const lifetimes = Object.keys(MODEL_LIFETIMES) as readonly LifetimeName[];

const of = fc.nat(3);
const plan = fc.oneof(
  { weight: 3, arbitrary: fc.constant<PlanName>(PLAN.metered) },
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
  weighted<'renew'>(
    8,
    fc.record({
      do: fc.constant('renew'),
      of,
      invoiceDelay: fc.constantFrom(0, 0, SECOND, HOUR),
      extras: fc.constantFrom('none', 'none', 'one_off', 'many'),
    }),
  ),
  weighted<'renewal_fails'>(2, fc.record({ do: fc.constant('renewal_fails'), of })),
  weighted<'recover'>(5, fc.record({ do: fc.constant('recover'), of })),
  weighted<'give_up'>(
    1,
    fc.record({ do: fc.constant('give_up'), of, to: fc.constantFrom('unpaid', 'canceled') }),
  ),
  weighted<'cancel'>(3, fc.record({ do: fc.constant('cancel'), of, how: fc.constantFrom('flag', 'date') })),
  weighted<'uncancel'>(3, fc.record({ do: fc.constant('uncancel'), of })),
  weighted<'waver'>(2, fc.record({ do: fc.constant('waver'), of, times: fc.integer({ min: 1, max: 3 }) })),
  weighted<'end_now'>(2, fc.record({ do: fc.constant('end_now'), of })),
  weighted<'switch_plan'>(
    4,
    fc.record({
      do: fc.constant('switch_plan'),
      of,
      plan: fc.constantFrom(...plans),
      unpaid: fc.constantFrom(false, false, true),
    }),
  ),
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

/**
 * What a customer lived through at the provider. It starts with something bought, here or elsewhere.
 *
 * @param opening what it starts with
 */
export function anyHistory(maxLength = 16, opening: 'any' | 'import' = 'any'): fc.Arbitrary<History> {
  const first = fc.record({
    gap: fc.constant(0),
    action:
      opening === 'import'
        ? importAccount
        : fc.oneof<fc.Arbitrary<Action>[]>(subscribe, buyPack, importAccount),
  });
  const rest = fc.array(fc.record({ gap, action }), { maxLength: maxLength - 1, size: 'max' });
  return fc.tuple(first, rest).map(([begins, others]) => [begins, ...others]);
}
