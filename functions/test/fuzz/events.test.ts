import { testCatalog } from '@extension-billing/contract/test/catalog';
import fc from 'fast-check';
import type { Stripe } from 'stripe';
import { expect, it } from 'vitest';
import { toFactsDocument } from '../../src/events/apply.ts';
import { type Account, derive, NOTHING_SPENT } from '../../src/events/derive.ts';
import { NO_FACTS, reduce } from '../../src/events/facts.ts';
import { isDocumentId, toCustomerDocument, toEntryDocument } from '../../src/store/documents.ts';
import { translateEvent } from '../../src/stripe/translate.ts';
import { anyEvent, oddEvent, withUnknownFields } from './any-event.ts';
import { runs } from './budget.ts';

const NOW = 1_795_000_000_000;
const SELLER = { project: null, catalog: testCatalog };
const NOBODY: Account = { facts: NO_FACTS, allocation: NOTHING_SPENT, record: null };

/** The way of an event through everything that is pure, up to the documents; what is ignored changes nothing. */
function applied(
  account: Account,
  delivered: Stripe.Event,
): { account: Account; documents: readonly object[] } {
  const translated = translateEvent(delivered, SELLER);
  if (translated.kind === 'ignored') return { account, documents: [] };
  const { event, owner } = translated;
  const reduced = reduce(account.facts, event.fact, event.customer);
  if (reduced.kind === 'undecidable')
    return { account, documents: [{ [reduced.subscription]: 'asked for' }] };
  const { facts } = reduced;
  const { allocation, record, entry } = derive(account, facts, event, NOW, testCatalog);
  const documents = [
    toFactsDocument({ facts, allocation }),
    toCustomerDocument(record),
    // What becomes the id of a document stands as a key here.
    ...(entry === null ? [] : [{ [entry.id]: toEntryDocument(entry) }]),
    ...[owner.customer, owner.charge].map((id) => (id === null ? {} : { [id]: 'looked up' })),
  ];
  return { account: { facts, allocation, record }, documents };
}

/** The place of what Firestore would not take: undefined, an unbounded number, a key that can name no field. */
function unstorable(value: unknown, at = ''): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : at;
  if (typeof value !== 'object') return value === undefined ? at : null;
  if (value === null || 'toMillis' in value) return null;
  for (const [key, field] of Object.entries(value)) {
    const flaw = isDocumentId(key, 1_500) ? unstorable(field, `${at}.${key}`) : `${at}.${key}`;
    if (flaw !== null) return flaw;
  }
  return null;
}

/** Whole credits, none below zero. */
function isWhole({ record }: Account): boolean {
  const { creditsAllowance = 0, packCreditsRemaining = 0 } = record ?? {};
  return [creditsAllowance, packCreditsRemaining].every(
    (amount) => Number.isSafeInteger(amount) && amount >= 0,
  );
}

it('a signed event, however odd, throws nothing and leaves documents that can be stored', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(oddEvent, anyEvent), { minLength: 1, maxLength: 4 }), (events) => {
      let account = NOBODY;
      for (const event of events) {
        const step = applied(account, event);
        for (const document of step.documents)
          if (unstorable(document)) expect(unstorable(document)).toBeNull();
        account = step.account;
      }
      expect(isWhole(account)).toBe(true);
    }),
    runs(2_000),
  );
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

it('fields that nobody has heard of change nothing of what an event tells', () => {
  fc.assert(
    fc.property(withUnknownFields, ([event, more]) => {
      expect(translateEvent(more, SELLER)).toEqual(translateEvent(event, SELLER));
    }),
    runs(2_000),
  );
});

it('an id and the object that it stands for, expanded or deleted, tell the same', () => {
  const references = ['customer', 'payment_intent', 'charge', 'subscription'];
  const expand = (value: unknown, deleted: boolean): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => expand(item, deleted));
    const entries = Object.entries(value).map(([key, field]) =>
      references.includes(key) && typeof field === 'string'
        ? [key, { id: field, object: key, ...(deleted && { deleted }) }]
        : [key, expand(field, deleted)],
    );
    return Object.fromEntries(entries);
  };
  fc.assert(
    fc.property(anyEvent, fc.boolean(), (event, deleted) => {
      expect(translateEvent(expand(event, deleted) as Stripe.Event, SELLER)).toEqual(
        translateEvent(event, SELLER),
      );
    }),
    runs(1_000),
  );
});
