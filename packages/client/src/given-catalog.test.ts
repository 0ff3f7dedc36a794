import { defineCatalog } from '@extension-billing/contract';
import { publishedFields } from '@extension-billing/contract/published-catalog';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import { expect, it, vi } from 'vitest';
import { fakeStorage } from '../test/fake-storage-area.ts';
import { followPublished, givenCatalog, providePricing } from './given-catalog.ts';
import { packName } from './ui/plans/offers.ts';
import { planName } from './ui/plans/plan-names.ts';

const words: Readonly<Record<string, string>> = { proName: 'Beruflich', point: 'Druckqualität' };
vi.stubGlobal('chrome', { i18n: { getMessage: (key: string) => words[key] ?? '' } });

it('keeps a catalogue that was published while the first read was under way', async () => {
  const { storage, area } = fakeStorage();
  const sold = (trialDays: number) =>
    publishedFields({ version: trialDays, catalog: { ...testCatalog, trialDays } });
  const first = Promise.withResolvers<Record<string, unknown>>();
  const slow = { ...storage, local: { ...storage.local, get: () => first.promise } };
  const followed = followPublished(slow as typeof storage, { areaName: 'local', key: 'catalog' });
  await area.set({ catalog: sold(2) });
  first.resolve({ catalog: sold(1) });
  await followed;
  expect(givenCatalog.trialDays).toBe(2);
  await area.remove('catalog');
});

it('shows texts that the extension translates in the user’s language, and others as they are written', () => {
  const price = { amount: 1, currency: 'jpy', product: { name: 'Pro' } };
  providePricing(
    defineCatalog({
      model: 'hybrid-credits',
      gate: 'metered',
      trialDays: 0,
      plans: {
        pro: { ...price, kind: 'lifetime', name: '__MSG_proName__', benefits: ['__MSG_point__', 'Plain'] },
        odd: { ...price, kind: 'lifetime', name: '__MSG_forgotten__' },
      },
      packs: { jar: { ...price, credits: 5, name: 'A jar' } },
      features: {},
    }),
  );
  expect(givenCatalog.plans.map(planName)).toEqual(['Beruflich', '__MSG_forgotten__']);
  expect(givenCatalog.plans[0]?.benefits).toEqual(['Druckqualität', 'Plain']);
  expect(givenCatalog.packs.map(packName)).toEqual(['A jar']);
});
