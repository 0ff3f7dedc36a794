import type { Firestore, WriteBatch } from 'firebase-admin/firestore';
import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryFirestore } from '../../test/model/memory-firestore.ts';
import { shareCommit } from './share-commits.ts';

describe('commits of one turn', () => {
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
    shareCommit(firestore, [(batch) => batch.create(firestore.doc(path), { n: 1 })]);
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
      shareCommit(
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

  it('are told when they were written', async () => {
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
    const broken = shareCommit(firestore, [
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
  ])('all hear of %s, without more calls', async (_what, code) => {
    failure = Object.assign(new Error('from Firestore'), { code });
    expect(statuses(await createMany(3))).toEqual(['rejected', 'rejected', 'rejected']);
    expect(commits).toBe(1);
  });
});
