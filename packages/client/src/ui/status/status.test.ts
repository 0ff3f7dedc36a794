import type { Catalog } from '@extension-billing/contract/catalog';
import type { RunningSubscription } from '@extension-billing/contract/customer';
import { PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import { beforeAll, expect, it } from 'vitest';
import { useEnglish } from '../../../test/fake-i18n.ts';
import { previewStates } from '../../../test/preview/states.ts';
import { providePricing } from '../../given-catalog.ts';
import { snapshotAt } from '../../snapshot/access.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { describeStatus } from './status.ts';

providePricing(testCatalog);

const NOW = new Date(2026, 10, 21, 12, 0).getTime();
const states = previewStates(NOW);
const wordsOf = (name: keyof typeof states, catalog: Catalog = testCatalog): readonly string[] => {
  const { snapshot } = states[name];
  if (snapshot === null) throw new Error(`${name} has no snapshot.`);
  const { title, badge, lines, portalAction } = describeStatus(snapshot, NOW, catalog);
  return [title, badge?.text ?? '-', ...lines, portalAction ?? '-'];
};

/** The snapshot of a preview state, with some fields changed. */
function shown(name: keyof typeof states, fields: Partial<EntitlementSnapshot> = {}): EntitlementSnapshot {
  const { snapshot } = states[name];
  if (snapshot === null) throw new Error(`${name} has no snapshot.`);
  return { ...snapshot, ...fields };
}

beforeAll(useEnglish);

it('calls no plan free that is paid, also if its price has no lookup key', () => {
  for (const name of ['active', 'trial', 'cancel_pending', 'past_due'] as const) {
    expect(describeStatus(shown(name, { plan: null }), NOW, testCatalog).title).toBe('Premium');
  }
  const onHold = shown('withheld', { plan: null });
  expect(describeStatus(onHold, NOW, testCatalog)).toMatchObject({ title: 'Premium', state: 'withheld' });
});

it('says what the plan changes to and when, which plan can be kept, and neither once the day has come', () => {
  const change = { plan: PLAN.monthly, at: new Date(2026, 11, 1, 12).getTime() };
  const of = (now: number, fields: Partial<EntitlementSnapshot> = {}) =>
    describeStatus(shown('active', { plannedChange: change, ...fields }), now, testCatalog);
  expect(of(NOW)).toMatchObject({ lines: ['Changes to Premium on Dec 1.'], keeps: PLAN.metered });
  expect(of(NOW, { plannedChange: { ...change, plan: null } }).lines).toEqual(['Changes to … on Dec 1.']);
  expect(of(change.at).keeps).toBeNull();
});

it('says of a trial how long it lasts, and what happens then for how much', () => {
  expect(wordsOf('trial')).toEqual([
    'Premium with credits',
    'Trial, 5 days left',
    'Your plan starts on Nov 26 for $19.00 per month.',
    'Cancel before then and you pay nothing.',
    '-',
  ]);
});

it('says when a plan renews or ends, and what to do about it', () => {
  expect(wordsOf('active')).toContain('Renews on Dec 11 for $19.00 per month.');
  expect(wordsOf('cancel_pending')).toContain('You keep access until Dec 11. Nothing more is charged.');
  expect(wordsOf('cancel_pending').at(-1)).toBe('Keep my plan');
});

it('names what this customer is billed and nothing else: an old price, another currency, no amount at all', () => {
  const linesFor = (renewal: EntitlementSnapshot['renewal'], name: 'active' | 'trial' = 'active') =>
    describeStatus(shown(name, { renewal }), NOW, testCatalog).lines[0];
  expect(linesFor({ amount: 1250, currency: 'eur', interval: 'month' })).toBe(
    'Renews on Dec 11 for €12.50 per month.',
  );
  expect(linesFor({ amount: 15000, currency: 'jpy', interval: 'year' })).toBe(
    'Renews on Dec 11 for ¥15,000 per year.',
  );
  expect(linesFor({ amount: 5700, currency: 'usd', interval: 'month', count: 3 })).toBe(
    'Renews on Dec 11 for $57.00.',
  );
  expect(linesFor({ amount: 500, currency: 'usd', interval: 'week' })).toBe('Renews on Dec 11 for $5.00.');
  expect(linesFor(null)).toBe('Renews on Dec 11.');
  expect(linesFor(null, 'trial')).toBe('Your plan starts on Nov 26.');
});

it('sends a failed payment to the portal, and says whether there is access meanwhile', () => {
  expect(wordsOf('past_due')).toContain('You still have full access. Update your payment method to keep it.');
  expect(wordsOf('unpaid')).toContain('Access is paused until the payment goes through.');
  expect(wordsOf('unpaid').at(-1)).toBe('Update payment');
});

it('shows a lifetime plan as yours for good', () => {
  expect(wordsOf('lifetime')).toEqual(['Lifetime', 'For good', 'Yours for good. Nothing renews.', '-']);
});

it('says what still runs beside a lifetime plan: never that nothing renews while something does', () => {
  const { snapshot } = states.lifetime;
  if (snapshot === null) throw new Error('no snapshot');
  const linesFor = (fields: Partial<RunningSubscription>) => {
    const runningSubscription = {
      plan: PLAN.monthly,
      status: 'active',
      currentPeriodEnd: NOW + 20 * 86_400_000,
      cancelAtPeriodEnd: true,
      ...fields,
    };
    return describeStatus({ ...snapshot, runningSubscription }, NOW, testCatalog);
  };
  const ends = 'Your Premium plan ends on Dec 11, nothing renews after that.';
  expect(linesFor({})).toMatchObject({ lines: ['Yours for good.', ends], portalAction: null });
  expect(linesFor({ status: 'trialing' }).lines).toContain(ends);
  for (const billing of [{ cancelAtPeriodEnd: false }, { status: 'past_due' }, { status: 'unpaid' }]) {
    const { lines, portalAction } = linesFor(billing);
    expect(lines.join(' ')).toContain('may be charged again');
    expect(lines.join(' ')).not.toContain('enews');
    expect(portalAction).toBe('Cancel the old plan');
  }
});

it.each(['active', 'trialing', 'paused'])(
  'says of a plan that is %s and gives no access that it is on hold, and never that the network is to blame',
  (status) => {
    expect(describeStatus(shown('withheld', { status }), NOW, testCatalog)).toMatchObject({
      title: 'Premium with credits',
      badge: { text: 'On hold', tone: 'danger' },
      lines: [expect.stringMatching(/^Your plan gives no access at the moment.*support/)],
      portalAction: 'Manage billing',
    });
  },
);

it('does not blame the network for a bound that the service set and has confirmed since', () => {
  const DAY = 86_400_000;
  const times = { currentPeriodEnd: NOW - 31 * DAY, entitledUntil: NOW - DAY, contactAt: NOW - 1_000 };
  const heard = shown('past_due', times);
  for (const snapshot of [heard, snapshotAt(heard, NOW)]) {
    const unpaid = describeStatus(snapshot, NOW, testCatalog);
    expect(unpaid.lines.at(-1)).toBe('Access is paused until the payment goes through.');
    expect(unpaid.portalAction).toBe('Update payment');
    const silent = describeStatus({ ...snapshot, status: 'active' }, NOW, testCatalog);
    expect(silent.badge?.text).toBe('On hold');
  }
});

it('says of a cancelled plan whose announced end came offline that it has ended, and promises nothing', () => {
  const DAY = 86_400_000;
  const ended = shown('cancel_pending', { currentPeriodEnd: NOW - 3 * DAY, contactAt: NOW - 9 * DAY });
  for (const snapshot of [ended, snapshotAt(ended, NOW)]) {
    expect(describeStatus(snapshot, NOW, testCatalog)).toMatchObject({
      badge: null,
      lines: ['Your paid period ended on Nov 18.', 'Your plan has ended.'],
    });
  }
});

it('shows a plan that is no longer sold by its key, without a price', () => {
  expect(wordsOf('long_names')).toContain('Renews on Dec 11.');
});

it('speaks of packs only where only packs are sold, and of plans only where only plans are', () => {
  expect(wordsOf('free', { ...testCatalog, plans: [] })).toEqual([
    'Pay as you go',
    '-',
    'Features take no credits until you buy some.',
    '-',
  ]);
  expect(wordsOf('free_trial_used', { ...testCatalog, packs: [] })).toContain('Choose a plan to do more.');
});

it('advertises a trial only where a plan can be bought, and only to whom it is open', () => {
  const { free, free_trial_used } = states;
  const linesOf = (snapshot: typeof free.snapshot, sellsPlans: boolean) =>
    snapshot === null ? [] : describeStatus(snapshot, NOW, testCatalog, { sellsPlans }).lines;
  expect(linesOf(free.snapshot, true)).toEqual(['Try any subscription free for 7 days.']);
  expect(linesOf(free.snapshot, false)).toEqual(['Features take no credits until you buy some.']);
  expect(linesOf(free_trial_used.snapshot, true)).toEqual([
    'Your plan has ended.',
    'Choose a plan or a credit pack to do more.',
  ]);
});
