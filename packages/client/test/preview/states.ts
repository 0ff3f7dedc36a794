import { type Catalog, offersOf } from '@extension-billing/contract/catalog';
import { PACK, PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import {
  creditsOnly,
  freeCredits,
  inEurosToo,
  inYen,
  subscriptionOnly,
  twoTiers,
  withTiers,
} from '@extension-billing/contract/test/other-catalogs';
import type { UsageEntry, UsageTotal } from '@extension-billing/contract/usage';
import type { DenialReason, OfferPrice, SessionReply } from '../../src/messages.ts';
import { OPEN_CHECKOUT_KEY } from '../../src/snapshot/open-checkout.ts';
import { type PendingLink, SIGN_IN_LINK_KEY } from '../../src/snapshot/pending-link.ts';
import { signedOutSnapshot } from '../../src/snapshot/project.ts';
import { type EntitlementSnapshot, SNAPSHOT_KEY, type SnapshotCredits } from '../../src/snapshot/snapshot.ts';
import { WALL_KEY } from '../../src/ui/wall/wall.ts';
import { aUsage, someReceipts } from './a-usage.ts';

/** One state of the world that a surface can be shown in. */
export interface PreviewState {
  /** null: nothing is known yet. */
  readonly snapshot: EntitlementSnapshot | null;
  readonly session: SessionReply;
  /** More of `storage.local` and `storage.session`. */
  readonly local?: Readonly<Record<string, unknown>>;
  readonly sessionStorage?: Readonly<Record<string, unknown>>;
  readonly offline?: boolean;
  /** `storage.local` rejects, as on a broken disk. */
  readonly refusesLocal?: boolean;
  /** How the service refuses what costs credits. */
  readonly refuses?: DenialReason;
  /** What was spent, or what stands in the way of knowing it; a month of the demo's features where it is left out. */
  readonly usage?: readonly UsageTotal[] | 'failed' | 'pending';
  /** Entries of what backends measured, the newest first. */
  readonly receipts?: readonly UsageEntry[];
  /** What the service says that offers cost; it says nothing where this is left out. */
  readonly prices?: readonly OfferPrice[];
  /** The catalogue of the build; the tests' where it is left out. */
  readonly catalog?: Catalog;
}

const DAY = 86_400_000;

/** Every state that notes on the UI name, as of an instant (milliseconds since the epoch). */
export function previewStates(now: number) {
  const session: SessionReply = {
    user: { uid: 'ada', email: 'ada@example.com', displayName: null, isAnonymous: false },
    expired: false,
  };
  const nobody: SessionReply = { user: null, expired: false };
  const end = now + 20 * DAY;
  const credits = (allowance: number, packCredits: number, monthlyCredits = 1_000): SnapshotCredits => ({
    balance: allowance + packCredits,
    allowance,
    packCredits,
    monthlyCredits,
  });
  const free: EntitlementSnapshot = {
    ...signedOutSnapshot(now),
    uid: 'ada',
    updatedAt: now - 60_000,
  };
  const active: EntitlementSnapshot = {
    ...free,
    paid: true,
    state: 'active',
    plan: PLAN.metered,
    status: 'active',
    currentPeriodEnd: end,
    trialUsed: true,
    hasCustomer: true,
    credits: credits(640, 0),
    renewal: { amount: 1900, currency: 'usd', interval: 'month' },
  };
  const trial: EntitlementSnapshot = {
    ...active,
    state: 'trial',
    status: 'trialing',
    currentPeriodEnd: now + 5 * DAY,
    credits: credits(820, 100),
  };
  const lifetime: EntitlementSnapshot = {
    ...active,
    state: 'lifetime',
    plan: PLAN.lifetime,
    status: null,
    currentPeriodEnd: null,
    credits: null,
    renewal: null,
  };
  /** Free credits of each month, of which so many are left; new ones come in five days. */
  const byClock = (left: number): SnapshotCredits => ({
    ...credits(left, 0, 0),
    pools: [
      {
        ...{ source: 'free', kind: 'allowance', amount: 20, every: 'week', left },
        ...{ anchor: now - 2 * DAY, from: now - 2 * DAY, period: now - 2 * DAY, until: null },
      },
    ],
  });
  /** Pack credits, of which some end in nine days. */
  const expiring: SnapshotCredits = {
    ...credits(0, 164, 0),
    pools: [
      {
        ...{ source: 'pack', kind: 'pack', amount: 100, every: 'once', left: 64 },
        ...{ anchor: now - DAY, from: now - DAY, period: now - DAY, until: now + 9 * DAY },
      },
    ],
  };
  const freeByClock: EntitlementSnapshot = { ...free, credits: byClock(7) };
  const empty: EntitlementSnapshot = { ...active, credits: credits(0, 0) };
  const of = (snapshot: EntitlementSnapshot | null, more: Partial<PreviewState> = {}): PreviewState => ({
    snapshot,
    session,
    ...more,
  });

  const mailed: PendingLink = {
    email: 'augusta.ada.king.countess.of.lovelace@analytical-engine-company.example',
    ...{ leaveGuest: false, askedAt: now - 60_000 },
  };

  return {
    loading: of(null, { session: nobody }),
    signed_out: of(signedOutSnapshot(now), { session: nobody }),
    signed_out_before: of(signedOutSnapshot(now), { session: nobody, local: { billingHadAccount: true } }),
    link_sent: of(signedOutSnapshot(now), {
      session: nobody,
      sessionStorage: { [SIGN_IN_LINK_KEY]: mailed },
    }),
    host_failed: of(signedOutSnapshot(now), { session: { ...nobody, host: 'failed' } }),
    host_ended: of(active, { session: { ...session, expired: true, host: 'ready' } }),
    session_ended: of(active, { session: { ...session, expired: true } }),
    storage_silent_first: of(null, { session: { ...nobody, unreadable: true } }),
    storage_refuses: of(null, {
      session: nobody,
      refusesLocal: true,
      sessionStorage: { [SNAPSHOT_KEY]: signedOutSnapshot(now) },
    }),
    storage_silent: of(active, { session: { ...session, unreadable: true } }),
    free: of(free),
    free_trial_used: of({ ...free, trialUsed: true, hasCustomer: true, status: 'canceled' }),
    free_with_packs: of({ ...free, hasCustomer: true, credits: credits(0, 100, 0) }),
    free_low: of({ ...free, hasCustomer: true, credits: credits(0, 4, 0) }),
    trial: of(trial),
    trial_unconfirmed: of(
      { ...trial, currentPeriodEnd: now - 2 * DAY, contactAt: now - 5 * DAY, mirroredAt: now - 5 * DAY },
      { offline: true },
    ),
    trial_lapsed: of(
      { ...trial, currentPeriodEnd: now - 40 * DAY, contactAt: now - 45 * DAY, mirroredAt: now - 45 * DAY },
      { offline: true },
    ),
    active: of(active),
    active_without_credits: of({
      ...active,
      plan: PLAN.yearly,
      credits: null,
      renewal: { amount: 9000, currency: 'usd', interval: 'year' },
    }),
    active_at_an_old_price_in_euros: of({
      ...active,
      renewal: { amount: 1250, currency: 'eur', interval: 'month' },
    }),
    active_for_an_unknown_amount: of({ ...active, renewal: null }),
    active_with_packs: of({ ...active, credits: credits(994, 350) }),
    refusing: of({ ...active, credits: credits(994, 350) }, { refuses: 'unavailable' }),
    active_low: of({ ...active, credits: credits(87, 50) }),
    one_credit: of({ ...active, credits: credits(1, 0) }),
    empty: of(empty),
    empty_until_free: of({ ...freeByClock, credits: byClock(0) }, { catalog: freeCredits }),
    free_by_clock: of(freeByClock, { catalog: freeCredits }),
    free_expected: of(
      { ...free, credits: { ...credits(20, 0, 0), expected: true } },
      { catalog: freeCredits },
    ),
    free_ceiling: of(freeByClock, { catalog: freeCredits, refuses: 'free_ceiling_reached' }),
    free_ceiling_plans_only: of(freeByClock, {
      catalog: { ...freeCredits, packs: [] },
      refuses: 'free_ceiling_reached',
    }),
    empty_dismissed: of(empty, { local: { [WALL_KEY]: { uid: 'ada' } } }),
    changing: of({
      ...active,
      plannedChange: { plan: PLAN.monthly, at: active.currentPeriodEnd ?? now },
    }),
    cancel_pending: of({
      ...active,
      state: 'cancel_pending',
      cancelAtPeriodEnd: true,
      renewal: null,
      credits: credits(412, 100),
    }),
    past_due: of({ ...active, state: 'past_due', status: 'past_due' }),
    unpaid: of({ ...active, state: 'past_due', status: 'unpaid', paid: false, credits: credits(0, 30) }),
    withheld: of({ ...active, state: 'free', paid: false, credits: credits(0, 30) }),
    subscription_withheld: of(
      { ...active, state: 'free', paid: false, plan: PLAN.yearly, credits: null },
      { catalog: subscriptionOnly },
    ),
    lifetime: of(lifetime),
    lifetime_with_packs: of({ ...lifetime, credits: credits(0, 412, 0) }),
    checkout_open: of(empty, {
      sessionStorage: {
        [OPEN_CHECKOUT_KEY]: { lookupKey: PACK.small, openedAt: now - 5_000, before: empty },
      },
    }),
    subscription_free: of(free, { catalog: subscriptionOnly }),
    subscription_active: of({ ...active, plan: PLAN.yearly, credits: null }, { catalog: subscriptionOnly }),
    two_tiers: of(free, { catalog: twoTiers }),
    tier_too_low: of(
      { ...active, plan: PLAN.monthly, entitlements: ['basic'], credits: credits(0, 64, 0) },
      { catalog: withTiers },
    ),
    packs_that_expire: of(
      { ...free, hasCustomer: true, credits: expiring },
      {
        catalog: {
          ...creditsOnly,
          packs: creditsOnly.packs.map((pack, at) => (at > 0 ? pack : { ...pack, expiresAfterDays: 90 })),
        },
      },
    ),
    held_feature: of(active, {
      catalog: { ...testCatalog, features: { ...testCatalog.features, demo_deep: { hold: 20 } } },
    }),
    in_euros: of(free, {
      catalog: inEurosToo,
      prices: offersOf(inEurosToo).map(({ lookupKey, amount, prices }) => ({
        lookupKey,
        amount: prices?.eur ?? amount,
        currency: 'eur',
      })),
    }),
    packs_only_new: of(free, { catalog: creditsOnly }),
    packs_only: of({ ...free, hasCustomer: true, credits: credits(0, 64, 0) }, { catalog: creditsOnly }),
    signed_out_yen: of(signedOutSnapshot(now), { session: nobody, catalog: inYen }),
    usage_pending: of(active, { usage: 'pending' }),
    usage_failed: of(active, { usage: 'failed' }),
    usage_none: of(active, { usage: [] }),
    usage_receipts: of(active, { receipts: someReceipts(now) }),
    usage_of_many: of(active, {
      usage: aUsage(now, [
        'translate',
        'summarise',
        'proofread',
        'rewrite_with_everything',
        'draft',
        'explain',
      ]),
    }),
    offline: of({ ...active, mirroredAt: now - 2 * 3_600_000 }, { offline: true }),
    guest: of(
      { ...free, hasCustomer: true, credits: credits(0, 100, 0) },
      {
        session: {
          user: { uid: 'ada', email: null, displayName: null, isAnonymous: true },
          expired: false,
        },
      },
    ),
    long_names: of(
      {
        ...active,
        plan: 'enterprise_annual_with_everything_2024',
        renewal: null,
        credits: credits(9_999_999, 12_345_678, 10_000_000),
      },
      {
        session: {
          user: {
            uid: 'ada',
            email: 'augusta.ada.king.countess.of.lovelace@analytical-engine-company.example',
            displayName: 'Augusta Ada King, Countess of Lovelace',
            isAnonymous: false,
          },
          expired: false,
        },
      },
    ),
  } satisfies Record<string, PreviewState>;
}

export type PreviewStateName = keyof ReturnType<typeof previewStates>;
export const PREVIEW_SURFACES = ['popup', 'side-panel', 'options'] as const;
export type PreviewSurface = (typeof PREVIEW_SURFACES)[number];
