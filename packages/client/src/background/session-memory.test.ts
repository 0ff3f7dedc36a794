import { expect, it } from 'vitest';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import { sessionMemory } from './session-memory.ts';

const full = {
  ...fakeStorage({ pendingConsumes: ['old'] }).area,
  set: () => Promise.reject(new Error('quota exceeded')),
} as unknown as chrome.storage.StorageArea;
const hung = {
  get: () => new Promise(() => {}),
  set: () => new Promise(() => {}),
  remove: () => new Promise(() => {}),
} as unknown as chrome.storage.StorageArea;

it('remembers for the next worker', async () => {
  const { area, peek } = fakeStorage();
  await sessionMemory(area, false).set({ pendingConsumes: ['key'] });
  expect(peek('pendingConsumes')).toEqual(['key']);
  expect(await sessionMemory(area, false).get('pendingConsumes')).toEqual({ pendingConsumes: ['key'] });
});

it.each([
  ['full', full],
  ['hung', hung],
])(
  'remembers for this worker where the area is %s, and rejects nothing',
  async (_what, area) => {
    const memory = sessionMemory(area, false);
    await memory.set({ pendingConsumes: ['new'] });
    expect(await memory.get('pendingConsumes')).toEqual({ pendingConsumes: ['new'] });
    await memory.remove('pendingConsumes');
  },
  10_000,
);

it('keeps what the incognito half of a split extension remembers apart', async () => {
  const { area, peek } = fakeStorage({ pendingConsumes: ['regular'] });
  const incognito = sessionMemory(area, true);
  expect((await incognito.get('pendingConsumes')).pendingConsumes).toBeUndefined();
  await incognito.set({ pendingConsumes: ['incognito'] });
  expect((await incognito.get('pendingConsumes')).pendingConsumes).toEqual(['incognito']);
  expect(peek('pendingConsumes')).toEqual(['regular']);
  await incognito.remove('pendingConsumes');
  expect(peek('pendingConsumes')).toEqual(['regular']);
});
