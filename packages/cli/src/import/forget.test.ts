import { testCatalog } from '@extension-billing/contract/test/catalog';
import { expect, it } from 'vitest';
import { entitlementOf } from '../../../../functions/src/events/entitlement.ts';
import { NO_FACTS, withSubscription } from '../../../../functions/src/events/facts.ts';
import { forget } from './forget.ts';

it('leaves a trial used whose subscription an undo takes back, and nothing else of it', () => {
  const state = { status: 'trialing', cancel: false, lookupKey: 'old', periodEnd: null, trialed: true };
  const known = { state: { ...state, tagged: true }, at: 1, first: true, ticket: 0 };
  const facts = withSubscription(NO_FACTS, 'sub_1', known);
  const left = forget(facts, { subscriptions: new Set(['sub_1']), purchases: new Set() });
  const before = entitlementOf(NO_FACTS, 0, testCatalog);
  expect(entitlementOf(left, 0, testCatalog)).toEqual({ ...before, trialUsed: true });
});
