import { PACK, testCatalog } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import { soldIn } from './offered.ts';

describe('what an extension offers', () => {
  it('is everything where it is the only one, and the catalogue itself', () => {
    expect(soldIn(testCatalog, null)).toBe(testCatalog);
  });

  it('is what its app sells, where the catalogue names it', () => {
    const { plans, packs } = soldIn(testCatalog, { sells: [PACK.small], entitlements: [] });
    expect(plans).toEqual([]);
    expect(packs.map(({ lookupKey }) => lookupKey)).toEqual([PACK.small]);
  });
});
