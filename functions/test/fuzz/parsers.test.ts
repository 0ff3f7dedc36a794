import {
  CheckoutRequest,
  ConsumeRequest,
  NoFields,
  ReserveRequest,
  SettleRequest,
} from '@extension-billing/contract/api';
import { PLAN } from '@extension-billing/contract/test/catalog';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { idempotencyKey } from '../../src/credits/consume.ts';
import { parseUsageRange } from '../../src/credits/usage.ts';
import { InvalidRequest } from '../../src/http/answer.ts';
import { parseBody } from '../../src/http/body.ts';
import { runs } from './budget.ts';
import { oddText, oddValue } from './odd-values.ts';

const VALID = { feature: 'demo', lookup_key: PLAN.monthly, reservation: 'job', expiresInSeconds: 60 };
const name = fc.oneof(fc.constantFrom(...Object.keys(VALID)), oddText);
const value = fc.oneof(oddValue, fc.constantFrom(...Object.values(VALID)));
const body = fc.oneof(fc.dictionary(name, value, { maxKeys: 4 }), oddValue);
const schema = fc.constantFrom(CheckoutRequest, ConsumeRequest, NoFields, ReserveRequest, SettleRequest);

/** What came of it: the declared refusal counts as null, and nothing else may be thrown. */
function refusedOr<T>(parse: () => T): T | null {
  try {
    return parse();
  } catch (error) {
    if (error instanceof InvalidRequest) return null;
    throw error;
  }
}

it('a body is read as the fields of its route, the same when it is read again, or refused', () => {
  fc.assert(
    fc.property(schema, body, (route, sent) => {
      const parsed = refusedOr(() => parseBody(route, JSON.parse(JSON.stringify(sent))));
      if (parsed === null) return;
      const foreign = Object.keys(parsed).filter((field) => !Object.hasOwn(VALID, field));
      expect([foreign, Object.getPrototypeOf(parsed)]).toEqual([[], Object.prototype]);
      expect(parseBody(route, parsed)).toEqual(parsed);
    }),
    runs(4_000),
  );
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

it('an idempotency key is taken as it is, or refused', () => {
  fc.assert(
    fc.property(fc.oneof(oddValue, fc.uuid(), fc.stringMatching(/^[\w-]{0,140}$/)), (header) => {
      const key = refusedOr(() => idempotencyKey(header));
      const isKey = typeof header === 'string' && /^[A-Za-z0-9_-]{1,128}$/.test(header);
      expect(key).toBe(isKey ? header : null);
    }),
    runs(4_000),
  );
});

it('a range of dates is one that the database can be asked for, or a sentence', () => {
  const instant = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2999-12-31') });
  const text = fc.option(
    fc.oneof(
      oddText,
      instant.map((date) => date.toISOString()),
      instant.map((date) => date.toISOString().slice(0, 10)),
      fc.constantFrom('2026-02-30', '2026-11-21T24:00:00Z', '2026-11-21T23:59:60Z', '2026-11-21T00:00-24:00'),
    ),
    { nil: undefined },
  );
  fc.assert(
    fc.property(text, text, (from, to) => {
      const range = parseUsageRange(from, to, Date.UTC(2026, 10, 21));
      if (typeof range === 'string') return;
      expect(range.from).toBeLessThan(range.to);
      expect(Number.isSafeInteger(range.from) && Number.isSafeInteger(range.to)).toBe(true);
    }),
    runs(4_000),
  );
});
