import type { Millis } from '@extension-billing/contract/customer';
import { allowanceOf, currentGrant } from './books.ts';
import type { DisputeReport } from './dispute.ts';
import type { BillingEvent } from './events.ts';
import type { Facts } from './facts.ts';
import type { EventEntry } from './ledger.ts';
import { clawedOf } from './purchase.ts';

type Movement = Pick<EventEntry, 'id' | 'kind' | 'reason'>;

/**
 * Which ledger entry an event's effect goes into, or null when it has none on credits. One effect has one id
 * (design, section 4), so an event that comes again under another id, or too late, moves nothing.
 */
export function describeMovement(
  before: Facts,
  after: Facts,
  event: BillingEvent,
  now: Millis,
): Movement | null {
  const { fact } = event;
  switch (fact.kind) {
    case 'purchase_paid': {
      const isNew = (before.purchases[fact.purchase]?.paidAt ?? null) === null;
      if (fact.product !== 'pack' || !isNew) return null;
      return { id: `grant_${fact.purchase}`, kind: 'grant', reason: `pack ${fact.lookupKey ?? ''} bought` };
    }
    case 'allowance_paid': {
      if (currentGrant(after, now)?.invoice === currentGrant(before, now)?.invoice) return null;
      return { id: `allowance_${fact.invoice}`, kind: 'allowance', reason: 'allowance of a new period' };
    }
    case 'subscription_seen':
    case 'subscription_asked': {
      if (currentGrant(after, now)?.invoice === currentGrant(before, now)?.invoice) return null;
      return { id: `drop_${fact.subscription}`, kind: 'drop', reason: 'subscription ended' };
    }
    case 'charge_refunded': {
      if (clawedIn(before, fact.purchase) === clawedIn(after, fact.purchase)) return null;
      const id = `clawback_${fact.charge}_${fact.refunded}`;
      const again = Object.values(before.purchases[fact.purchase]?.refunds ?? {}).some(
        ({ refunded }) => refunded === fact.refunded,
      );
      return { id: again ? `${id}_${fact.at}` : id, kind: 'clawback', reason: 'money refunded' };
    }
    case 'refund_failed': {
      if (clawedIn(before, fact.purchase) === clawedIn(after, fact.purchase)) return null;
      return { id: `restore_${fact.refund}`, kind: 'restore', reason: 'refund failed' };
    }
    case 'dispute_seen': {
      if (clawedIn(before, fact.purchase) === clawedIn(after, fact.purchase)) return null;
      return describeDispute(fact);
    }
    case 'invoice_disputed':
      return allowanceOf(before, now) === allowanceOf(after, now) ? null : describeDispute(fact);
    case 'customer_deleted':
    case 'customer_seen':
      return null;
    default:
      return fact satisfies never;
  }
}

function describeDispute({ dispute, outcome }: DisputeReport): Movement {
  return outcome === 'won'
    ? { id: `restore_${dispute}`, kind: 'restore', reason: 'dispute won' }
    : { id: `clawback_${dispute}`, kind: 'clawback', reason: `dispute ${outcome}` };
}

/** Credits clawed from a purchase that is paid for; before that there is nothing to claw from. */
function clawedIn(facts: Facts, id: string): number {
  const purchase = facts.purchases[id];
  return purchase === undefined || purchase.paidAt === null ? 0 : clawedOf(purchase);
}
