import { LotPool } from './pack-lots.ts';
import type { GrantTruth, PurchaseTruth, SubscriptionTruth, Telling } from './truth.ts';

/** What the record of a customer must say. Null credits: credits are not in use. */
export interface Expected {
  readonly paid: boolean;
  readonly plan: string | null;
  readonly status: string | null;
  readonly cancelAtPeriodEnd: boolean;
  readonly currentPeriodEnd: number | null;
  readonly trialUsed: boolean;
  readonly credits: { readonly allowance: number; readonly packs: number } | null;
}

export interface ExpectedConsume {
  readonly outcome: 'free' | 'granted' | 'exhausted';
  readonly fromAllowance: number;
  readonly fromPacks: number;
}

interface Known {
  readonly seq: number;
  readonly state: SubscriptionTruth;
}

const SHOWN_FIRST = ['active', 'trialing', 'past_due', 'paused', 'unpaid', 'incomplete'];
const PAYING = new Set(['active', 'trialing', 'past_due']);

/**
 * What the service must know and answer, from the model's own truth: written from design section 5 alone and
 * sharing no code with it. It is told changes in any order, knows their true order by `seq`, and so needs none
 * of the rules by which the service finds that order.
 */
export class Oracle {
  readonly #subscriptions = new Map<string, Known>();
  readonly #grants = new Map<string, GrantTruth>();
  readonly #spentOfGrant = new Map<string, number>();
  readonly #lots = new LotPool();
  readonly #lifetimes = new Map<string, PurchaseTruth>();
  readonly #outcomes = new Map<string, ExpectedConsume>();
  #everTrialed = false;

  /** One change became known. Telling it again changes nothing. */
  tell(seq: number, telling: Telling): void {
    switch (telling.tells) {
      case 'subscription': {
        this.#everTrialed ||= telling.state.trialEnd !== null;
        const known = this.#subscriptions.get(telling.state.id);
        if (known === undefined || known.seq < seq) {
          this.#subscriptions.set(telling.state.id, { seq, state: telling.state });
        }
        return;
      }
      case 'grant':
        this.#grants.set(telling.grant.invoice, telling.grant);
        return;
      case 'paid':
        if (telling.purchase.kind === 'lifetime') this.#lifetimes.set(telling.purchase.id, telling.purchase);
        else this.#lots.paid(telling.purchase);
        return;
      case 'money_back':
        this.#lots.moneyBack(telling.purchase.id, seq, telling.back);
        return;
      case 'dispute':
        this.#lots.disputed(telling.purchase.id, seq, telling.outcome);
        return;
      case 'customer_deleted':
      case 'customer':
      case 'nothing':
        return;
      default:
        telling satisfies never;
    }
  }

  /** Spends what is there: the allowance first. A key that was used before answers as it did then. */
  consume(key: string, cost: number): ExpectedConsume {
    const before = this.#outcomes.get(key);
    if (before !== undefined) return before;
    const credits = this.#credits();
    if (credits === null) return { outcome: 'free', fromAllowance: 0, fromPacks: 0 };
    const outcome = this.#spend(credits, cost);
    this.#outcomes.set(key, outcome);
    return outcome;
  }

  #spend(credits: { allowance: number; packs: number }, cost: number): ExpectedConsume {
    if (credits.allowance + credits.packs < cost)
      return { outcome: 'exhausted', fromAllowance: 0, fromPacks: 0 };
    const fromAllowance = Math.min(credits.allowance, cost);
    const fromPacks = cost - fromAllowance;
    const grant = this.#currentGrant();
    if (grant !== null) {
      const spent = this.#spentOfGrant.get(grant.invoice) ?? 0;
      this.#spentOfGrant.set(grant.invoice, spent + fromAllowance);
    }
    this.#lots.spend(fromPacks);
    return { outcome: 'granted', fromAllowance, fromPacks };
  }

  expected(): Expected {
    return {
      ...this.#rights(),
      trialUsed: this.#everTrialed,
      credits: this.#credits(),
    };
  }

  #rights(): Pick<Expected, 'paid' | 'plan' | 'status' | 'cancelAtPeriodEnd' | 'currentPeriodEnd'> {
    for (const lifetime of this.#lifetimes.values()) {
      if (this.#lots.isFullyBack(lifetime)) continue;
      return {
        paid: true,
        plan: lifetime.lookupKey,
        status: 'active',
        cancelAtPeriodEnd: false,
        currentPeriodEnd: null,
      };
    }
    const states = [...this.#subscriptions.values()].map(({ state }) => state);
    const rank = ({ status }: SubscriptionTruth) => {
      const place = SHOWN_FIRST.indexOf(status);
      return place === -1 ? SHOWN_FIRST.length : place;
    };
    states.sort((a, b) => rank(a) - rank(b) || b.periodEnd - a.periodEnd);
    const [shown] = states;
    if (shown === undefined) {
      return { paid: false, plan: null, status: null, cancelAtPeriodEnd: false, currentPeriodEnd: null };
    }
    return {
      paid: states.some(({ status }) => PAYING.has(status)),
      plan: shown.plan,
      status: shown.status,
      cancelAtPeriodEnd: shown.cancel !== 'no',
      currentPeriodEnd: Math.floor(shown.periodEnd / 1000) * 1000,
    };
  }

  #credits(): { allowance: number; packs: number } | null {
    const everGranted = [...this.#grants.values()].some(({ credits }) => credits > 0);
    if (!everGranted && this.#lots.isEmpty()) return null;
    const grant = this.#currentGrant();
    const allowance = grant === null ? 0 : grant.credits - (this.#spentOfGrant.get(grant.invoice) ?? 0);
    return { allowance, packs: this.#lots.total() };
  }

  /** The newest allowance among the subscriptions that are alive; each subscription has only its newest. */
  #currentGrant(): GrantTruth | null {
    const live = [...this.#grants.values()].filter(({ subscription }) => {
      const known = this.#subscriptions.get(subscription);
      return known !== undefined && PAYING.has(known.state.status);
    });
    const newest = new Map<string, GrantTruth>();
    for (const grant of live) {
      const before = newest.get(grant.subscription);
      if (before === undefined || isNewer(grant, before)) newest.set(grant.subscription, grant);
    }
    let current: GrantTruth | null = null;
    for (const grant of newest.values()) if (current === null || isNewer(grant, current)) current = grant;
    return current;
  }
}

function isNewer(a: GrantTruth, b: GrantTruth): boolean {
  if (a.periodStart !== b.periodStart) return a.periodStart > b.periodStart;
  if (a.invoiceCreated !== b.invoiceCreated) return a.invoiceCreated > b.invoiceCreated;
  return a.invoice > b.invoice;
}
