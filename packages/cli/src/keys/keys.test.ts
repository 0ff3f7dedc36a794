import { parseKey, readServiceKey } from '@extension-billing/contract/service-key';
import { HOUR } from '@extension-billing/contract/time';
import { expect, it } from 'vitest';
import { findKeys } from '../../../../functions/src/services/keys.ts';
import { keptLog } from '../../../../functions/test/app/serve-app.ts';
import { MemoryFirestore } from '../../../../functions/test/model/memory-firestore.ts';
import { createKey, type Desk, listKeys, type NewKey, revokeKey, rotateKey } from './keys.ts';

/** An owner at a desk, in front of a database, and the service that reads it. */
function anOwner() {
  const database = new MemoryFirestore();
  const firestore = database.connect();
  const clock = { now: Date.UTC(2026, 10, 22, 12) };
  const said: string[] = [];
  const handed: string[] = [];
  const desk: Desk = {
    firestore,
    now: () => clock.now,
    say: (text) => said.push(text),
    hand: (key) => handed.push(key),
  };
  const asked = { name: 'worker', scopes: ['consume', 'hold'], lasts: null } satisfies NewKey;
  return {
    clock,
    desk,
    said,
    create: async (fields: Partial<NewKey> = {}) => {
      expect(await createKey(desk, { ...asked, ...fields })).toBe(0);
      const key = handed.pop() ?? expect.fail('no key was handed out');
      return { key, id: parseKey(key)?.id ?? expect.fail('what was handed out is no key') };
    },
    rotate: async (id: string, overlap = HOUR, lasts: number | null = null) => {
      const status = await rotateKey(desk, id, { overlap, lasts });
      return { status, key: handed.pop() };
    },
    /** What the service says to a key, without what it remembers. */
    opens: async (key: string) => {
      const find = findKeys({ firestore: database.connect(), now: () => clock.now, log: keptLog() });
      return find(key).then(
        (service) => service?.scopes ?? null,
        () => null,
      );
    },
    stored: (id: string) => readServiceKey(database.documents.get(`service_keys/${id}`)?.data),
    everything: () => JSON.stringify([...database.documents.values()]) + said.join('\n'),
    nothingHanded: () => handed.length === 0,
  };
}

it('a key is handed out once: what is stored and said does not have it', async () => {
  const { create, opens, everything, nothingHanded, desk, stored } = anOwner();
  const { key, id } = await create({ lasts: 90 * 24 * HOUR });
  expect(await opens(key)).toEqual(['consume', 'hold']);
  expect(stored(id)).toMatchObject({ name: 'worker', expiresAt: Date.UTC(2027, 1, 20, 12) });
  await listKeys(desk);
  expect(everything()).not.toContain(parseKey(key)?.secret);
  expect(nothingHanded()).toBe(true);
});

it('two keys have nothing in common', async () => {
  const { create } = anOwner();
  const [one, other] = [await create(), await create()];
  expect(one.id).not.toBe(other.id);
  expect(parseKey(one.key)?.secret).not.toBe(parseKey(other.key)?.secret);
});

it('a revoked key is refused, stays refused, and is listed', async () => {
  const { create, opens, desk, said, clock, stored } = anOwner();
  const { key, id } = await create();
  expect(await revokeKey(desk, id)).toBe(0);
  const revokedAt = clock.now;
  expect(await opens(key)).toBeNull();
  clock.now += HOUR;
  expect(await revokeKey(desk, id)).toBe(0);
  expect(stored(id)?.revokedAt).toBe(revokedAt);
  expect(await rotateKey(desk, id, { overlap: 0, lasts: HOUR })).toBe(1);
  await listKeys(desk);
  expect(said.at(-1)).toMatch(new RegExp(`^${id}  worker  consume hold  revoked  .* never$`, 'm'));
});

it('a rotated key goes on under its id: both secrets open it, then the new one alone', async () => {
  const { create, rotate, opens, clock, desk, said } = anOwner();
  const { key: old, id } = await create();
  const { status, key = '' } = await rotate(id);
  expect([status, parseKey(key)?.id]).toEqual([0, id]);
  expect([await opens(old), await opens(key)]).toEqual([
    ['consume', 'hold'],
    ['consume', 'hold'],
  ]);
  await listKeys(desk);
  expect(said.at(-1)).toContain('active, the old secret until 2026-11-22 13:00Z');
  clock.now += HOUR;
  expect([await opens(old), await opens(key)]).toEqual([null, ['consume', 'hold']]);
});

it('without an overlap the old secret opens nothing at once', async () => {
  const { create, rotate, opens } = anOwner();
  const { key: old, id } = await create();
  const { key = '' } = await rotate(id, 0);
  expect([await opens(old), await opens(key)]).toEqual([null, ['consume', 'hold']]);
});

it('a second rotation within the overlap ends the secret before the last', async () => {
  const { create, rotate, opens } = anOwner();
  const { key: first, id } = await create();
  const { key: second = '' } = await rotate(id);
  const { key: third = '' } = await rotate(id);
  const open = [await opens(first), await opens(second), await opens(third)].map((scopes) => scopes !== null);
  expect(open).toEqual([false, true, true]);
});

it('an expired key comes back only where the rotation says for how long', async () => {
  const { create, rotate, opens, clock } = anOwner();
  const { key, id } = await create({ lasts: HOUR });
  clock.now += HOUR;
  expect(await opens(key)).toBeNull();
  expect(await rotate(id)).toEqual({ status: 1, key: undefined });
  const again = await rotate(id, 0, HOUR);
  expect(await opens(again.key ?? '')).toEqual(['consume', 'hold']);
  expect(await opens(key)).toBeNull();
});

it('a key that there is not is neither rotated nor revoked', async () => {
  const { rotate, desk, said } = anOwner();
  expect((await rotate('zzzzzzzzzzzz')).status).toBe(1);
  expect(await revokeKey(desk, 'zzzzzzzzzzzz')).toBe(1);
  expect(said).toEqual(Array(2).fill('There is no key zzzzzzzzzzzz: npx billing keys list.'));
});
