import { readFileSync } from 'node:fs';
import { Entry } from '@extension-billing/contract/ledger';
import { CustomerFields } from '@extension-billing/contract/record';
import { ROUTES } from '@extension-billing/contract/routes';
import { expect, it } from 'vitest';
import { toMarker } from '../../functions/src/events/apply.ts';
import type { Uid } from '../../functions/src/store/documents.ts';
import { SALE_KEYS, SEAL_KEY } from '../../functions/src/stripe/fields.ts';
import { EVENT_TYPES } from '../../functions/src/stripe/translate.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = read('docs/specification.md');

/** The first column of a section's table, without its backticks. */
function namesIn(heading: string): readonly string[] {
  const section = page.split(/^## /m).find((each) => each.startsWith(heading)) ?? '';
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => name);
}

const entryFields = new Set(Entry.options.flatMap(({ entries }) => Object.keys(entries)));
entryFields.delete('id');
const settings = [...read('functions/src/config.ts').matchAll(/^ {2}((?:BILLING|PAYMENT)_[A-Z_]+):/gm)];

/** Paid with nothing: a trial's. */
const PAID = {
  kind: 'allowance_paid',
  subscription: 'sub_1',
  invoice: 'in_1',
  credits: 0,
  amountPaid: 0,
  periodStart: 0,
  periodEnd: null,
  invoiceCreated: 0,
  renews: false,
  at: 0,
} as const;

it.each([
  ['The customer record', [...Object.keys(CustomerFields.entries), 'schemaVersion']],
  ['Ledger entries', [...entryFields, 'expireAt']],
  ['Event markers', Object.keys(toMarker('ada' as Uid, { type: 'invoice.paid', at: 0, fact: PAID }, 0))],
  ['Prices and their metadata', [...SALE_KEYS, SEAL_KEY]],
  ['Settings and secrets', settings.map(([, name = '']) => name)],
])('%s: the page names every field, and no other', (heading, fields) => {
  expect(namesIn(heading).toSorted()).toEqual(fields.toSorted());
});

it('counts the routes and the event types', () => {
  expect(page).toContain(`Four of the ${Object.keys(ROUTES).length} come`);
  expect(page).toContain(`| ${EVENT_TYPES.length}: also`);
});
