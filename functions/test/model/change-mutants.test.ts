import { describe, expect, it } from 'vitest';
import { expectCaught, failureOf, type Start } from './caught.ts';
import { firstFailure } from './known-failures.ts';
import { type Mutation, mutatedService } from './mutate.ts';
import { failureOfRaces } from './races.ts';

/** Wrong rules of changes of plan and of what renews, each in the place of the right one (as in mutants.test.ts). */

const DERIVE = 'functions/src/events/derive.ts';
const DISPUTES = 'functions/src/events/disputes.ts';
const FACTS = 'functions/src/events/facts.ts';
const ENTITLEMENT = 'functions/src/events/entitlement.ts';
const SUBSCRIPTION = 'functions/src/events/subscription.ts';
const RENEWAL = 'functions/src/stripe/renewal.ts';
const SCHEDULES = 'functions/src/stripe/schedules.ts';

const MUTANTS: readonly [name: string, ...mutations: Mutation[]][] = [
  [
    'a dearer plan that stays although its payment is disputed',
    {
      file: ENTITLEMENT,
      right: 'return undone !== null && isUndone(undone) ? undone.before : state;',
      wrong: 'return state;',
    },
  ],
  [
    'a disputed change that takes from the periods after it',
    { file: DISPUTES, right: 'upgrade?.until === until;', wrong: 'upgrade !== undefined;' },
  ],
  [
    'a cheaper plan that lowers what is paid for',
    { file: DERIVE, right: 'isDearer(plan, grant),', wrong: 'true,' },
  ],
  [
    'a plan’s credits by its newest snapshot alone',
    {
      file: FACTS,
      right: '(isDearer(each, most) ? each : most), brings);',
      wrong: '(isDearer(each, most) ? most : most), brings);',
    },
  ],
  [
    'a raise that is forgotten with the next period',
    { file: FACTS, right: 'const KEPT_CREDITS = 4;', wrong: 'const KEPT_CREDITS = 1;' },
  ],
  [
    'snapshots that differ in what renews, taken for the same',
    { file: SUBSCRIPTION, right: 'entitlements, ...renewal];', wrong: 'entitlements];' },
  ],
  [
    'a plan that is set to end, and renews',
    { file: ENTITLEMENT, right: '&& !cancel && (pause', wrong: '&& (pause' },
  ],
  [
    'a paused collection that bills',
    { file: ENTITLEMENT, right: '!cancel && (pause ?? null) === null;', wrong: '!cancel;' },
  ],
  [
    'what was never paid, and renews',
    { file: ENTITLEMENT, right: 'const isBilled = isEntitling(status) && ', wrong: 'const isBilled = ' },
  ],
  [
    'a renewal at what is paid now, where another plan follows',
    { file: RENEWAL, right: 'isPlanned || isDiscounted(discounts)', wrong: 'isDiscounted(discounts)' },
  ],
  [
    'a renewal without its discount',
    { file: RENEWAL, right: 'isPlanned || isDiscounted(discounts)', wrong: 'isPlanned' },
  ],
  [
    'a renewal of one, where three are billed',
    { file: RENEWAL, right: 'amount += unit * quantity;', wrong: 'amount += unit;' },
  ],
  [
    'a renewal of the plan alone, whatever is billed beside it',
    {
      file: RENEWAL,
      right: 'for (const item of rowsOf(subscription.items)) {',
      wrong: 'for (const item of rowsOf(subscription.items).filter((one) => one === service)) {',
    },
  ],
  [
    'items of other intervals in one renewal',
    {
      file: RENEWAL,
      right: 'isOther || isDiscounted(item.discounts)',
      wrong: 'isDiscounted(item.discounts)',
    },
  ],
  [
    'a renewal in the price’s own currency',
    { file: RENEWAL, right: 'if (price.currency === currency) return', wrong: 'return' },
  ],
  [
    'what was charged for the plan before, as the renewal of this one',
    { file: RENEWAL, right: 'priceId === price.id && charged', wrong: 'charged' },
  ],
  [
    'a further currency that only the sale knows',
    { file: RENEWAL, right: 'readMetadata(price.metadata).prices?.[currency] ?? null', wrong: 'null' },
  ],
  [
    'a change of number, shown as a change of plan',
    { file: SCHEDULES, right: "!running.includes(idOf(price) ?? '')", wrong: 'idOf(price) !== null' },
  ],
  [
    'a change that is over, and still shown',
    { file: ENTITLEMENT, right: '|| change.plan === lookupKey) return null', wrong: ') return null' },
    {
      file: ENTITLEMENT,
      right: 'change.at <= periodStart ? null : change',
      wrong: 'change.at < 0 ? null : change',
    },
  ],
  [
    'the first answer for good',
    { file: FACTS, right: 'before !== undefined && before.ticket >= ticket', wrong: 'before !== undefined' },
  ],
];

const STARTS: readonly Start[] = [
  ['changes', 3],
  ['changes', 6],
  ['changes', 4],
  ['changes', 9],
  ['changes', 1],
  ['any', 2],
  ['any', 7],
  ['any', 8],
];

describe('the model test catches', { timeout: 120_000 }, () => {
  it.each(MUTANTS)('%s', async (name, ...mutations) => {
    expectCaught(name, await failureOf(mutations, STARTS));
  });

  it('the answer to an earlier question, in the place of a later one', async () => {
    const right = 'before !== undefined && before.ticket >= ticket';
    const service = await mutatedService([
      { file: FACTS, right, wrong: 'before === undefined && ticket < 0' },
    ]);
    const failure = await firstFailure([{ seed: 7, histories: 2_000 }], (look) =>
      failureOfRaces(service, look, 'its plan'),
    );
    expect(failure).toContain('plannedChange is');
  });
});
