import { expect, it } from 'vitest';
import { HoldBook } from './credit-oracle.ts';

const taken: number[] = [];
const take = (held: number) => void taken.push(held);

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
  expect(book.settle('a', 'confirm', 5, 1_000, take)).toBe('expiry');
  expect(book.settle('a', 'release', 5, 0, take)).toBe('expiry');
});

it('ends a reservation once, and takes once', () => {
  const book = new HoldBook();
  taken.length = 0;
  book.reserve('a', 5, 1_000, 10, 0);
  expect(book.settle('a', 'confirm', 10, 1, take)).toBe('confirm');
  expect(book.settle('a', 'release', 10, 2, take)).toBe('confirm');
  expect(book.settle('a', 'confirm', 10, 9_999, take)).toBe('confirm');
  expect(taken).toEqual([5]);
  expect(book.heldAt(1)).toBe(0);
});

it('knows nothing of what was never held', () => {
  const book = new HoldBook();
  book.reserve('refused', 5, 1_000, 1, 0);
  expect(book.settle('refused', 'confirm', 1, 0, take)).toBe('unknown');
  expect(book.settle('never', 'release', 1, 0, take)).toBe('unknown');
  expect(book.settle('never', 'release', null, 0, take)).toBe('free');
});
