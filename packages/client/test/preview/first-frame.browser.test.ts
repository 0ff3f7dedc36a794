import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_CATALOG } from '../../../../tools/test/test-catalog.ts';
import { breakDates } from './break-dates.ts';
import { type OpenPreview, openPreview, SURFACE_SIZES } from './open-preview.ts';
import type { PreviewStateName, PreviewSurface } from './states.ts';

let preview: OpenPreview;
beforeAll(async () => {
  process.env.BILLING_CATALOG = TEST_CATALOG;
  preview = await openPreview();
}, 60_000);
afterAll(() => preview?.close());

/** With one sentence under the plan's name: more of them make a popup higher when they come, by less than 80 px. */
const AS_RESERVED: readonly PreviewStateName[] = [
  'active',
  'active_with_packs',
  'active_low',
  'free_with_packs',
];
const PAGE = /(?:compact|options)-page-[^/]*\.js$/;
const FIRST = '.billing-page[data-pending]';

/** Opens a page and keeps it at its first frame. @returns what lets it go on */
async function holdFirstFrame(
  surface: PreviewSurface,
  state: PreviewStateName,
): Promise<() => Promise<void>> {
  const { page } = preview;
  const held = Promise.withResolvers<void>();
  await page.route(PAGE, async (route) => {
    await held.promise;
    await route.continue();
  });
  const shown = preview.show({ surface, state });
  await page.waitForSelector(FIRST, { timeout: 5_000 });
  return async () => {
    held.resolve();
    await shown;
    await page.unroute(PAGE);
  };
}

/** Where the parts of a page stand that its first frame has, and how high the document is. */
const places = () =>
  preview.page.evaluate(() => {
    const boxOf = (selector: string): number[] | null => {
      const element = document.querySelector(selector);
      if (element === null) return null;
      const { x, y, width, height } = element.getBoundingClientRect();
      return [x, y, width, height].map(Math.round);
    };
    return {
      title: boxOf('h1')?.slice(0, 2),
      meter: boxOf('.billing-meter'),
      plan: boxOf('.billing-status-title'),
      features: boxOf('.billing-features'),
      page: boxOf('.billing-page')?.[3] ?? 0,
    };
  });

describe.each<PreviewSurface>(['popup', 'side-panel', 'options'])('in the %s', (surface) => {
  it.each<PreviewStateName>([
    'active',
    'active_with_packs',
    'active_low',
    'free',
    'free_with_packs',
    'trial',
    'cancel_pending',
    'lifetime',
    'past_due',
    'withheld',
  ])('nothing of the first frame moves when the page takes its place: %s', async (state) => {
    const goOn = await holdFirstFrame(surface, state);
    const first = await places();
    await goOn();
    expect(first.plan, 'is in the first frame').not.toBeNull();
    const after = await places();
    for (const part of ['title', 'meter', 'plan', 'features'] as const) {
      if (first[part] !== null) expect(after[part], part).toEqual(first[part]);
    }
    // A popup is as large as its page.
    if (surface === 'popup') {
      expect(after.page - first.page).toBeGreaterThanOrEqual(-1);
      expect(after.page - first.page).toBeLessThanOrEqual(AS_RESERVED.includes(state) ? 1 : 80);
    }
  });
});

it('lets nobody press what does not work yet, and leaves the focus where it is', async () => {
  const goOn = await holdFirstFrame('popup', 'active');
  await preview.page.keyboard.press('Tab');
  expect(await preview.page.evaluate(() => document.activeElement === document.body)).toBe(true);
  await goOn();
  expect(await preview.page.evaluate(() => document.activeElement === document.body)).toBe(true);
});

it.each<PreviewSurface>(['popup', 'options'])(
  'says in the %s that a page did not load, and loads it when asked to',
  async (surface) => {
    const { page } = preview;
    await page.route(PAGE, (route) => route.abort());
    await page.setViewportSize(SURFACE_SIZES[surface]);
    // The page is there, and stays as it is: nothing is pending.
    await preview.show({ surface, state: 'active' });
    await page.getByRole('alert').getByText('Your account did not load').waitFor();
    await page.unroute(PAGE);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByTestId('manage-billing').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  },
);

it('gives way to the page if it cannot be rendered', async () => {
  const { page } = preview;
  await page.addInitScript(breakDates);
  await preview.show({ surface: 'popup', state: 'active' });
  await page.getByTestId('load-failed').waitFor();
});
