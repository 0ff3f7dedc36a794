import { expect, it } from 'vitest';
import { HoldBook } from './credit-oracle.ts';

const taken: number[] = [];
const take = (held: number) => void taken.push(held);
const by = (as: 'confirm' | 'release') => ({ as, by: 'user' }) as const;
const settle = (cost: number, overdraw = 0) => ({ as: 'settle', by: 'service', cost, overdraw }) as const;

it('holds what is there, and no more of it', () => {
  const book = new HoldBook();
  expect(book.reserve('a', 5, 1_000, 7, 0)).toEqual({ outcome: 'granted' });
  expect(book.reserve('b', 5, 1_000, 7, 0)).toEqual({ outcome: 'exhausted' });
  expect(book.heldAt(0)).toBe(5);
  expect(book.reserve('b', 5, 1_000, 100, 0)).toEqual({ outcome: 'exhausted' });
  expect(book.reserve('c', 5, 1_000, null, 0)).toEqual({ outcome: 'free' });
});

it('frees what expires, by the clock alone', () => {
  const book = new HoldBook();
  book.reserve('a', 5, 1_000, 5, 0);
  expect([book.heldAt(999), book.heldAt(1_000)]).toEqual([5, 0]);
  expect(book.settle('a', by('confirm'), 5, 1_000, take)).toBe('expiry');
  expect(book.settle('a', by('release'), 5, 0, take)).toBe('expiry');
});

it('ends a reservation once, and takes once', () => {
  const book = new HoldBook();
  taken.length = 0;
  book.reserve('a', 5, 1_000, 10, 0);
  expect(book.settle('a', by('confirm'), 10, 1, take)).toBe('confirm');
  expect(book.settle('a', by('release'), 10, 2, take)).toBe('confirm');
  expect(book.settle('a', by('confirm'), 10, 9_999, take)).toBe('confirm');
  expect(taken).toEqual([5]);
  expect(book.heldAt(1)).toBe(0);
});

it('knows nothing of what was never held', () => {
  const book = new HoldBook();
  book.reserve('refused', 5, 1_000, 1, 0);
  expect(book.settle('refused', by('confirm'), 1, 0, take)).toBe('unknown');
  expect(book.settle('never', by('release'), 1, 0, take)).toBe('unknown');
  expect(book.settle('never', by('release'), null, 0, take)).toBe('free');
});

it('settles for what was used, beyond what is held only of what is there', () => {
  const book = new HoldBook();
  taken.length = 0;
  for (const key of ['less', 'more', 'other']) book.reserve(key, 5, 1_000, 20, 0, 'service');
  expect(book.settle('less', settle(2), 20, 1, take)).toBe('confirm');
  expect(book.settle('less', settle(4), 20, 1, take)).toBe('confirm');
  expect(book.settle('more', settle(10, 4), 18, 1, take)).toBe('above_hold');
  expect(book.settle('more', settle(9, 4), 12, 1, take)).toBe('confirm');
  expect(book.settle('other', settle(9, 4), 5, 1, take)).toBe('confirm');
  expect(taken).toEqual([2, 7, 5]);
});

it('lets no user name an amount, or end what a service holds', () => {
  const book = new HoldBook();
  book.reserve('services', 5, 1_000, 20, 0, 'service');
  book.reserve('own', 5, 1_000, 20, 0, 'user');
  expect(book.settle('services', by('release'), 20, 1, take)).toBe('unknown');
  expect(book.settle('own', { as: 'settle', by: 'user', cost: 1 }, 20, 1, take)).toBe('unknown');
  expect(book.settle('own', by('release'), 20, 1, take)).toBe('release');
});

it('follows a record that is ahead, by a minute at most', () => {
  const book = new HoldBook();
  book.ranAhead(600_000);
  book.reserve('a', 5, 1_000, 5, 0);
  expect([book.heldAt(999), book.heldAt(1_000)]).toEqual([5, 0]);
  book.reserve('b', 5, 30_000, 5, 560_000);
  expect([book.heldAt(629_999), book.heldAt(630_000)]).toEqual([5, 0]);
});
