import { expect, it, vi } from 'vitest';
import { pay } from '../../elements/button-view.tsx';
import { payThen } from './feature-button.tsx';

it('gives a feature only to who has paid for it', async () => {
  const onPaid = vi.fn();
  await payThen({ run: async () => false }, onPaid);
  expect(onPaid).not.toHaveBeenCalled();
  await payThen({ run: async () => true }, onPaid);
  expect(onPaid).toHaveBeenCalledOnce();
});

it('tells a page whether a press took credits', async () => {
  const said: unknown[] = [];
  const element = {
    held: new Map<string, unknown>(),
    say: (event: string, detail: object) => void said.push([event, detail]),
  };
  const settled = { ok: true, balance: 1, allowance: 0 } as const;
  const late = { ok: false, balance: null, allowance: null, reason: 'reservation_expired' } as const;
  const press = (kind: 'costs' | 'free', done?: object) =>
    pay(element as never, 'demo', {
      access: { kind, cost: 1 },
      run: async () => true,
      runWork: async () => ({ ok: true, value: 7, ...done }) as never,
    });
  await press('costs');
  await press('free');
  element.held.set('work', () => 7);
  await press('costs', { charged: true, settled });
  await press('costs', { charged: true, settled: null });
  await press('costs', { charged: false, settled: late });
  const paid = (charged: boolean, value = {}) => ['billing-paid', { feature: 'demo', charged, ...value }];
  const value = { value: 7 };
  expect(said).toEqual([
    ...[paid(true), paid(false)],
    ...[paid(true, value), paid(false, value), paid(false, value)],
  ]);
});
