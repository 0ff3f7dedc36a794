import type { Catalog } from '@extension-billing/contract/catalog';
import { costOf, gateOf } from '@extension-billing/contract/features';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import { expect, it } from 'vitest';
import { decideGate } from './consume.ts';

const catalog: Catalog = {
  ...testCatalog,
  gate: 'paywall',
  features: {
    report: {},
    summary: { cost: 3, gate: 'metered' },
    draft: { gate: 'metered' },
    hint: { gate: 'none' },
  },
};

it('lets a paywalled feature run for whoever has paid', () => {
  expect(decideGate('paywall', true)).toBe('open');
  expect(decideGate('paywall', false)).toBe('plan_required');
});

it('always lets a feature without a gate run', () => {
  expect(decideGate('none', false)).toBe('open');
});

it('takes the gate of the file where a feature names none', () => {
  expect(gateOf(catalog, 'report')).toBe('paywall');
  expect(gateOf(catalog, 'hint')).toBe('none');
  expect(gateOf(catalog, 'summary')).toBe('metered');
  expect(gateOf(catalog, 'constructor')).toBeUndefined();
});

it('takes credits behind a metered gate only: what the feature costs, or one', () => {
  expect(costOf(catalog, 'summary')).toBe(3);
  expect(costOf(catalog, 'draft')).toBe(1);
  expect(costOf(catalog, 'report')).toBe(0);
  expect(costOf(catalog, 'hint')).toBe(0);
  expect(costOf(catalog, 'nothing')).toBeUndefined();
});
