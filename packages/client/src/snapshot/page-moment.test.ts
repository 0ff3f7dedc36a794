import { DAY } from '@extension-billing/contract/time';
import { expect, it } from 'vitest';
import { aSnapshot } from '../../test/factories.ts';
import { billingStateView } from './access.ts';
import { createMoments, TICK_MS } from './page-moment.ts';

/** Its period ended a week before its access did, at `now`. */
const lapsed = (now: number) =>
  aSnapshot({
    currentPeriodEnd: now - 8 * DAY,
    contactAt: now - 10 * DAY,
    mirroredAt: now - 10 * DAY,
  });

function aPage() {
  const page = { at: 1_000 * DAY, isVisible: true, isOnline: true };
  const look = createMoments({
    now: () => page.at,
    isVisible: () => page.isVisible,
    isOnline: () => page.isOnline,
  });
  return { page, look };
}

it('waits for the server, and never says "free", when a computer wakes with the page open', () => {
  const { page, look } = aPage();
  look();
  page.at += 10 * DAY;
  expect(billingStateView(lapsed(page.at), look())).toBeNull();
  page.at += 9_999;
  expect(billingStateView(lapsed(page.at), look())).toBeNull();
  page.at += 1;
  expect(billingStateView(lapsed(page.at), look())).toBe('free');
});

it('waits again when a page is shown that was hidden, and not when one is looked at all the time', () => {
  const { page, look } = aPage();
  const opened = look().askedAt;
  for (let minute = 0; minute < 10; minute += 1) {
    page.at += TICK_MS;
    expect(look().askedAt).toBe(opened);
  }
  page.isVisible = false;
  for (let minute = 0; minute < 10; minute += 1) {
    page.at += TICK_MS;
    look();
  }
  page.isVisible = true;
  expect(look().askedAt).toBe(page.at);
});

it('waits for nobody without a network', () => {
  const { page, look } = aPage();
  page.isOnline = false;
  expect(billingStateView(lapsed(page.at), look())).toBe('free');
});
