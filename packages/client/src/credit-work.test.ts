import { expect, it, vi } from 'vitest';
import { createWithCredits } from './credit-work.ts';
import type { ReserveResult, SettleResult } from './messages.ts';

const HELD: ReserveResult = { ok: true, reservation: 'job', expiresAt: 9_000, balance: 5, allowance: 5 };
const SETTLED: SettleResult = { ok: true, balance: 5, allowance: 5 };

function aDoor(reserved: ReserveResult, confirmed: SettleResult = SETTLED) {
  const door = {
    reserve: vi.fn(async () => reserved),
    confirm: vi.fn(async () => confirmed),
    release: vi.fn(async () => SETTLED),
  };
  return { ...door, withCredits: createWithCredits(door) };
}

it('holds the cost, does the work, and takes the cost', async () => {
  const { withCredits, reserve, confirm, release } = aDoor(HELD);
  const done = await withCredits('demo_deep', async () => 'a summary', { expiresInSeconds: 60 });
  expect(done).toEqual({ ok: true, value: 'a summary', charged: true, settled: SETTLED });
  expect(reserve).toHaveBeenCalledWith({ feature: 'demo_deep', expiresInSeconds: 60 });
  expect(confirm).toHaveBeenCalledExactlyOnceWith({ reservation: 'job' });
  expect(release).not.toHaveBeenCalled();
});

it('does not start the work when the cost cannot be held', async () => {
  const refused: ReserveResult = { ok: false, reason: 'exhausted', balance: 0, allowance: 0 };
  const { withCredits, confirm, release } = aDoor(refused);
  const work = vi.fn();
  expect(await withCredits('demo', work)).toEqual(refused);
  for (const untouched of [work, confirm, release]) expect(untouched).not.toHaveBeenCalled();
});

it('lets the cost go when the work throws, and throws the same', async () => {
  const { withCredits, confirm, release } = aDoor(HELD);
  const failure = new Error('the model is down');
  await expect(withCredits('demo', () => Promise.reject(failure))).rejects.toBe(failure);
  expect(release).toHaveBeenCalledExactlyOnceWith({ reservation: 'job' });
  expect(confirm).not.toHaveBeenCalled();
});

it('throws what the work threw also when nobody takes the release: the reservation expires', async () => {
  const { withCredits, release } = aDoor(HELD);
  release.mockRejectedValue(new Error('no worker'));
  const thrown = () => {
    throw new Error('at once');
  };
  await expect(withCredits('demo', thrown)).rejects.toThrow('at once');
});

it('runs what takes no credits, with nothing to settle', async () => {
  const free: ReserveResult = {
    ok: true,
    reservation: null,
    expiresAt: null,
    balance: null,
    allowance: null,
  };
  const { withCredits, confirm, release } = aDoor(free);
  expect(await withCredits('demo', () => 7)).toEqual({ ok: true, value: 7, charged: true, settled: null });
  await expect(withCredits('demo', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  for (const untouched of [confirm, release]) expect(untouched).not.toHaveBeenCalled();
});

it('gives the work’s result also when it could not be charged, and says so', async () => {
  const late: SettleResult = { ok: false, reason: 'reservation_expired', balance: 5, allowance: 5 };
  const { withCredits } = aDoor(HELD, late);
  expect(await withCredits('demo', () => 'late')).toEqual({
    ok: true,
    value: 'late',
    charged: false,
    settled: late,
  });
});

it('gives the finished work also when its charge cannot be told to anybody', async () => {
  const { withCredits, confirm } = aDoor(HELD);
  confirm.mockRejectedValue(new Error('no worker'));
  expect(await withCredits('demo', () => 'a summary')).toEqual({
    ok: true,
    value: 'a summary',
    charged: false,
    settled: { ok: false, balance: null, allowance: null, reason: 'unavailable' },
  });
});
