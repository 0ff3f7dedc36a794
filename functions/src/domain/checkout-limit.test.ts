import { expect, it } from 'vitest';
import { admitCheckout, MAX_OPEN_PACKS, NO_CHECKOUTS, type RecentCheckouts } from './checkout-limit.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

function after(count: number, kind: 'pack' | 'plan', at = NOW): RecentCheckouts {
  let recent = NO_CHECKOUTS;
  for (let index = 0; index < count; index += 1) {
    const admission = admitCheckout(recent, kind, at + index * MINUTE * (kind === 'pack' ? 1 : 0));
    if (admission.kind === 'refused') throw new Error('refused too early');
    recent = admission.recent;
  }
  return recent;
}

it('ten checkouts of a user in a minute are opened, the eleventh is told when to come again', () => {
  const recent = after(10, 'plan');
  expect(admitCheckout(recent, 'pack', NOW + 1_000)).toEqual({ kind: 'refused', until: NOW + MINUTE });
  expect(admitCheckout(recent, 'pack', NOW + MINUTE)).toMatchObject({ kind: 'admitted' });
});

it('as many pages of packs are open as may be: another one closes the oldest', () => {
  const recent = after(MAX_OPEN_PACKS, 'pack');
  const later = NOW + MAX_OPEN_PACKS * MINUTE;
  const next = admitCheckout(recent, 'pack', later);
  expect(next).toMatchObject({ kind: 'admitted', crowded: true });
  if (next.kind === 'refused') throw new Error('not refused');
  expect(next.recent.packs).toEqual([...recent.packs.slice(1), later]);
  expect(admitCheckout(recent, 'plan', later)).toMatchObject({ crowded: false });
});

it('pages that have run out are open no more', () => {
  const recent = after(MAX_OPEN_PACKS, 'pack');
  expect(admitCheckout(recent, 'pack', NOW + 25 * 60 * MINUTE)).toMatchObject({ crowded: false });
});
