import { PACK } from '@extension-billing/contract/test/catalog';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Purchase, readMetadata, writeMetadata } from './fields.ts';

const pack: Purchase = {
  uid: 'user-1',
  kind: 'pack',
  lookupKey: PACK.small,
  priceId: 'price_1',
  credits: 100,
  monthlyCredits: 0,
};

describe('the metadata of a purchase', () => {
  it('is written under the names that the specification gives', () => {
    expect(writeMetadata(pack)).toEqual({
      uid: 'user-1',
      kind: 'pack',
      lookup_key: PACK.small,
      price_id: 'price_1',
      credits: '100',
    });
    expect(writeMetadata({ ...pack, kind: 'subscription', credits: 0, monthlyCredits: 1000 })).toEqual({
      uid: 'user-1',
      kind: 'subscription',
      lookup_key: PACK.small,
      price_id: 'price_1',
      monthly_credits: '1000',
    });
  });

  it('reads back as it was written', () => {
    const { monthlyCredits: _, ...rest } = pack;
    expect(readMetadata(writeMetadata(pack))).toEqual(rest);
  });

  it.each(['-5', '1.5', '1e3', ' 7', '0x10', '99999999999', '', 'many'])(
    'leaves out the illegal amount %j',
    (credits) => {
      expect(readMetadata({ uid: 'user-1', credits })).toEqual({ uid: 'user-1' });
    },
  );

  it('leaves out an unknown kind and an empty uid', () => {
    expect(readMetadata({ kind: 'gift', uid: '' })).toEqual({});
  });

  it('reads nothing that the map only inherits', () => {
    expect(readMetadata(Object.create({ uid: 'inherited' }))).toEqual({});
  });

  it('never throws, whatever is there', () => {
    fc.assert(
      fc.property(fc.anything(), (anything) => {
        expect(readMetadata(anything as never)).toBeTypeOf('object');
      }),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('uid', 'kind', 'credits'), fc.anything()), (map) => {
        const { uid = '', credits = 0 } = readMetadata(map as never);
        expect(typeof uid).toBe('string');
        expect(Number.isSafeInteger(credits) && credits >= 0).toBe(true);
      }),
    );
  });
});
