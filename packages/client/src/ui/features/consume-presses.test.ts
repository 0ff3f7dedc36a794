import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ConsumeResult, DenialReason, ReserveResult, SettleResult } from '../../messages.ts';
import { createHeldPresses, createPresses, isUnsettled } from './consume-presses.ts';

afterEach(() => vi.unstubAllGlobals());

const GRANTED = { ok: true, balance: 9, allowance: 9 } as const;
const denied = (reason: DenialReason) => ({ ok: false, balance: null, allowance: null, reason }) as const;

/** A page whose background answers in turn; an Error is a background that isn't there. */
function pageWith(...answers: (ConsumeResult | ReserveResult | SettleResult | Error)[]) {
  const sent: { type: string; feature: string; requestId: string }[] = [];
  const askBackground = async (message: object): Promise<unknown> => {
    const answer = answers[sent.length];
    sent.push(message as (typeof sent)[number]);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  vi.stubGlobal('chrome', { runtime: { id: 'this-extension' }, askBackground });
  return {
    press: createPresses(),
    pressHeld: createHeldPresses(),
    ids: () => sent.map(({ requestId }) => requestId),
    types: () => sent.map(({ type }) => type),
  };
}

it('retries a press whose outcome is not known under its request id, so that it is charged once', async () => {
  const { press, ids } = pageWith(denied('unavailable'), denied('offline'), GRANTED, GRANTED);
  for (const ok of [false, false, true, true]) expect((await press('demo')).ok).toBe(ok);
  const [first, again, oncemore, next] = ids();
  expect([again, oncemore]).toEqual([first, first]);
  expect(next).not.toBe(first);
});

it.each(['signed_out', 'account_changed'] as const)(
  'retries a press that ended as %s: an attempt before may have been charged',
  async (reason) => {
    const { press, ids } = pageWith(denied(reason), GRANTED);
    await press('demo');
    await press('demo');
    expect(ids()[1]).toBe(ids()[0]);
  },
);

it('starts anew for another feature, and after an outcome that is known', async () => {
  const { press, ids } = pageWith(denied('unavailable'), denied('plan_required'), GRANTED);
  await press('demo');
  await press('demo_deep');
  await press('demo_deep');
  expect(new Set(ids()).size).toBe(3);
});

it('asks for itself when the press that it retried had been refused: credits may have come since', async () => {
  const { press, ids } = pageWith(denied('unavailable'), denied('exhausted'), GRANTED, denied('exhausted'));
  await press('demo');
  expect(await press('demo')).toEqual(GRANTED);
  expect(ids()[1]).toBe(ids()[0]);
  expect(ids()[2]).not.toBe(ids()[0]);
  expect(await press('demo')).toEqual(denied('exhausted'));
  expect(ids()).toHaveLength(4);
});

it('is refused, and rejects nothing, if there is no background', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const { press } = pageWith(new Error('Could not establish connection.'));
  expect(await press('demo')).toEqual(denied('unavailable'));
  expect(log).toHaveBeenCalled();
  log.mockRestore();
});

describe('of a feature whose cost is held', () => {
  const HELD = { ok: true, reservation: 'job', expiresAt: 1, balance: 9, allowance: 9 } as const;
  const EXPIRED = { ok: false, balance: 9, allowance: 9, reason: 'reservation_expired' } as const;
  const [HOLD, CONFIRM] = ['creditsReserve', 'creditsConfirm'];

  it('asks again what became of a press whose confirm was not answered, and holds nothing more', async () => {
    const { pressHeld, types } = pageWith(
      HELD,
      denied('offline'),
      denied('signed_out'),
      GRANTED,
      HELD,
      GRANTED,
    );
    for (const charged of [false, false, true, true])
      expect(await pressHeld('demo')).toMatchObject({ ok: true, charged });
    expect(types()).toEqual([HOLD, CONFIRM, CONFIRM, CONFIRM, HOLD, CONFIRM]);
  });

  it('holds the cost anew if that press was not charged, or another feature is asked for', async () => {
    const lost = denied('unavailable');
    const { pressHeld, types } = pageWith(HELD, lost, EXPIRED, HELD, lost, HELD, GRANTED);
    expect(await pressHeld('demo')).toMatchObject({ charged: false });
    expect(await pressHeld('demo')).toMatchObject({ charged: false });
    expect(await pressHeld('demo_deep')).toMatchObject({ charged: true });
    expect(types()).toEqual([HOLD, CONFIRM, CONFIRM, HOLD, CONFIRM, HOLD, CONFIRM]);
  });

  it.each([
    ['offline', true],
    ['signed_out', true],
    ['updated', true],
    ['reservation_expired', false],
  ] as const)('may have been charged if its confirm ended as %s: %s', (reason, expected) => {
    const settled = { ...EXPIRED, reason };
    expect(isUnsettled({ ok: true, value: 1, charged: false, settled })).toBe(expected);
  });

  it('is refused if the cost can’t be held, and charged if nothing has to be', async () => {
    const { pressHeld } = pageWith(denied('exhausted'), { ...HELD, reservation: null, expiresAt: null });
    expect(await pressHeld('demo')).toEqual(denied('exhausted'));
    expect(await pressHeld('demo')).toMatchObject({ charged: true, settled: null });
  });
});
