import { PACK, testCatalog } from '@extension-billing/contract/test/catalog';
import { afterEach, expect, it, vi } from 'vitest';
import { fakeStorage } from '../../../test/fake-storage-area.ts';
import { givenCatalog, providePricing, showPrices } from '../../given-catalog.ts';
import { type KeptPrices, PRICES_KEY } from '../../snapshot/snapshot.ts';
import { followPrices, parseKept } from './follow-prices.ts';

const PRICE = { lookupKey: 'pro_monthly', amount: 800, currency: 'eur' };
const KEPT = { uid: 'ada', currency: 'eur', at: 1_000, prices: [PRICE] };

it('prices are shown as they were stored', () => {
  expect(parseKept(KEPT)).toEqual(KEPT);
  expect(parseKept({ ...KEPT, currency: undefined })).toMatchObject({ currency: null });
});

it('what is no price is left out, whatever the service answered', () => {
  const odd = [null, 5, {}, { ...PRICE, amount: '8' }, { ...PRICE, currency: 'EUR' }, PRICE];
  expect(parseKept({ ...KEPT, prices: odd })?.prices).toEqual([PRICE]);
});

it('credits that are no whole number are left out, and the price is shown', () => {
  const creditsOf = (credits: unknown) =>
    parseKept({ ...KEPT, prices: [{ ...PRICE, credits }] })?.prices[0]?.credits;
  expect([777, null, 0, -5, 1.5, '777', 1e20].map(creditsOf)).toEqual([777, ...Array(6).fill(undefined)]);
});

it.each([null, 5, {}, { ...KEPT, uid: null }, { ...KEPT, at: 'now' }, { ...KEPT, prices: 'free' }])(
  '%j in storage says nothing',
  (value) => {
    expect(parseKept(value)).toBeNull();
  },
);

afterEach(() => {
  showPrices((catalog) => catalog);
  vi.unstubAllGlobals();
});

it('what another user pays is neither shown nor called confirmed', async () => {
  const kept: KeptPrices = {
    ...{ uid: 'grace', currency: null, at: Date.now() },
    prices: [{ lookupKey: PACK.small, amount: 1, currency: 'usd', credits: 9_999 }],
  };
  const session = fakeStorage({ [PRICES_KEY]: kept }, 'session');
  const local = fakeStorage();
  const onChanged = { addListener() {}, removeListener() {} };
  vi.stubGlobal('navigator', { language: '' });
  vi.stubGlobal('chrome', {
    i18n: { getMessage: () => '', getUILanguage: () => 'en' },
    runtime: { id: 'this-extension', getManifest: () => ({}) },
    storage: { local: local.area, session: session.area, onChanged },
    askBackground: async () => ({ ok: false }),
  });
  providePricing(testCatalog);
  const shownTo = async (uid: string | null) => {
    const words: string[] = [];
    const stop = followPrices(uid, (word) => words.push(word));
    await vi.waitFor(() => expect(words.at(-1)).toMatch(/^(un)?confirmed$/));
    stop();
    const pack = givenCatalog.packs.find(({ lookupKey }) => lookupKey === PACK.small);
    return { words, amount: pack?.amount, credits: pack?.credits };
  };
  expect(await shownTo('ada')).toEqual({ words: ['pending', 'unconfirmed'], amount: 500, credits: 100 });
  expect(await shownTo(null)).toEqual({ words: ['unconfirmed'], amount: 500, credits: 100 });
  expect(await shownTo('grace')).toEqual({ words: ['confirmed'], amount: 1, credits: 9_999 });
});
