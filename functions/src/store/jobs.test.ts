import * as v from 'valibot';
import { expect, it } from 'vitest';
import { MemoryFirestore } from '../../test/model/memory-firestore.ts';
import { type Job, LEASE_LASTS, LeaseLost, takeJob, UnknownJobState } from './jobs.ts';

const counting: Job<{ cursor: string | null; count: number }> = {
  name: 'counting',
  schema: v.object({ cursor: v.nullable(v.string()), count: v.number() }),
  first: { cursor: null, count: 0 },
};

/** A database, its clock, and a way to take the job as one more process does. */
function aDatabase() {
  const database = new MemoryFirestore();
  const clock = { now: 1_000_000 };
  const take = () => takeJob(database.connect(), counting, () => clock.now);
  const taken = async () => {
    const held = await take();
    if (held === null) throw new Error('somebody else is at it');
    return held;
  };
  return { database, clock, take, taken };
}

it('goes on where it was saved last', async () => {
  const { taken } = aDatabase();
  const first = await taken();
  expect(first.state).toEqual({ cursor: null, count: 0 });
  await first.save({ cursor: 'ada', count: 1 });
  await first.save({ cursor: 'bob', count: 2 });
  await first.release();
  expect((await taken()).state).toEqual({ cursor: 'bob', count: 2 });
});

it('has one holder at a time, until it has not saved for long', async () => {
  const { clock, take, taken } = aDatabase();
  const first = await taken();
  clock.now += LEASE_LASTS - 1;
  expect(await take()).toBeNull();
  await first.save({ cursor: 'ada', count: 1 });
  clock.now += LEASE_LASTS - 1;
  expect(await take()).toBeNull();
  clock.now += 2;
  const second = await taken();
  expect(second.state).toEqual({ cursor: 'ada', count: 1 });

  await expect(first.save({ cursor: 'zoe', count: 26 })).rejects.toThrow(LeaseLost);
  await first.release();
  expect(await take()).toBeNull();
  await second.save({ cursor: 'bob', count: 2 });
});

it('saves with what is written beside, once, though each answer of the store is lost', async () => {
  const { database, taken } = aDatabase();
  const held = await taken();
  let isLost = true;
  database.around = {
    before: async () => {},
    after: async (call) => {
      if (call !== 'commit') return;
      isLost = !isLost;
      if (!isLost) throw Object.assign(new Error('unavailable'), { code: 14 });
    },
  };
  const sum = database.connect().doc('sums/all');
  for (const count of [1, 2, 3]) {
    await held.save({ cursor: 'x', count }, async (transaction) => {
      const before: unknown = (await transaction.get(sum)).get('entries');
      transaction.set(sum, { entries: Number(before ?? 0) + 1 });
    });
  }
  expect(database.documents.get('sums/all')?.data).toEqual({ entries: 3 });
  expect(held.state.count).toBe(3);
});

it('writes nothing beside a save that fails', async () => {
  const { database, clock, taken } = aDatabase();
  const first = await taken();
  clock.now += LEASE_LASTS + 1;
  await taken();
  const alongside = async () => {
    throw new Error('is not asked');
  };
  await expect(first.save({ cursor: 'ada', count: 1 }, alongside)).rejects.toThrow(LeaseLost);
  expect(database.documents.get('billing_jobs/counting')?.data.state).toEqual(counting.first);
});

it('begins nothing anew over what a newer build stored', async () => {
  const { database, take } = aDatabase();
  await database
    .connect()
    .doc('billing_jobs/counting')
    .set({ holder: null, state: { cursor: 7, more: true } });
  await expect(take()).rejects.toThrow(UnknownJobState);
  await expect(take()).rejects.toThrow('cursor');
});
