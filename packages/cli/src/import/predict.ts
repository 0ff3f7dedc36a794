import type { CustomerRecord } from '@extension-billing/contract/record';
import type { Stripe } from 'stripe';
import { derive } from '../../../../functions/src/events/derive.ts';
import { type Facts, reduce } from '../../../../functions/src/events/facts.ts';
import type { KnownFact } from '../../../../functions/src/events/hand-grants.ts';
import { openAccount } from '../../../../functions/src/events/open-account.ts';
import { compareWithProvider, NOTHING_NEW } from '../../../../functions/src/reconcile/compare.ts';
import type { CheckDeps } from '../../../../functions/src/reconcile/user.ts';
import { sellerOf } from '../../../../functions/src/stripe/seal.ts';
import { listProviderView } from '../../../../functions/src/stripe/view.ts';
import type { Decision, Seen, Tag } from './decide.ts';

/** What somebody will have. */
export interface Prediction {
  readonly record: CustomerRecord;
  /** The facts do not say it all yet, also where every object says whose it is: an earlier run was cut off. */
  readonly isBehind: boolean;
}

const NO_RECORD: CustomerRecord = {
  ...{ paid: false, plan: null, status: null, cancelAtPeriodEnd: false, currentPeriodEnd: null },
  ...{ customerId: null, trialUsed: false, updatedAt: 0 },
};

/** Later than every question that was put. */
const LATEST = Number.MAX_SAFE_INTEGER;

/**
 * The record that a person will have: what the daily comparison makes of Stripe's objects, as they will be. The same code
 * decides it afterwards.
 *
 * @throws the SDK's error where Stripe cannot be asked
 */
export async function predict(deps: CheckDeps, seen: Seen, decision: Decision): Promise<Prediction> {
  const { uid, stored } = seen;
  const catalog = deps.catalog();
  const now = deps.now();
  const customers = [...new Set([...stored.customers, ...decision.links])];
  const stripe = asTagged(await deps.stripe(), decision.tags);
  const view = await listProviderView(stripe, uid, customers, sellerOf(deps));
  const found = decision.marksTrial ? { ...NO_RECORD, ...stored.record, trialUsed: true } : stored.record;
  const before = stored.stored ?? openAccount(found, stored.ledger, 'import', now).account;
  const missing = compareWithProvider(before.facts, view, LATEST, catalog).flatMap(({ repair }) =>
    repair.kind === 'facts' ? repair.facts : [],
  );
  let { facts } = before;
  for (const { fact, customer } of missing) facts = withFact(facts, fact, customer);
  for (const [index, gift] of decision.gifts.entries()) {
    const { until, entitlement } = gift;
    const entitlements = catalog.entitlements[entitlement] ?? [entitlement];
    const terms = { credits: 0, expires: null, entitlements, until };
    facts = withFact(facts, { kind: 'hand_granted', grant: `gift_${index}`, at: now, ...terms }, null);
  }
  const event = { id: 'import', type: 'import', at: 0, customer: null, fact: NOTHING_NEW };
  const { record } = derive({ ...before, record: found }, facts, event, now, catalog);
  return { record, isBehind: missing.length > 0 };
}

function withFact(facts: Facts, fact: KnownFact, customer: string | null): Facts {
  const reduced = reduce(facts, fact, customer);
  return reduced.kind === 'reduced' ? reduced.facts : facts;
}

/** Stripe, as it answers once these words stand on its objects. */
function asTagged(stripe: Stripe, tags: readonly Tag[]): Stripe {
  const written = new Map(tags.map(({ id, metadata }) => [id, metadata]));
  const tagged = <Row extends { readonly id: string; readonly metadata: Stripe.Metadata | null }>(
    row: Row,
  ) => {
    const news = written.get(row.id);
    return news === undefined ? row : { ...row, metadata: { ...row.metadata, ...news } };
  };
  const { subscriptions, charges } = stripe;
  const seen = Object.create(stripe) as Stripe;
  const listing = <Resource extends object>(
    resource: Resource,
    list: (params: object) => unknown,
  ): Resource => Object.assign(Object.create(resource) as Resource, { list });
  return Object.assign(seen, {
    subscriptions: listing(subscriptions, (params) => each(subscriptions.list(params), tagged)),
    charges: listing(charges, (params) => each(charges.list(params), tagged)),
  });
}

async function* each<Row>(rows: AsyncIterable<Row>, change: (row: Row) => Row): AsyncGenerator<Row> {
  for await (const row of rows) yield change(row);
}
