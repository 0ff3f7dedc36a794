import { expect, it, vi } from 'vitest';
import { MemoryFirestore } from '../../test/model/memory-firestore.ts';
import { Unavailable } from '../http/answer.ts';
import { parseUid } from '../store/documents.ts';
import { commitCredits } from './commit.ts';

vi.mock('node:timers/promises', () => ({ setTimeout: () => Promise.resolve() }));

function consumeWhile(failure: Error) {
  const database = new MemoryFirestore();
  database.around = { before: () => Promise.reject(failure), after: async () => {} };
  const uid = parseUid('ada');
  if (uid === null) throw new Error('ada is no uid');
  const command = { kind: 'consume', key: 'one', feature: 'demo', cost: 1 } as const;
  return commitCredits(database.connect(), uid, command, Date.now()).catch((error: unknown) => error);
}

it.each([
  ['others keep writing', 10],
  ['Firestore does not answer', 14],
])('where %s, a spend is to be tried again shortly', async (_why, code) => {
  const failure = Object.assign(new Error('from Firestore'), { code });
  const refused = await consumeWhile(failure);
  expect(refused).toBeInstanceOf(Unavailable);
  expect(refused).toMatchObject({ retryAfterSeconds: 1, cause: failure });
});

it('any other failure stays what it is', async () => {
  const fault = new TypeError('a fault');
  expect(await consumeWhile(fault)).toBe(fault);
});
