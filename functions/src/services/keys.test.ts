import { parseKey, readServiceKey, writeKey } from '@extension-billing/contract/service-key';
import { SECOND } from '@extension-billing/contract/time';
import type { Firestore } from 'firebase-admin/firestore';
import { expect, it, vi } from 'vitest';
import { keptLog } from '../../test/app/serve-app.ts';
import { storeKey } from '../../test/app/service-key.ts';
import { MemoryFirestore } from '../../test/model/memory-firestore.ts';
import { Unauthenticated } from '../http/authenticate.ts';
import { TooManyRequests } from '../http/gates.ts';
import { toTimestamp } from '../store/documents.ts';
import { findKeys, hashOfSecret } from './keys.ts';

const secretOf = (key: string) => parseKey(key)?.secret ?? expect.fail('it is no key');
const idOf = (key: string) => parseKey(key)?.id ?? expect.fail('it is no key');

/** An instance of the service in front of a database that counts, under a clock that is set by hand. */
function anInstance(database = new MemoryFirestore()) {
  const clock = { now: 1_000_000 };
  const calls = { read: 0, commit: 0, query: 0 };
  database.around = {
    before: async (call) => {
      calls[call] += 1;
    },
    after: async () => {},
  };
  const firestore: Firestore = database.connect();
  const log = keptLog();
  const find = findKeys({ firestore, now: () => clock.now, log });
  return {
    clock,
    calls,
    firestore,
    log,
    find,
    /** What becomes of a request with this key. */
    answer: (key: string) =>
      find(key).then(
        (service) => service,
        (error: unknown) => {
          if (error instanceof Unauthenticated) return 'refused';
          if (error instanceof TooManyRequests) return 'too many';
          throw error;
        },
      ),
    stored: (key: string) => readServiceKey(database.documents.get(`service_keys/${idOf(key)}`)?.data),
    set: (key: string, fields: object) => firestore.doc(`service_keys/${idOf(key)}`).update({ ...fields }),
  };
}

it('a key proves its service and its scopes; the database has no secret of it', async () => {
  const { firestore, find, stored } = anInstance();
  const key = await storeKey(firestore, { scopes: ['consume', 'hold'] });
  expect(await find(key)).toEqual({ id: `key:${idOf(key)}`, scopes: ['consume', 'hold'] });
  expect(JSON.stringify(stored(key))).not.toContain(secretOf(key));
});

it('what is no key is left to others', async () => {
  const { find, calls } = anInstance();
  expect(await find('some.id.token')).toBeNull();
  expect(calls.read).toBe(0);
});

it.each([
  ['another secret', (key: string) => writeKey(idOf(key), 'A'.repeat(43))],
  ['its hash', (key: string) => writeKey(idOf(key), hashOfSecret(secretOf(key)).slice(0, 43))],
  ['another id', (key: string) => writeKey('zzzzzzzzzzzz', secretOf(key))],
  ['a letter more', (key: string) => `${key}A`],
  ['a letter less', (key: string) => key.slice(0, -1)],
  ['an id that leads elsewhere', (key: string) => `ebk_../x_${secretOf(key)}`],
  ['nothing after its prefix', () => 'ebk_'],
])('a key with %s opens nothing', async (_what, changed) => {
  const { firestore, answer } = anInstance();
  const key = await storeKey(firestore, { scopes: ['read'] });
  expect(await answer(changed(key))).toBe('refused');
});

it.each([
  ['revoked', { revokedAt: 1 }],
  ['expired', { expiresAt: 1_000_000 }],
] as const)(
  'a key that is %s opens nothing, and the log names it without its secret',
  async (reason, fields) => {
    const { firestore, answer, log } = anInstance();
    const key = await storeKey(firestore, { scopes: ['read'], ...fields });
    expect(await answer(key)).toBe('refused');
    expect(log.lines).toEqual([
      { severity: 'warn', event: 'service_key_refused', fields: { key: idOf(key), reason } },
    ]);
    expect(await answer(writeKey(idOf(key), 'A'.repeat(43)))).toBe('refused');
    expect(log.lines, 'who only guesses is not told of').toHaveLength(1);
  },
);

it.each([
  ['revokedAt', undefined],
  ['revokedAt', 'no'],
  ['expiresAt', undefined],
  ['expiresAt', 7],
  ['hash', ''],
  ['hash', null],
  ['scopes', ['all']],
  ['previous', undefined],
])('a damaged key (%s: %j) opens nothing', async (field, value) => {
  const { firestore, answer } = anInstance();
  const key = await storeKey(firestore, { scopes: ['read'] });
  const document = firestore.doc(`service_keys/${idOf(key)}`);
  const { [field]: _, ...rest } = (await document.get()).data() ?? {};
  await document.set({ ...rest, ...(value !== undefined && { [field]: value }) });
  expect(await answer(key)).toBe('refused');
});

it('a key that is in use is read every few seconds, and no request waits for it', async () => {
  const { clock, calls, firestore, answer } = anInstance();
  const key = await storeKey(firestore, { scopes: ['read'], lastUsedAt: 1_000_000 });
  for (let second = 0; second < 60; second += 1) {
    for (let n = 0; n < 20; n += 1) await answer(key);
    clock.now += SECOND;
    await new Promise(setImmediate);
  }
  expect(calls.read).toBeLessThanOrEqual(21);
});

it('a key that is in use is read again beside a request, so that none waits when what was read is too old', async () => {
  const database = new MemoryFirestore();
  const { clock, firestore, answer } = anInstance(database);
  const key = await storeKey(firestore, { scopes: ['read'], lastUsedAt: 1_000_000 });
  await answer(key);
  clock.now += 3 * SECOND;
  await answer(key);
  await new Promise(setImmediate);
  // From here on the database never answers.
  database.around = { before: () => new Promise(() => {}), after: async () => {} };
  clock.now += 4 * SECOND;
  const waited = new Promise((resolve) => setTimeout(resolve, 500, 'waited'));
  expect(await Promise.race([answer(key), waited])).toMatchObject({ scopes: ['read'] });
});

it('a revoked key opens nothing after five seconds, in use or not, whatever was read in between', async () => {
  for (const pause of [100, 1_000, 4_999, 5_000]) {
    const { clock, firestore, answer, set } = anInstance();
    const key = await storeKey(firestore, { scopes: ['read'] });
    expect(await answer(key)).toMatchObject({ scopes: ['read'] });
    await set(key, { revokedAt: toTimestamp(clock.now) });
    const revokedAt = clock.now;
    while (clock.now + pause < revokedAt + 5_000) {
      clock.now += pause;
      await answer(key);
      await new Promise(setImmediate);
    }
    clock.now = revokedAt + 5_000;
    expect(await answer(key), `asked every ${pause} ms`).toBe('refused');
  }
});

it('after a rotation both secrets open the key until the overlap ends', async () => {
  const { clock, firestore, answer } = anInstance();
  const old = await storeKey(firestore, { scopes: ['hold'] });
  const { hash } =
    readServiceKey((await firestore.doc(`service_keys/${idOf(old)}`).get()).data()) ?? expect.fail();
  const key = await storeKey(firestore, { scopes: ['hold'], previous: { hash, until: clock.now + 60_000 } });
  const before = writeKey(idOf(key), secretOf(old));
  const service = { id: `key:${idOf(key)}`, scopes: ['hold'] };
  expect([await answer(key), await answer(before)]).toEqual([service, service]);
  clock.now += 60_000;
  expect([await answer(key), await answer(before)]).toEqual([service, 'refused']);
});

it('a new secret opens its key a second after the rotation at the latest, on an instance that knew the old one', async () => {
  const { clock, firestore, answer, set } = anInstance();
  const old = await storeKey(firestore, { scopes: ['hold'], lastUsedAt: clock.now });
  await answer(old);
  const key = writeKey(idOf(old), 'B'.repeat(43));
  await set(old, { hash: hashOfSecret(secretOf(key)) });
  expect(await answer(key)).toBe('refused');
  clock.now += SECOND;
  expect(await answer(key)).toMatchObject({ scopes: ['hold'] });
  expect(await answer(old)).toBe('refused');
});

it('guessing at a key that there is costs a read in a second at most', async () => {
  const { clock, calls, firestore, answer } = anInstance();
  const key = await storeKey(firestore, { scopes: ['hold'], lastUsedAt: clock.now });
  await answer(key);
  const before = calls.read;
  const wrong = writeKey(idOf(key), 'A'.repeat(43));
  for (let n = 0; n < 100; n += 1) {
    clock.now += SECOND / 10;
    expect(await answer(wrong)).toBe('refused');
  }
  expect(calls.read - before).toBeLessThanOrEqual(10);
});

it('guessing costs a bounded number of reads, and keeps no key from opening that is known here', async () => {
  const { clock, calls, firestore, answer } = anInstance();
  const key = await storeKey(firestore, { scopes: ['read'], lastUsedAt: clock.now });
  await answer(key);
  const before = calls.read;
  const guess = (n: number) => answer(writeKey(`guess${String(n).padStart(7, '0')}`, 'A'.repeat(43)));
  const answers: unknown[] = [];
  for (let n = 0; n < 500; n += 1) answers.push(await guess(n));
  expect(calls.read - before).toBe(30);
  expect(new Set(answers)).toEqual(new Set(['refused', 'too many']));
  expect(await answer(key)).toMatchObject({ scopes: ['read'] });
  // The same guess again is known to be none, and so costs nothing.
  expect(await guess(0)).toBe('refused');
  for (let n = 0; n < 100; n += 1) await answer(writeKey(idOf(key), 'A'.repeat(43)));
  expect(calls.read - before).toBe(30);
});

it('guessing keeps no valid key from opening at an instance that has not seen it yet', async () => {
  const { calls, clock, firestore, answer } = anInstance();
  const key = await storeKey(firestore, { scopes: ['read'], lastUsedAt: clock.now });
  const guess = (n: number) => answer(writeKey(`guess${String(n).padStart(7, '0')}`, 'A'.repeat(43)));
  for (let n = 0; n < 500; n += 1) await guess(n);
  expect(await answer(key)).toMatchObject({ scopes: ['read'] });
  expect(await guess(501)).toBe('too many');
  expect(calls).toMatchObject({ read: 31, query: 1 });
});

it('many requests at once with a key that is not known yet read it once', async () => {
  const { calls, firestore, answer, clock } = anInstance();
  const key = await storeKey(firestore, { scopes: ['read'], lastUsedAt: clock.now });
  const answers = await Promise.all(Array.from({ length: 25 }, () => answer(key)));
  expect(answers.every((one) => one !== 'refused')).toBe(true);
  expect(calls.read).toBe(1);
});

it('the last use is written once a minute by all instances together, beside the request', async () => {
  const database = new MemoryFirestore();
  const one = anInstance(database);
  const key = await storeKey(one.firestore, { scopes: ['read'] });
  let written = 0;
  database.around = {
    before: async () => {},
    after: async (call) => {
      if (call === 'commit') written += 1;
    },
  };
  const other = findKeys({ firestore: database.connect(), now: () => one.clock.now, log: one.log });
  await Promise.all([one.find(key), other(key)]);
  await vi.waitFor(() => expect(one.stored(key)?.lastUsedAt).toBe(1_000_000));
  for (let n = 0; n < 50; n += 1) {
    one.clock.now += SECOND;
    await one.find(key);
    await other(key);
    await new Promise(setImmediate);
  }
  // Both had read that it was never used, and both said so at once.
  expect(written).toBe(1);
  expect(one.stored(key)?.lastUsedAt).toBe(1_000_000);
  one.clock.now += 10 * SECOND;
  await one.find(key);
  await vi.waitFor(() => expect(one.stored(key)?.lastUsedAt).toBe(1_060_000));
});

it('a use that cannot be written keeps no request from its answer', async () => {
  const database = new MemoryFirestore();
  const { firestore, answer } = anInstance(database);
  const key = await storeKey(firestore, { scopes: ['read'] });
  database.around = {
    before: (call) => (call === 'commit' ? Promise.reject(new Error('away')) : Promise.resolve()),
    after: async () => {},
  };
  expect(await answer(key)).toMatchObject({ scopes: ['read'] });
  await new Promise(setImmediate);
});

it('while the database is away, a key opens for seconds, and then the request says so', async () => {
  const database = new MemoryFirestore();
  const { clock, firestore, answer } = anInstance(database);
  const key = await storeKey(firestore, { scopes: ['read'] });
  await answer(key);
  const away = Object.assign(new Error('away'), { code: 14 });
  database.around = { before: () => Promise.reject(away), after: async () => {} };
  clock.now += 4_999;
  expect(await answer(key)).toMatchObject({ scopes: ['read'] });
  await new Promise(setImmediate);
  clock.now += 1;
  await expect(answer(key)).rejects.toBe(away);
});
