import { DAY, HOUR } from '@extension-billing/contract/time';
import fc from 'fast-check';
import type { Fact } from '../../src/stripe/facts.ts';
import {
  anyBought,
  type Bought,
  everBy,
  factsOf,
  freshAt,
  mostAt,
  periodIn,
  SKEW,
} from './clock-purchases.ts';
import { type Look, play } from './play.ts';
import type { purchaseService } from './purchase-service.ts';

interface Case {
  readonly bought: Bought;
  /** By fact: how late it comes, and whether it comes again later. */
  readonly travels: readonly { readonly late: number; readonly again: number | null }[];
  /** What is spent, so long after the start: a cost, or all that is there. */
  readonly spends: readonly { readonly after: number; readonly cost: number | 'all' }[];
  /** All that is there is spent, so long after a fact was heard. */
  readonly drains: readonly { readonly of: number; readonly after: number }[];
}

const anyCase: fc.Arbitrary<Case> = fc.record({
  drains: fc.array(fc.record({ of: fc.nat(14), after: fc.constantFrom(HOUR, 2 * HOUR, 2 * DAY) }), {
    maxLength: 8,
    size: 'max',
  }),
  bought: anyBought,
  travels: fc.array(
    fc.record({
      late: fc.constantFrom(0, 0, 0, 2_000, HOUR, 12 * DAY),
      again: fc.constantFrom(null, null, HOUR, 40 * DAY),
    }),
    { minLength: 14, maxLength: 14, size: 'max' },
  ),
  // Where nothing is spent, all has to be there.
  spends: fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    {
      weight: 3,
      arbitrary: fc.array(
        fc.record({
          after: fc.nat(500 * DAY),
          cost: fc.constantFrom<(number | 'all')[]>('all', 'all', 1, 5, 30),
        }),
        { maxLength: 25, size: 'max' },
      ),
    },
  ),
});

type Moment = { readonly at: number } & (
  | { readonly do: 'hear'; readonly id: string; readonly fact: Fact }
  | { readonly do: 'spend'; readonly cost: number | 'all' }
);

function momentsOf({ bought, travels, spends, drains }: Case): readonly Moment[] {
  const told = factsOf(bought).flatMap((fact, index): Moment[] => {
    const { late, again } = travels[index % travels.length] ?? { late: 0, again: null };
    const first = { do: 'hear', id: `evt_${index}`, fact, at: fact.at + late } as const;
    return again === null ? [first] : [first, { ...first, at: first.at + again }];
  });
  const spent = spends.map(({ after, cost }): Moment => ({ do: 'spend', cost, at: bought.start + after }));
  const drained = (spends.length === 0 ? [] : drains).flatMap(({ of, after }): Moment[] => {
    const heard = told[of % Math.max(1, told.length)];
    return heard === undefined ? [] : [{ do: 'spend', cost: 'all', at: heard.at + after }];
  });
  return [...told, ...spent, ...drained].sort((a, b) => a.at - b.at);
}

/** Plays what people buy, told in any order, with spends between; the first failure in words, or null. */
export async function checkPurchases(makeService: typeof purchaseService, run: Look): Promise<string | null> {
  const property = fc.asyncProperty(anyCase, (each) => playCase(makeService(), each));
  return play('purchases', property, run, (found) => [
    JSON.stringify(found.bought, null, 1),
    ...momentsOf(found).map((moment) => `  ${iso(moment.at)} ${JSON.stringify(moment)}`),
  ]);
}

async function playCase(service: ReturnType<typeof purchaseService>, played: Case): Promise<void> {
  const { bought } = played;
  const moments = momentsOf(played);
  const untold = new Map(
    moments.flatMap((moment) => (moment.do === 'hear' ? [[moment.id, moment.fact] as const] : [])),
  );
  let spent = 0;
  const spentIn = new Map<number, number>();
  for (const moment of moments) {
    const { at } = moment;
    if (moment.do === 'hear') {
      const outcome = await service.hear(moment.id, moment.fact, at);
      if (outcome !== 'applied' && outcome !== 'duplicate') throw new Error(`${moment.id} is ${outcome}`);
      untold.delete(moment.id);
    } else {
      const cost = moment.cost === 'all' ? totalOf(service.look(at).has(at)) : moment.cost;
      if (cost > 0 && (await service.spend(cost, at))) {
        spent += cost;
        const period = periodIn(bought, at);
        // Until a payment is heard of, the rest of the period before it may be spent.
        const isHeard = ![...untold.values()].some(
          (fact) => fact.kind === 'allowance_paid' && fact.periodStart <= at,
        );
        if (period !== null && isHeard) {
          const all = (spentIn.get(period.index) ?? 0) + cost;
          spentIn.set(period.index, all);
          if (all > period.most)
            throw new Error(`by ${iso(at)} ${all} are spent of ${period.most} in a period`);
        }
      }
    }
    const { faults, updatedAt, has } = service.look(at);
    if (faults.length > 0) throw new Error(`at ${iso(at)}: ${faults.join('; ')}`);
    const ever = everBy(bought, at);
    if (spent > ever) throw new Error(`at ${iso(at)} ${spent} are spent of ${ever} that there ever were`);
    const whole = freshAt(bought, Math.max(at, updatedAt), 'none');
    const there = has(Math.max(at, updatedAt))?.allowance ?? 0;
    if (untold.size === 0 && spent === 0 && there < whole)
      throw new Error(`at ${iso(at)} there are ${there} of ${whole}, and nothing was spent`);
    for (const later of [0, DAY, 33 * DAY, 400 * DAY]) {
      const now = Math.max(at, updatedAt) + later;
      const { allowance, packs } = has(now) ?? { allowance: 0, packs: 0 };
      const most = mostAt(bought, now);
      if (allowance > most.allowance || packs > most.packs) {
        throw new Error(
          `at ${iso(now)} there are ${allowance} and ${packs}, of ${JSON.stringify(most)} at most`,
        );
      }
    }
  }
  // Every period is a month at most, so all that go on have begun a new one since.
  const end = Math.max(bought.start, ...moments.map(({ at }) => at)) + 32 * DAY + SKEW;
  const { allowance = 0 } = service.look(end).has(end) ?? {};
  const [least, most] = [freshAt(bought, end, 'none'), freshAt(bought, end, 'all')];
  const isPaid = bought.subscription !== null && least > 0;
  // What ended may still be in its grace.
  if (allowance < least || (isPaid && allowance > most)) {
    throw new Error(`in the end there are ${allowance} of the allowance, of ${least} to ${most}`);
  }
}

function totalOf(credits: { readonly allowance: number; readonly packs: number } | null): number {
  return credits === null ? 0 : credits.allowance + credits.packs;
}

const iso = (at: number): string => new Date(at).toISOString();
