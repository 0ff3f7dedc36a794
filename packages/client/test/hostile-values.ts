import { MESSAGE_REQUESTS } from '@extension-billing/contract/messages';
import fc from 'fast-check';
import { oddText } from '../../../functions/test/fuzz/odd-values.ts';
import type { BillingMessageType } from '../src/messages.ts';

export const BILLING_MESSAGES = Object.keys(MESSAGE_REQUESTS) as BillingMessageType[];

/** Anything that JSON can carry, and a little that it cannot; odd texts and numbers more often than by chance. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  oddText,
  fc.constantFrom<unknown>(
    null,
    undefined,
    true,
    0,
    -1,
    0.5,
    1e308,
    1e20,
    -1e20,
    Number.NaN,
    2 ** 53,
    [],
    {},
  ),
  fc.double(),
  fc.anything({ key: oddText, maxDepth: 1, maxKeys: 3 }),
  fc.constant(JSON.parse('{"__proto__":{"polluted":true},"toString":null,"valueOf":null}')),
);
