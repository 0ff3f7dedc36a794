import { expect, it } from 'vitest';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import { keyHere } from '../snapshot/snapshot.ts';
import { sessionMemory } from './session-memory.ts';

const full = {
  ...fakeStorage({ billingTabs: ['old'] }).area,
  set: () => Promise.reject(new Error('quota exceeded')),
} as unknown as chrome.storage.StorageArea;
const hung = {
  get: () => new Promise(() => {}),
  set: () => new Promise(() => {}),
  remove: () => new Promise(() => {}),
} as unknown as chrome.storage.StorageArea;

it('remembers for the next worker', async () => {
  const { area, peek } = fakeStorage();
  await sessionMemory(area, false).set({ billingTabs: ['key'] });
  expect(peek('billingTabs')).toEqual(['key']);
  expect(await sessionMemory(area, false).get('billingTabs')).toEqual({
    billingTabs: ['key'],
  });
});

it.each([
  ['full', full],
  ['hung', hung],
])(
  'remembers for this worker where the area is %s, and rejects nothing',
  async (_what, area) => {
    const memory = sessionMemory(area, false);
    await memory.set({ billingTabs: ['new'] });
    expect(await memory.get('billingTabs')).toEqual({ billingTabs: ['new'] });
    await memory.remove('billingTabs');
  },
  10_000,
);

it('keeps what the incognito half of a split extension remembers apart', async () => {
  const { area, peek } = fakeStorage({ billingTabs: ['regular'] });
  const incognito = sessionMemory(area, true);
  expect((await incognito.get('billingTabs')).billingTabs).toBeUndefined();
  await incognito.set({ billingTabs: ['incognito'] });
  expect((await incognito.get('billingTabs')).billingTabs).toEqual(['incognito']);
  expect(peek('billingTabs')).toEqual(['regular']);
  const browser = {
    extension: { inIncognitoContext: true },
    runtime: { getManifest: () => ({ incognito: 'split' }) },
  };
  expect(peek(keyHere('billingTabs', browser)), 'where its pages look').toEqual(['incognito']);
  await incognito.remove('billingTabs');
  expect(peek('billingTabs')).toEqual(['regular']);
});
