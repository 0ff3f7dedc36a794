import type { Firestore } from 'firebase-admin/firestore';
import { expect, it } from 'vitest';
import { keptLog } from '../../test/app/serve-app.ts';
import type { AppDeps } from '../deps.ts';
import { parseUid } from '../store/documents.ts';
import { mirrorRights } from './claims.ts';

const uid = parseUid('user-1');

/** A user with this record, and accounts that show what was set after `lag` more looks, or never. */
function accounts(lag: number, record: object = { paid: true }, claims: object = { own: 'kept' }) {
  const sets: object[] = [];
  const log = keptLog();
  let looksSince = 0;
  const auth = {
    getUser: async () => {
      looksSince += 1;
      return { customClaims: sets.length > 0 && looksSince > lag ? sets.at(-1) : claims };
    },
    setCustomUserClaims: async (_uid: string, claims: object) => {
      if (sets.length === 0) looksSince = 0;
      sets.push(claims);
    },
  } as unknown as AppDeps['auth'];
  const firestore = {
    doc: () => ({ get: async () => ({ data: () => record }) }),
  } as unknown as Firestore;
  const mirror = async () => {
    if (uid === null) throw new Error('no uid');
    await mirrorRights({ auth, firestore, log }, uid);
  };
  return { mirror, sets, log };
}

it('sets the claim beside the user’s others, once', async () => {
  const { mirror, sets } = accounts(0);
  await mirror();
  expect(sets).toEqual([{ own: 'kept', paid: true }]);
});

it('gives up on accounts that never show what was set, so that the event is delivered again', async () => {
  const { mirror, sets } = accounts(Number.POSITIVE_INFINITY);
  await expect(mirror()).rejects.toThrow('is not seen');
  expect(sets).toHaveLength(10);
});

it('sets the entitlements, too, and takes them away with the plan', async () => {
  const pro = { paid: true, entitlements: ['basic', 'pro'] };
  const bought = accounts(0, pro, { own: 'kept', paid: true });
  await bought.mirror();
  expect(bought.sets).toEqual([{ own: 'kept', ...pro }]);

  const ended = accounts(0, { paid: false }, { own: 'kept', ...pro });
  await ended.mirror();
  expect(ended.sets).toEqual([{ own: 'kept', paid: false }]);

  const asBefore = accounts(0, pro, pro);
  await asBefore.mirror();
  expect(asBefore.sets).toEqual([]);
});

it('sets paid alone where the entitlements find no room beside the user’s own claims, and says so', async () => {
  const own = { roles: 'x'.repeat(900) };
  const { mirror, sets, log } = accounts(0, { paid: true, entitlements: ['p'.repeat(60)] }, own);
  await mirror();
  expect(sets).toEqual([{ ...own, paid: true }]);
  expect(log.lines.map(({ event }) => event)).toContain('claim_too_large');
});

it('leaves paid out, too, where the owner’s claims leave no room for it, and says so', async () => {
  const ofLength = (length: number) => ({ roles: 'x'.repeat(length - '{"roles":""}'.length) });
  const { mirror, sets, log } = accounts(0, { paid: true, entitlements: ['pro'] }, ofLength(989));
  await mirror();
  expect(sets).toEqual([]);
  expect(log.lines.map(({ event }) => event)).toContain('claim_too_large');
  const own = ofLength(988);
  const ended = accounts(0, { paid: false }, { ...own, paid: true });
  await ended.mirror();
  expect(ended.sets).toEqual([own]);
});

it('leaves a claim of the same name alone that is none of this service’s', async () => {
  const { mirror, sets } = accounts(0, { paid: true }, { entitlements: { beta: true } });
  await mirror();
  expect(sets).toEqual([{ entitlements: { beta: true }, paid: true }]);
});
