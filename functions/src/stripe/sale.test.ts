import { PACK, PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import { type Seller, saleOf } from './sale.ts';
import { saleSeal } from './seal.ts';

const KEY = 'sk_test_of_the_service';
const { seal, open } = saleSeal([KEY]);
const alone: Seller = { project: 'shop', catalog: testCatalog };
const shared: Seller = { ...alone, open };

const metered = { id: 'price_metered', lookup_key: null, metadata: {} };
const sold = {
  ...{ uid: 'ada', kind: 'subscription', lookup_key: PLAN.metered, price_id: metered.id },
  ...{ monthly_credits: '1000', project: 'shop' },
};

describe('on an account where only this service writes metadata', () => {
  it('plain metadata counts, with a seal, without one, and with one that no key of now opens', () => {
    for (const metadata of [sold, seal(sold), saleSeal(['sk_test_of_before']).seal(sold)])
      expect(saleOf({ metadata: [metadata], prices: [metered] }, alone)).toMatchObject({
        ...{ proof: 'plain', uid: 'ada', said: { lookupKey: PLAN.metered, monthlyCredits: 1000 } },
      });
  });

  it('a reference names a user only beside metadata of this project', () => {
    const uidOf = (metadata: Record<string, string>, reference: string | null = 'ada') =>
      saleOf({ metadata: [metadata], reference }, alone).uid;
    expect(uidOf({})).toBeUndefined();
    expect(uidOf({ campaign: 'spring' })).toBeUndefined();
    expect(uidOf({ kind: 'pack', lookup_key: 'of_another_shop' })).toBeUndefined();
    expect(uidOf({ lookup_key: PACK.small })).toBe('ada');
    expect(uidOf({ lookup_key: PACK.small }, null)).toBeUndefined();
  });
});

describe('on an account where users may write metadata', () => {
  const saleAt = (metadata: Record<string, string>, price: object = metered, id = '') =>
    saleOf({ id, metadata: [metadata], prices: [{ ...metered, ...price }] }, shared);

  it('what checkout sealed counts, whatever an owner noted beside it, and by a key that was replaced since', () => {
    const sale = { proof: 'sealed', uid: 'ada', said: { monthlyCredits: 1000 } };
    expect(saleAt(seal(sold))).toMatchObject(sale);
    expect(saleAt({ ...seal(sold), note: 'called on Monday' })).toMatchObject(sale);
    const renewed = { ...alone, open: saleSeal(['sk_test_of_now', KEY]).open };
    expect(saleOf({ metadata: [seal(sold)], prices: [metered] }, renewed)).toMatchObject(sale);
  });

  it.each([
    ['without a seal', sold],
    ['with the seal of another key', saleSeal(['sk_test_of_others']).seal(sold)],
    ['with an amount that was changed', { ...seal(sold), monthly_credits: '1000000000' }],
    ['with another user', { ...seal(sold), uid: 'eve' }],
    ['with terms that were added', { ...seal(sold), credits_every: 'day' }],
    ['with a seal that is none', { ...sold, seal: '1.' }],
  ])('metadata %s sells nothing and names nobody', (_what, metadata) => {
    expect(saleAt(metadata)).toMatchObject({ proof: 'foreign', uid: undefined, said: {} });
  });

  it('what another project sold under the same key sells nothing here and names nobody', () => {
    expect(saleAt(seal({ ...sold, project: 'another' }))).toMatchObject({ proof: 'foreign', uid: undefined });
  });

  it('a seal that was copied to an object of another price sells nothing', () => {
    expect(saleAt(seal(sold), { id: 'price_cheap' })).toMatchObject({ proof: 'foreign', said: {} });
  });

  it('a seal for one object counts on that one alone, whatever its price', () => {
    const metadata = seal(sold, 'ch_1');
    expect(saleAt(metadata, { id: 'price_old' }, 'ch_1')).toMatchObject({ proof: 'sealed', uid: 'ada' });
    expect(saleAt(metadata, metered, 'ch_2').proof).toBe('foreign');
  });

  it('a price with a lookup key of ours sells what the price says, to whom its customer says', () => {
    const forged = { ...sold, uid: 'eve', monthly_credits: '1000000000' };
    const own = { lookup_key: PLAN.metered, metadata: { monthly_credits: '700' } };
    expect(saleAt(forged, own)).toMatchObject({
      ...{ proof: 'price', uid: undefined },
      said: { kind: 'subscription', lookupKey: PLAN.metered, monthlyCredits: 700 },
    });
    expect(saleAt({}, { lookup_key: PACK.small }).said).toMatchObject({ kind: 'pack', credits: 100 });
  });
});
