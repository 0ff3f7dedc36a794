import { expect, it } from 'vitest';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import { keyHere } from '../snapshot/snapshot.ts';
import { sessionMemory } from './session-memory.ts';

const full = {
  ...fakeStorage({ billingPendingConsumes: ['old'] }).area,
  set: () => Promise.reject(new Error('quota exceeded')),
} as unknown as chrome.storage.StorageArea;
const hung = {
  get: () => new Promise(() => {}),
  set: () => new Promise(() => {}),
  remove: () => new Promise(() => {}),
} as unknown as chrome.storage.StorageArea;

it('remembers for the next worker', async () => {
  const { area, peek } = fakeStorage();
  await sessionMemory(area, false).set({ billingPendingConsumes: ['key'] });
  expect(peek('billingPendingConsumes')).toEqual(['key']);
  expect(await sessionMemory(area, false).get('billingPendingConsumes')).toEqual({
    billingPendingConsumes: ['key'],
  });
});

it.each([
  ['full', full],
  ['hung', hung],
])(
  'remembers for this worker where the area is %s, and rejects nothing',
  async (_what, area) => {
    const memory = sessionMemory(area, false);
    await memory.set({ billingPendingConsumes: ['new'] });
    expect(await memory.get('billingPendingConsumes')).toEqual({ billingPendingConsumes: ['new'] });
    await memory.remove('billingPendingConsumes');
  },
  10_000,
);

it('keeps what the incognito half of a split extension remembers apart', async () => {
  const { area, peek } = fakeStorage({ billingPendingConsumes: ['regular'] });
  const incognito = sessionMemory(area, true);
  expect((await incognito.get('billingPendingConsumes')).billingPendingConsumes).toBeUndefined();
  await incognito.set({ billingPendingConsumes: ['incognito'] });
  expect((await incognito.get('billingPendingConsumes')).billingPendingConsumes).toEqual(['incognito']);
  expect(peek('billingPendingConsumes')).toEqual(['regular']);
  const browser = {
    extension: { inIncognitoContext: true },
    runtime: { getManifest: () => ({ incognito: 'split' }) },
  };
  expect(peek(keyHere('billingPendingConsumes', browser)), 'where its pages look').toEqual(['incognito']);
  await incognito.remove('billingPendingConsumes');
  expect(peek('billingPendingConsumes')).toEqual(['regular']);
});
