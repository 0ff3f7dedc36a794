import { expect, it } from 'vitest';
import {
  hasBegun,
  isEntitling,
  isOver,
  isOverdue,
  isRunning,
  isStalled,
  rankOf,
  SUBSCRIPTION_STATUSES,
} from './subscription-status.ts';

const meaning = (status: string) => ({
  entitles: isEntitling(status),
  runs: isRunning(status),
  overdue: isOverdue(status),
  stalled: isStalled(status),
  over: isOver(status),
  begun: hasBegun(status),
});
const NO = { entitles: false, runs: false, overdue: false, stalled: false, over: false, begun: true };

it.each([
  ['active', { ...NO, entitles: true, runs: true }],
  ['trialing', { ...NO, entitles: true, runs: true }],
  ['past_due', { ...NO, entitles: true, runs: true, overdue: true, stalled: true }],
  ['paused', { ...NO, runs: true, stalled: true }],
  ['unpaid', { ...NO, runs: true, overdue: true, stalled: true }],
  ['incomplete', { ...NO, stalled: true, begun: false }],
  ['canceled', { ...NO, over: true }],
  ['incomplete_expired', { ...NO, over: true, begun: false }],
  ['a_status_of_tomorrow', NO],
])('%s means one thing everywhere', (status, means) => {
  expect(meaning(status)).toEqual(means);
});

it('shows the best of several, an unknown one last', () => {
  const shown = [...SUBSCRIPTION_STATUSES, 'a_status_of_tomorrow'].sort((a, b) => rankOf(a) - rankOf(b));
  expect(shown.slice(0, 6)).toEqual(['active', 'trialing', 'past_due', 'paused', 'unpaid', 'incomplete']);
  expect(rankOf('canceled')).toBe(rankOf('a_status_of_tomorrow'));
});
