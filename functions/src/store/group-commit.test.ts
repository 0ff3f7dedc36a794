import type { Firestore, WriteBatch } from 'firebase-admin/firestore';
import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryFirestore } from '../../test/model/memory-firestore.ts';
import { groupCommit, Overloaded, PerKeyQueue, type Waiting } from './group-commit.ts';

/** A queue whose groups are settled by hand, in the order in which they were begun. */
function byHand(maxWaiting: number) {
  const begun: { readonly size: number; readonly finish: () => void }[] = [];
  const queue = new PerKeyQueue<string, number, number>(
    (_key, group: readonly Waiting<number, number>[]) =>
      new Promise((resolve) => {
        const finish = () => {
          for (const { request, resolve: answer } of group) answer(request);
          resolve();
        };
        begun.push({ size: group.length, finish });
      }),
    { maxGroup: 100, maxWaiting },
  );
  return { queue, begun };
}

it('refuses what comes beyond the bound while 10,000 call at once, and answers every other', async () => {
  const { queue, begun } = byHand(5_000);
  const calls = Array.from({ length: 10_000 }, (_, n) => queue.add('user-1', n));
  const outcomes = Promise.allSettled(calls);
  // The first is under way by itself; what came meanwhile goes by the hundred.
  for (let done = 0; done < begun.length; done += 1) {
    begun[done]?.finish();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const settled = await outcomes;
  const answered = settled.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const refused = settled.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  expect(answered).toEqual(Array.from({ length: 5_001 }, (_, n) => n));
  expect(refused).toHaveLength(4_999);
  expect(refused.every((reason) => reason instanceof Overloaded)).toBe(true);
  expect(Math.max(...begun.map(({ size }) => size))).toBe(100);
});

it('takes new ones as soon as some have gone', async () => {
  const { queue, begun } = byHand(1);
  const first = queue.add('user-1', 1);
  const second = queue.add('user-1', 2);
  await expect(queue.add('user-2', 3)).rejects.toThrow(Overloaded);
  begun[0]?.finish();
  expect(await first).toBe(1);
  await new Promise((resolve) => setImmediate(resolve));
  const third = queue.add('user-2', 3);
  for (const { finish } of begun) finish();
  expect([await second, await third]).toEqual([2, 3]);
});

it('counts those of a group that failed as gone', async () => {
  const queue = new PerKeyQueue<string, number, number>(() => Promise.reject(new Error('no database')), {
    maxGroup: 100,
    maxWaiting: 1,
  });
  for (let n = 0; n < 3; n += 1) await expect(queue.add('user-1', n)).rejects.toThrow('no database');
});

describe('group commit of one turn', () => {
  let database: MemoryFirestore;
  let firestore: Firestore;
  let commits: number;
  /** What the next commit fails with. */
  let failure: Error | null;

  beforeEach(() => {
    database = new MemoryFirestore();
    firestore = database.connect();
    commits = 0;
    failure = null;
    database.around = {
      before: async () => {
        commits += 1;
        const error = failure;
        failure = null;
        if (error !== null) throw error;
      },
      after: async () => {},
    };
  });

  const create = (path: string): Promise<unknown> =>
    groupCommit(firestore, [(batch) => batch.create(firestore.doc(path), { n: 1 })]);
  const createMany = (count: number) =>
    Promise.allSettled(Array.from({ length: count }, (_, n) => create(`things/${n}`)));
  const statuses = (settled: readonly PromiseSettledResult<unknown>[]) => settled.map(({ status }) => status);

  it('go in one call, sixteen at the most', async () => {
    expect(new Set(statuses(await createMany(40)))).toEqual(new Set(['fulfilled']));
    expect(commits).toBe(3);
    expect(database.documents.size).toBe(40);
  });

  it('go in one call up to five hundred writes, and nothing is left out or parted', async () => {
    const many = (of: string, count: number) =>
      groupCommit(
        firestore,
        Array.from(
          { length: count },
          (_, n) => (batch: WriteBatch) => batch.create(firestore.doc(`${of}/${n}`), { n }),
        ),
      );
    await Promise.all([many('a', 300), many('b', 200), many('c', 1), many('d', 600), many('e', 2)]);
    expect(commits).toBe(4);
    expect(database.documents.size).toBe(1_103);
  });

  it('answer when they were written', async () => {
    const [at, same] = await Promise.all([create('things/a'), create('things/b')]);
    expect(at).toEqual(same);
    const snapshot = await firestore.doc('things/a').get();
    expect(snapshot.updateTime).toEqual(at);
  });

  it('do not wait for those of another turn', async () => {
    await create('things/a');
    await create('things/b');
    expect(commits).toBe(2);
  });

  it('fail for their own writes only', async () => {
    await create('things/1');
    expect(statuses(await createMany(3))).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(commits).toBe(1 + 1 + 3);
  });

  it('go on where one cannot even be put together', async () => {
    const broken = groupCommit(firestore, [
      (batch) => batch.create(firestore.doc('things/half'), { n: 1 }),
      () => {
        throw new Error('not to be stored');
      },
    ]);
    const [failed, done] = await Promise.allSettled([broken, create('things/whole')]);
    expect(statuses([failed, done])).toEqual(['rejected', 'fulfilled']);
    expect([...database.documents.keys()]).toEqual(['things/whole']);
  });

  it.each([
    ['an answer that is lost', 14],
    ['a quota that is used up', 8],
  ])('all fail for %s, without more calls', async (_what, code) => {
    failure = Object.assign(new Error('from Firestore'), { code });
    expect(statuses(await createMany(3))).toEqual(['rejected', 'rejected', 'rejected']);
    expect(commits).toBe(1);
  });
});
