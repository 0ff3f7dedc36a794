import type { Firestore } from 'firebase-admin/firestore';
import { expect, it } from 'vitest';
import { keptLog } from '../../test/app/serve-app.ts';
import type { AppDeps } from '../deps.ts';
import { parseUid } from '../store/documents.ts';
import { mirrorPaid } from './apply.ts';

const uid = parseUid('user-1');

/** A paid user, and accounts that show what was set after `lag` more looks, or never. */
function accounts(lag: number) {
  const sets: object[] = [];
  let looksSince = 0;
  const auth = {
    getUser: async () => {
      looksSince += 1;
      return { customClaims: sets.length > 0 && looksSince > lag ? sets.at(-1) : { own: 'kept' } };
    },
    setCustomUserClaims: async (_uid: string, claims: object) => {
      if (sets.length === 0) looksSince = 0;
      sets.push(claims);
    },
  } as unknown as AppDeps['auth'];
  const firestore = {
    doc: () => ({ get: async () => ({ data: () => ({ paid: true }) }) }),
  } as unknown as Firestore;
  const mirror = async () => {
    if (uid === null) throw new Error('no uid');
    await mirrorPaid({ auth, firestore, log: keptLog() }, uid);
  };
  return { mirror, sets };
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
