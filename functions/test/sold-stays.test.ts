import {
  type Catalog,
  hasTiers,
  type Offer,
  offerOf,
  offersOf,
  type PlanOffer,
} from '@extension-billing/contract/catalog';
import { hasEntitlement } from '@extension-billing/contract/customer';
import { type CatalogInput, defineCatalog } from '@extension-billing/contract/define-catalog';
import type { Period } from '@extension-billing/contract/period';
import { termsOfOffer } from '@extension-billing/contract/sold-terms';
import fc from 'fast-check';
import type { Stripe } from 'stripe';
import { expect, it } from 'vitest';
import { type Account, derive, NOTHING_SPENT } from '../src/events/derive.ts';
import { NO_FACTS, reduce } from '../src/events/facts.ts';
import { writeMetadata } from '../src/stripe/fields.ts';
import { saleToKeep } from '../src/stripe/kept-sale.ts';

import { translateEvent } from '../src/stripe/translate.ts';
import { anEvent, type PostedEvent } from './factories/provider-events.ts';
import { runs } from './fuzz/budget.ts';

const UID = 'ada';
const HOUR = 3_600_000;
const MONTH = 30 * 24 * HOUR;
const PLANS = ['solo', 'team', 'for_good'] as const;
const BY_PERIOD = ['solo', 'team'] as const;
const PACKS = ['few', 'many'] as const;
const NAMES = ['basic', 'pro', 'team_seats'] as const;

/** Any catalogue of these keys, a key or two of which may be missing: with tiers or without, credits of all kinds. */
const anyCatalog: fc.Arbitrary<Catalog> = fc
  .record({
    tiers: fc.boolean(),
    includes: fc.boolean(),
    sold: fc.subarray([...PLANS, ...PACKS], { minLength: 1 }),
    plans: fc.dictionary(
      fc.constantFrom(...PLANS),
      fc.record({
        grants: fc.subarray([...NAMES]),
        amount: fc.constantFrom(0, 100, 700),
        every: fc.constantFrom<Period>('month', 'week'),
      }),
    ),
    packs: fc.dictionary(fc.constantFrom(...PACKS), fc.constantFrom(10, 50)),
  })
  .map(({ tiers, includes, sold, plans, packs }) => {
    const shared = { amount: 900, currency: 'usd' };
    const planOf = (key: string) => {
      const { grants = [], amount = 0, every = 'month' } = plans[key] ?? {};
      return {
        ...shared,
        ...(key === 'for_good'
          ? { kind: 'lifetime' as const }
          : { kind: 'subscription' as const, interval: 'month' as const }),
        ...(tiers && { grants }),
        ...(amount > 0 && key !== 'for_good' && { credits: { amount, every } }),
      };
    };
    const kept = (keys: readonly string[]) => keys.filter((key) => sold.some((each) => each === key));
    const input: CatalogInput = {
      model: 'hybrid-credits',
      gate: 'metered',
      trialDays: 0,
      ...(tiers && {
        entitlements: { basic: {}, pro: includes ? { includes: ['basic'] } : {}, team_seats: {} },
      }),
      plans: Object.fromEntries(kept(PLANS).map((key) => [key, planOf(key)])),
      packs: Object.fromEntries(kept(PACKS).map((key) => [key, { ...shared, credits: packs[key] ?? 10 }])),
      features: {},
    };
    return defineCatalog(input);
  });

/** `late`: its event comes only after the next step. */
type Step =
  | { readonly push: Catalog }
  | { readonly buy: string; readonly late: boolean }
  | { readonly change: string }
  | 'renewal'
  | 'update'
  | 'look';
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  anyCatalog.map((push) => ({ push })),
  fc.record({ buy: fc.constantFrom(...PLANS, ...PACKS), late: fc.boolean() }),
  fc.record({ change: fc.constantFrom(...BY_PERIOD) }),
  fc.constantFrom('renewal', 'update', 'look'),
);

interface Sale {
  readonly offer: Offer;
  readonly tiers: boolean;
  readonly metadata: Record<string, string>;
}

/** What a price says since it was sold: whoever edited it, it is not what was sold. */
const STALE = { monthly_credits: '9', entitlements: 'team_seats' };

/** What an offer's price says while it is sold so. */
function priceMetadataOf({ credits, grants, ...offer }: PlanOffer): Record<string, string> {
  const { monthly_credits, credits_every, entitlements } = writeMetadata({
    ...{ uid: '', kind: offer.kind, lookupKey: '', priceId: '', credits: 0 },
    ...{ monthlyCredits: credits?.amount ?? 0, ...termsOfOffer({ ...offer, credits, grants } as PlanOffer) },
    ...(grants.length > 0 && { entitlements: grants }),
  });
  const said = { monthly_credits, credits_every, entitlements };
  return Object.fromEntries(Object.entries(said).flatMap(([key, value]) => (value ? [[key, value]] : [])));
}

/** A shop whose owner publishes while one buyer buys, renews and is looked at. */
class Shop {
  account: Account = { facts: NO_FACTS, allocation: NOTHING_SPENT, record: null };
  readonly sales: Sale[] = [];
  #catalog: Catalog;
  #now = Date.UTC(2026, 0, 1);
  #paidUntil = 0;
  #late: (() => void) | null = null;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  get now() {
    return this.#now;
  }

  take(step: Step): void {
    this.#now += HOUR;
    if (typeof step === 'object' && 'push' in step) this.#catalog = step.push;
    this.#late?.();
    this.#late = null;
    if (typeof step === 'object' && 'push' in step) return;
    if (typeof step === 'object' && 'change' in step) this.#change(step.change);
    else if (typeof step === 'object') this.#buy(step.buy, step.late);
    else if (step === 'look') this.#derive({ kind: 'customer_seen', at: this.#now });
    else this.#goOn(step);
  }

  /** The sale of what is running by the period, where there is one. */
  get #running(): Sale | undefined {
    return this.sales.find(({ offer }) => offer.kind === 'subscription');
  }

  /** What checkout writes; nobody has two of a plan. */
  #buy(key: string, late: boolean): void {
    const offer = offerOf(this.#catalog, key);
    const owns = this.sales.some((sale) => sale.offer.kind !== 'pack');
    if (offer === undefined || (offer.kind !== 'pack' && owns)) return;
    const tiers = hasTiers(this.#catalog);
    const metadata = writeMetadata({
      ...{ uid: UID, kind: offer.kind, lookupKey: key, priceId: `price_${key}`, project: 'here' },
      credits: offer.kind === 'pack' ? offer.credits : 0,
      monthlyCredits: offer.kind === 'pack' ? 0 : (offer.credits?.amount ?? 0),
      ...termsOfOffer(offer),
      ...(tiers && offer.kind !== 'pack' && { entitlements: offer.grants }),
    });
    const arrive = (): void => {
      this.sales.push({ offer, tiers, metadata });
      if (offer.kind === 'subscription') {
        this.#deliver(this.#subscription('created', metadata, key));
        this.#renew('subscription_create');
        return;
      }
      this.#deliver(
        anEvent('checkout.session.completed', {
          ...{ id: `cs_${this.sales.length}`, mode: 'payment', payment_status: 'paid', metadata },
          ...{ payment_intent: `pi_${this.sales.length}`, customer: 'cus_1' },
        }),
      );
    };
    if (late) this.#late = arrive;
    else arrive();
  }

  /** The provider changes the plan, and a period begins; what was sold with the change is kept as the webhook keeps it. */
  #change(key: string): void {
    const [sale, offer] = [this.#running, offerOf(this.#catalog, key)];
    if (sale === undefined || offer === undefined || offer.kind === 'pack') return;
    if (sale.offer.lookupKey === key) return;
    this.#now = this.#paidUntil;
    const changed = this.#subscription('updated', sale.metadata, key, priceMetadataOf(offer));
    const seller = { project: 'here', catalog: this.#catalog };
    const kept = saleToKeep(changed.data.object as Stripe.Subscription, seller, UID, (said) => ({ ...said }));
    const metadata = Object.fromEntries(Object.entries(kept ?? {}).filter(([, value]) => value !== ''));
    this.sales[this.sales.indexOf(sale)] = { offer, tiers: hasTiers(this.#catalog), metadata };
    this.#renew('subscription_update');
    this.#deliver(this.#subscription('updated', metadata, key));
  }

  #goOn(step: 'renewal' | 'update'): void {
    const sale = this.#running;
    if (sale === undefined) return;
    const { metadata, offer } = sale;
    if (step === 'renewal') {
      this.#now = this.#paidUntil;
      this.#renew('subscription_cycle');
      this.#now += HOUR;
    }
    this.#deliver(this.#subscription('updated', metadata, offer.lookupKey));
  }

  #subscription(change: string, metadata: object, key: string, own: object = STALE): PostedEvent {
    const [start, end] = [this.#paidUntil - MONTH, this.#paidUntil].map(
      (at) => Math.max(at, this.#now) / 1000,
    );
    return anEvent(`customer.subscription.${change}`, {
      ...{ id: 'sub_1', status: 'active', customer: 'cus_1', metadata, cancel_at: null, currency: 'usd' },
      ...{ cancel_at_period_end: false, trial_end: null, billing_cycle_anchor: Date.UTC(2026, 0, 1) / 1000 },
      items: {
        data: [
          {
            ...{ quantity: 1, current_period_start: start, current_period_end: end },
            price: { id: `price_${key}`, lookup_key: key, metadata: own },
          },
        ],
      },
    });
  }

  #renew(billing_reason: string): void {
    const { metadata, offer } = this.#running ?? expect.fail();
    const start = this.#now / 1000;
    this.#paidUntil = this.#now + MONTH;
    this.#deliver(
      anEvent('invoice.paid', {
        ...{ id: `in_${start}`, billing_reason, created: start, customer: 'cus_1', metadata: {} },
        amount_paid: 900,
        parent: { type: 'subscription_details', subscription_details: { subscription: 'sub_1', metadata } },
        lines: {
          data: [
            {
              ...{ id: `il_${start}`, quantity: 1, period: { start, end: this.#paidUntil / 1000 } },
              parent: { subscription_item_details: { proration: false } },
              pricing: { price_details: { price: `price_${offer.lookupKey}` } },
            },
          ],
        },
      }),
    );
  }

  #deliver(posted: PostedEvent): void {
    const event = { ...posted, created: Math.floor(this.#now / 1000) };
    const found = translateEvent(event as unknown as Stripe.Event, {
      project: 'here',
      catalog: this.#catalog,
    });
    if (found.kind === 'ignored') throw new Error(found.reason);
    if (found.ask !== null) throw new Error('what was sold here needs no question');
    this.#derive(found.event.fact, found.event);
    this.#now += HOUR;
  }

  #derive(fact: Parameters<typeof reduce>[1], event: object = {}): void {
    const reduced = reduce(this.account.facts, fact, 'cus_1');
    if (reduced.kind === 'undecidable') throw new Error('these events have an order');
    const { facts } = reduced;
    const whole = { id: 'evt', type: 'look', at: this.#now, customer: 'cus_1', ...event, fact };
    this.account = { facts, ...derive(this.account, facts, whole, this.#now, this.#catalog) };
  }
}

/** Where a buyer does not have what was sold; null where they do. */
function missing({ account: { record }, sales, now }: Shop): string | null {
  const plans = sales.filter(({ offer }) => offer.kind !== 'pack');
  const [plan] = plans;
  const packs = sales.reduce((sum, { metadata }) => sum + Number(metadata.credits ?? 0), 0);
  if ((record?.packCreditsRemaining ?? 0) !== packs) return `${packs} pack credits`;
  if ((record?.paid ?? false) !== (plan !== undefined)) return 'access';
  if (plan === undefined) return null;
  if (record?.plan !== plan.offer.lookupKey) return `the plan ${plan.offer.lookupKey}`;
  const amount = Number(plan.metadata.monthly_credits ?? 0);
  const isPool = plan.metadata.credits_every !== undefined;
  const pool = record.allowances?.find(({ source }) => source === 'sub_1');
  if ((isPool ? pool?.amount : record.creditsAllowance) !== amount && (isPool || amount > 0))
    return `an allowance of ${amount}`;
  const sold = plan.offer.kind === 'pack' ? [] : plan.offer.grants;
  const lost = sold.filter((name) => !hasEntitlement(record, name, now));
  if (lost.length > 0) return `the entitlement ${lost.join(', ')}`;
  const added = (record.entitlements ?? []).filter((name) => !sold.includes(name));
  return plan.tiers && added.length > 0 ? `nothing more than was sold: ${added.join(', ')}` : null;
}

it('whatever is published before and afterwards, each buyer has what was sold to them', () => {
  let sold = 0;
  fc.assert(
    fc.property(anyCatalog, fc.array(anyStep, { minLength: 2, maxLength: 14 }), (first, steps) => {
      const shop = new Shop(first);
      for (const [index, step] of steps.entries()) {
        shop.take(step);
        const lack = missing(shop);
        if (lack !== null) expect(`after step ${index}: ${lack}`).toBeNull();
      }
      sold += shop.sales.length;
      expect(offersOf(first).length).toBeGreaterThan(0);
    }),
    runs(700),
  );
  expect(sold).toBeGreaterThan(100);
});
