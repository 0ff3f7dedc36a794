import { testCatalog } from '@extension-billing/contract/test/catalog';
import type { Stripe } from 'stripe';
import { expect, it } from 'vitest';
import { toFactsDocument } from '../src/events/apply.ts';
import { type Account, derive, NOTHING_SPENT } from '../src/events/derive.ts';
import { NO_FACTS, reduce } from '../src/events/facts.ts';
import { bytesOfDocument, LARGEST_DOCUMENT, toCustomerDocument } from '../src/store/documents.ts';
import { translateEvent } from '../src/stripe/translate.ts';
import {
  invoicePaid,
  type PostedEvent,
  packBought,
  packRefunded,
  subscriptionEvent,
} from './factories/provider-events.ts';

const UID = 'a'.repeat(28);
const YEARS = 10;
const PACKS_A_YEAR = 100;
/** Events between two times that packs are spent. */
const SPENDS_EACH = 10;

/** As long as Stripe's own. */
const stripeId = (prefix: string) => `${prefix}_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`;

/** An event after the other at an account, as the webhook does it. */
function applied({ record, ...account }: Account, posted: PostedEvent, index: number): Account {
  const translated = translateEvent(posted as unknown as Stripe.Event, {
    project: null,
    catalog: testCatalog,
  });
  if (translated.kind === 'ignored') throw new Error(translated.reason);
  const { event } = translated;
  const reduced = reduce(account.facts, event.fact, event.customer);
  if (reduced.kind !== 'reduced') throw new Error('undecidable');
  // To derive costs more the more there is. What is kept depends on the facts, and on what was spent of them.
  if (index % SPENDS_EACH !== 0) return { ...account, facts: reduced.facts, record };
  const packs = record?.packCreditsRemaining ?? 0;
  const spent =
    record === null || packs === 0
      ? record
      : {
          ...record,
          packCreditsRemaining: packs - 5 * SPENDS_EACH,
          creditsRemaining: (record.creditsRemaining ?? 0) - 5 * SPENDS_EACH,
        };
  const derived = derive({ ...account, record: spent }, reduced.facts, event, event.at, testCatalog);
  return { facts: reduced.facts, allocation: derived.allocation, record: derived.record };
}

/** A year of one who comes and goes: a plan that is renewed every month and ends, and packs, some of them refunded. */
function* yearOf(year: number): Generator<PostedEvent> {
  const plan = { uid: UID, subscription: stripeId('sub') };
  yield subscriptionEvent('created', plan);
  for (let month = 0; month < 12; month += 1)
    yield invoicePaid(plan, { invoice: stripeId('in'), period: year * 12 + month });
  yield subscriptionEvent('deleted', plan);
  for (let pack = 0; pack < PACKS_A_YEAR; pack += 1) {
    const buyer = { uid: UID, paymentIntent: stripeId('pi'), customer: stripeId('cus').slice(0, 18) };
    yield packBought({ ...buyer, customer: 'cus_AbCdEfGhIjKlMn' });
    if (pack % 20 === 0) for (const part of [250, 500]) yield packRefunded(buyer, part);
  }
}

it('an account of ten years, ten plans and a thousand packs weighs a third of what Firestore takes', () => {
  let account: Account = { facts: NO_FACTS, allocation: NOTHING_SPENT, record: null };
  const events = Array.from({ length: YEARS }, (_, year) => [...yearOf(year)]).flat();
  for (const [index, event] of events.entries()) account = applied(account, event, events.length - 1 - index);
  const { record } = account;
  const facts = bytesOfDocument(`billing_facts/${UID}`, toFactsDocument(account));
  const customer = record === null ? 0 : bytesOfDocument(`customers/${UID}`, toCustomerDocument(record));
  expect(Object.keys(account.facts.purchases)).toHaveLength(YEARS * PACKS_A_YEAR);
  expect(facts).toBeGreaterThan(LARGEST_DOCUMENT / 5);
  expect(facts).toBeLessThan(LARGEST_DOCUMENT * 0.4);
  // The record does not grow with what was bought.
  expect(customer).toBeLessThan(2_000);
});

it('a document is weighed as Firestore weighs it', () => {
  // The example of https://firebase.google.com/docs/firestore/storage-size.
  const task = { type: 'Personal', done: false, priority: 1, description: 'Learn Cloud Firestore' };
  expect(bytesOfDocument('users/jeff/tasks/my_task_id', task)).toBe(147);
});
