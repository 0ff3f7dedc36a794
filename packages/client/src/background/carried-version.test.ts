import { expect, it } from 'vitest';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import { createCarriedVersion } from './carried-version.ts';

const KEY = 'billingVersion';

it('carries what the last answer brought, and what the worker before this one kept', async () => {
  const { area } = fakeStorage();
  const first = createCarriedVersion(area);
  expect(await first.of('ada')).toBeNull();
  first.brought('ada', 'one');
  expect([await first.of('ada'), await first.of('grace')]).toEqual(['one', null]);
  expect(await createCarriedVersion(area).of('ada')).toBe('one');
});

it('keeps the newest, also where the storage answers after it came', async () => {
  const { area } = fakeStorage({ [KEY]: { uid: 'ada', version: 'old' } });
  const version = createCarriedVersion(area);
  const asked = version.of('ada');
  version.brought('ada', 'new');
  expect([await asked, await version.of('ada')]).toEqual(['new', 'new']);
});

it('keeps nothing of who has signed out, nor what an answer for them brings later', async () => {
  const { area, peek } = fakeStorage({ [KEY]: { uid: 'ada', version: 'one' } });
  const version = createCarriedVersion(area);
  await version.forgetOthers('ada');
  expect(await version.of('ada')).toBe('one');
  await version.forgetOthers(null);
  version.brought('ada', 'two');
  expect([peek(KEY), await version.of('ada')]).toEqual([undefined, null]);
  await version.forgetOthers('grace');
  version.brought('grace', 'three');
  expect(await version.of('grace')).toBe('three');
});
