import { NOBODY, NOTHING } from '@extension-billing/contract/days';
import { sumOf } from '@extension-billing/contract/ledger';
import { PLAN } from '@extension-billing/contract/test/catalog';
import { DAY } from '@extension-billing/contract/time';
import { LEDGER_KINDS } from '@extension-billing/contract/usage';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_FACTS, UNKNOWN_PURCHASE } from '../../../../functions/src/events/facts.ts';
import { DaySums, StandingSum } from '../../../../functions/src/report/day-sums.ts';
import { add, netOf, type ReportedEntry } from '../../../../functions/src/report/figures.ts';
import { figuresOfFacts } from '../../../../functions/src/report/sales.ts';
import { PureAccount } from '../../../../functions/test/fixtures/account.ts';
import { type Report, reportOf as reportOfSums } from './read-report.ts';
import { renderPage } from './render-page.ts';
import { renderTerminal } from './render-terminal.ts';

const FROM = Date.parse('2026-11-01');
const RANGE = { from: FROM, to: FROM + 10 * DAY };

function anEntry(over: Partial<ReportedEntry>): ReportedEntry {
  return {
    ...{ kind: 'consume', feature: null, cost: 0, outcome: null, allowance: 0, createdAt: FROM },
    ...{ deltaAllowance: 0, deltaPack: 0, granted: 0, byHand: false },
    ...over,
  } as ReportedEntry;
}

function reportOf(entries: readonly ReportedEntry[]): Report {
  const sums = new DaySums();
  for (const entry of entries) sums.countEntry(entry);
  const read = { summarized: 9, live: ['2026-11-10'], leftOut: [] };
  return reportOfSums(RANGE, sums, { standing: NOBODY, asOf: FROM, read });
}

const KINDS = [...LEDGER_KINDS, 'a kind of tomorrow'] as ReportedEntry['kind'][];

const anyDelta = fc.integer({ min: -2_000, max: 2_000 });
const anyEntry = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    feature: fc.constantFrom(null, 'demo', 'demo_deep', '__proto__', 'constructor'),
    cost: fc.nat(50),
    granted: fc.nat(2_000),
    byHand: fc.boolean(),
    deltaAllowance: anyDelta,
    deltaPack: anyDelta,
    allowance: fc.nat(5_000),
    createdAt: fc.integer({ min: RANGE.from - 2 * DAY, max: RANGE.to + 2 * DAY }),
    outcome: fc.constantFrom('granted', 'exhausted', null),
  })
  .map((entry): ReportedEntry => {
    // What the ledger guarantees: a refusal, a hold and its end without a confirm move nothing.
    const moves = !['reserve', 'release', 'expiry'].includes(entry.kind) && entry.outcome !== 'exhausted';
    return moves ? entry : { ...entry, deltaAllowance: 0, deltaPack: 0 };
  });

describe('the figures of a report', () => {
  it('add up to the ledger, whatever is in it, in whichever order it is read', () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 80 }), (entries) => {
        const inRange = entries.filter(({ createdAt }) => createdAt >= RANGE.from && createdAt < RANGE.to);
        const { allowance, packs } = sumOf(inRange);
        const { total, days } = reportOf(entries);
        expect(netOf(total)).toBe(allowance + packs);
        expect(days.reduce((sum, day) => sum + netOf(day), 0)).toBe(allowance + packs);
        expect(reportOf(entries.toReversed())).toEqual(reportOf(entries));
        expect(
          Object.values(total).some((figure) => Object.is(figure, -0) || !Number.isSafeInteger(figure)),
        ).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('have every day of the range, and leave out what lies beside it', () => {
    const spent = (createdAt: number) => anEntry({ deltaPack: -3, feature: 'demo', createdAt });
    const { days, features } = reportOf([
      spent(RANGE.from - 1),
      spent(RANGE.from),
      spent(RANGE.to - 1),
      spent(RANGE.to),
    ]);
    expect(days).toHaveLength(10);
    expect(
      days.map(({ day, spent: credits }) => [day, credits]).filter(([, credits]) => credits !== 0),
    ).toEqual([
      ['2026-11-01', 3],
      ['2026-11-10', 3],
    ]);
    expect(features).toEqual([{ feature: 'demo', credits: 6 }]);
  });

  it('part a renewal into what it grants and what it lets expire', () => {
    const { total } = reportOf([anEntry({ kind: 'allowance', deltaAllowance: 700, allowance: 1_000 })]);
    expect(total).toEqual({ ...NOTHING, grantedAllowance: 1_000, expired: 300 });
  });

  it('say what the plan’s end, a refund, a refusal and a hold are', () => {
    const { total } = reportOf([
      anEntry({ kind: 'drop', deltaAllowance: -40 }),
      anEntry({ kind: 'clawback', deltaPack: -60 }),
      anEntry({ outcome: 'exhausted' }),
      anEntry({ kind: 'reserve', cost: 5 }),
      anEntry({ kind: 'expiry', cost: 5 }),
    ]);
    expect(total).toEqual({ ...NOTHING, expired: 40, clawedBack: 60, refused: 1, held: 5, lapsed: 5 });
  });

  it('count refunds by what each level adds, once', () => {
    const refunds = {
      b: { at: FROM + 1, refunded: 500 },
      a: { at: FROM, refunded: 200 },
      c: { at: FROM, refunded: 200 },
    };
    const lifetime = { ...UNKNOWN_PURCHASE, product: 'lifetime' as const, paidAt: FROM, refunds };
    const dated = [...figuresOfFacts({ ...NO_FACTS, purchases: { pi_1: lifetime } })];
    const figures = dated.reduce((sum, one) => add(sum, one.figures), NOTHING);
    expect(figures).toEqual({ ...NOTHING, lifetimes: 1, refunds: 2 });
  });
});

describe('what all accounts have', () => {
  it('counts plans by their state, credits, and what is held of them now', () => {
    const sum = new StandingSum();
    const record = {
      ...{ paid: true, plan: PLAN.metered, status: 'active', cancelAtPeriodEnd: false },
      ...{ currentPeriodEnd: null, customerId: null, trialUsed: true, updatedAt: FROM },
    };
    const hold = (expiresAt: number) => ({ reservation: 'job', feature: 'demo', credits: 5, expiresAt });
    sum.count(
      { ...record, creditsAllowance: 10, packCreditsRemaining: 3, creditHolds: [hold(2), hold(9)] },
      5,
    );
    sum.count({ ...record, cancelAtPeriodEnd: true }, 5);
    sum.count({ ...record, paid: false, status: 'canceled', packCreditsRemaining: 100 }, 5);
    expect(sum.standing()).toEqual({
      ...{ customers: 3, allowance: 10, packs: 103, held: 5, available: 108 },
      plans: [
        { plan: PLAN.metered, state: 'active', customers: 1 },
        { plan: PLAN.metered, state: 'cancel_pending', customers: 1 },
      ],
    });
  });
});

it('counts what was given by hand apart from what was bought, less what was taken back', () => {
  const { total } = reportOf([
    anEntry({ kind: 'grant', deltaPack: 100 }),
    anEntry({ kind: 'grant', byHand: true, deltaPack: 70 }),
    anEntry({ kind: 'clawback', byHand: true, deltaPack: -20 }),
  ]);
  expect(total).toMatchObject({ grantedPacks: 100, packs: 1, givenByHand: 50, clawedBack: 0 });
});

it('counts a complimentary plan apart from those that are sold', () => {
  const sum = new StandingSum();
  const account = new PureAccount();
  const terms = { credits: 0, expires: null, entitlements: ['paid'], until: FROM + DAY };
  account.hears({ kind: 'hand_granted', grant: 'hand_1', at: FROM, ...terms }, FROM);
  if (account.record !== null) sum.count(account.record, FROM);
  expect(sum.standing().plans).toEqual([{ plan: 'complimentary', state: 'active', customers: 1 }]);
});

describe('the page', () => {
  const report = reportOf([
    anEntry({ kind: 'grant', deltaPack: 100 }),
    anEntry({ deltaPack: -30, feature: '<img src=x onerror=alert(1)>' }),
  ]);
  const page = renderPage(report, '<b>"my" project</b>', new Date(FROM));

  it('loads nothing, runs nothing, and takes no name for markup', () => {
    expect(page).not.toMatch(/<script|<link|<img|src=["']|url\(|https?:|@import|<b>/i);
    expect(page).toContain('&lt;b&gt;&quot;my&quot; project&lt;/b&gt;');
    expect(page).toContain("default-src 'none'");
  });

  it('has a table with the same figures beside each chart', () => {
    const charts = page.match(/<svg [^>]*role="img" aria-label="[^"]+"/g) ?? [];
    expect(charts).toHaveLength(2);
    expect(page.match(/role="region" aria-label="[^"]+, as a table"/g)).toHaveLength(charts.length);
    expect(page).toContain('<title>2026-11-01: packs 100</title>');
    expect(page).toMatch(/<th scope="row">2026-11-01<\/th><td>0<\/td><td>100<\/td><td>30<\/td>/);
  });

  it('leaves out days on which nothing happened, and says how many', () => {
    expect(page.match(/<th scope="row">2026-/g)).toHaveLength(2);
    expect(page.match(/9 days without any of it are left out/g)).toHaveLength(2);
  });

  it('shows no amounts, which are not stored', () => {
    for (const text of [page, renderTerminal(report)])
      expect(text).toContain('Numbers of sales, not amounts');
  });

  it('says the same as the terminal', () => {
    const printed = renderTerminal(report);
    expect(printed).toMatch(/Credits by day \(UTC\)\n─+\nday +allowance +packs +spent/);
    expect(printed).toMatch(/2026-11-01 +· +100 +30/);
    expect(printed).not.toContain('2026-11-02');
    expect(printed).toContain('expired: 70; 1 spends, 0 refused');
  });

  it('is drawn for a range without anything in it too', () => {
    const empty = renderPage(reportOf([]), 'nowhere', new Date(FROM));
    expect(empty).not.toMatch(/NaN|Infinity|undefined/);
    expect(renderTerminal(reportOf([]))).toContain('no active plan');
  });
});
