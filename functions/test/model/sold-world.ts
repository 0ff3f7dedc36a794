import {
  type Catalog,
  hasTiers,
  type Offer,
  offerOf,
  type PlanOffer,
} from '@extension-billing/contract/catalog';
import { hasEntitlement } from '@extension-billing/contract/customer';
import { termsOfOffer } from '@extension-billing/contract/sold-terms';
import { HOUR } from '@extension-billing/contract/time';
import type { Stripe } from 'stripe';
import { type Account, derive, NOTHING_SPENT } from '../../src/events/derive.ts';
import { NO_FACTS, reduce } from '../../src/events/facts.ts';
import type { Fact } from '../../src/stripe/facts.ts';
import { type Question, writeMetadata } from '../../src/stripe/fields.ts';
import { completeInvoice } from '../../src/stripe/invoices.ts';
import { saleToKeep } from '../../src/stripe/kept-sale.ts';
import { translateEvent } from '../../src/stripe/translate.ts';
import { anEvent, type PostedEvent } from '../factories/provider-events.ts';

// An owner who publishes other terms, and a buyer who buys, changes plans and renews meanwhile.

const UID = 'ada';
const MONTH = 30 * 24 * HOUR;

/** `late`: its event comes only after the next step. */
export type Step =
  | { readonly push: Catalog }
  | { readonly buy: string; readonly late: boolean }
  | { readonly change: string }
  | 'renewal'
  | 'update'
  | 'look';
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
export class Shop {
  account: Account = { facts: NO_FACTS, allocation: NOTHING_SPENT, record: null };
  readonly sales: Sale[] = [];
  #catalog: Catalog;
  #now = Date.UTC(2026, 0, 1);
  #paidUntil = 0;
  #late: (() => Promise<void>) | null = null;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  get now() {
    return this.#now;
  }

  async take(step: Step): Promise<void> {
    this.#now += HOUR;
    if (typeof step === 'object' && 'push' in step) this.#catalog = step.push;
    await this.#late?.();
    this.#late = null;
    if (typeof step === 'object' && 'push' in step) return;
    if (typeof step === 'object' && 'change' in step) await this.#change(step.change);
    else if (typeof step === 'object') await this.#buy(step.buy, step.late);
    else if (step === 'look') this.#derive({ kind: 'customer_seen', at: this.#now });
    else await this.#goOn(step);
  }

  /** The sale of what is running by the period, where there is one. */
  get #running(): Sale | undefined {
    return this.sales.find(({ offer }) => offer.kind === 'subscription');
  }

  /** What checkout writes; nobody has two of a plan. */
  async #buy(key: string, late: boolean): Promise<void> {
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
    const arrive = async (): Promise<void> => {
      this.sales.push({ offer, tiers, metadata });
      if (offer.kind === 'subscription') {
        await this.#deliver(this.#subscription('created', metadata, key));
        await this.#renew('subscription_create');
        return;
      }
      await this.#deliver(
        anEvent('checkout.session.completed', {
          ...{ id: `cs_${this.sales.length}`, mode: 'payment', payment_status: 'paid', metadata },
          ...{ payment_intent: `pi_${this.sales.length}`, customer: 'cus_1' },
        }),
      );
    };
    if (late) this.#late = arrive;
    else await arrive();
  }

  /** The provider changes the plan, and a period begins; what was sold with the change is kept as the webhook keeps it. */
  async #change(key: string): Promise<void> {
    const [sale, offer] = [this.#running, offerOf(this.#catalog, key)];
    if (sale === undefined || offer === undefined || offer.kind === 'pack') return;
    if (sale.offer.lookupKey === key) return;
    this.#now = this.#paidUntil;
    const changed = this.#subscription('updated', sale.metadata, key, priceMetadataOf(offer));
    const metadata = this.#translate(changed).isChanged ? this.#kept(changed) : sale.metadata;
    this.sales[this.sales.indexOf(sale)] = { offer, tiers: hasTiers(this.#catalog), metadata };
    await this.#renew('subscription_update');
    await this.#deliver(this.#subscription('updated', metadata, key));
  }

  #kept({ data }: PostedEvent): Record<string, string> {
    const seller = { project: 'here', catalog: this.#catalog };
    const kept = saleToKeep(data.object as Stripe.Subscription, seller, UID, (said) => ({ ...said }));
    return Object.fromEntries(Object.entries(kept ?? {}).filter(([, value]) => value !== ''));
  }

  async #goOn(step: 'renewal' | 'update'): Promise<void> {
    const sale = this.#running;
    if (sale === undefined) return;
    const { metadata, offer } = sale;
    if (step === 'renewal') {
      this.#now = this.#paidUntil;
      await this.#renew('subscription_cycle');
      this.#now += HOUR;
    }
    await this.#deliver(this.#subscription('updated', metadata, offer.lookupKey));
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

  async #renew(billing_reason: string, sale = this.#running): Promise<void> {
    if (sale === undefined) throw new Error('nothing runs by the period');
    const { metadata, offer } = sale;
    const start = this.#now / 1000;
    this.#paidUntil = this.#now + MONTH;
    await this.#deliver(
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

  #translate(posted: PostedEvent) {
    const event = { ...posted, created: Math.floor(this.#now / 1000) };
    const seller = { project: 'here', catalog: this.#catalog };
    const found = translateEvent(event as unknown as Stripe.Event, seller);
    if (found.kind === 'ignored') throw new Error(found.reason);
    return found;
  }

  async #deliver(posted: PostedEvent): Promise<void> {
    const { event, ask } = this.#translate(posted);
    const fact = ask === null ? event.fact : await this.#answered(event.fact, ask);
    this.#derive(fact, event);
    this.#now += HOUR;
  }

  /** An invoice whose metadata is about another price is read by what its price says now. */
  async #answered(fact: Fact, ask: Question): Promise<Fact> {
    if (ask.kind !== 'prices') throw new Error(`a shop without a provider was asked for ${ask.kind}`);
    const retrieve = async (id: string) => ({ id, lookup_key: id.replace('price_', ''), metadata: STALE });
    const stripe = async () => ({ prices: { retrieve } }) as unknown as Stripe;
    const seller = { project: 'here', catalog: this.#catalog };
    return (await completeInvoice(stripe, fact, ask, seller)) ?? fact;
  }

  #derive(fact: Parameters<typeof reduce>[1], event: object = {}): void {
    const reduced = reduce(this.account.facts, fact, 'cus_1');
    if (reduced.kind === 'undecidable') throw new Error('these events have an order');
    const { facts } = reduced;
    const whole = { id: 'evt', type: 'look', at: this.#now, customer: 'cus_1', ...event, fact };
    this.account = { facts, ...derive(this.account, facts, whole, this.#now, this.#catalog) };
  }
}

/** What of that which was sold a buyer lacks; null if nothing. */
export function missing({ account: { record }, sales, now }: Shop): string | null {
  const plans = sales.filter(({ offer }) => offer.kind !== 'pack');
  const [plan] = plans;
  const packs = sales.reduce((sum, { offer }) => sum + (offer.kind === 'pack' ? offer.credits : 0), 0);
  if ((record?.packCreditsRemaining ?? 0) !== packs) return `${packs} pack credits`;
  if ((record?.paid ?? false) !== (plan !== undefined)) return 'access';
  if (plan === undefined) return null;
  if (record?.plan !== plan.offer.lookupKey) return `the plan ${plan.offer.lookupKey}`;
  const amount = plan.offer.kind === 'pack' ? 0 : (plan.offer.credits?.amount ?? 0);
  const isPool = termsOfOffer(plan.offer).terms !== undefined;
  const pool = record.allowances?.find(({ source }) => source === 'sub_1');
  if ((isPool ? pool?.amount : record.creditsAllowance) !== amount && (isPool || amount > 0))
    return `an allowance of ${amount}`;
  const sold = plan.offer.kind === 'pack' ? [] : plan.offer.grants;
  const lost = sold.filter((name) => !hasEntitlement(record, name, now));
  if (lost.length > 0) return `the entitlement ${lost.join(', ')}`;
  const added = (record.entitlements ?? []).filter((name) => !sold.includes(name));
  return plan.tiers && added.length > 0 ? `nothing more than was sold: ${added.join(', ')}` : null;
}
