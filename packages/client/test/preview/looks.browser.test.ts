import { PACK } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import { auditPage } from '../../../../e2e/audit-page.ts';
import { keepPreviewOpen } from './keep-preview-open.ts';
import { SURFACE_SIZES } from './open-preview.ts';
import { type PreviewStateName, previewStates } from './states.ts';

/** They look like another state, which is audited. */
const LOOK_ALIKE: readonly string[] = [
  'refusing',
  'active_at_an_old_price_in_euros',
  'active_for_an_unknown_amount',
  'active_low',
  'free_low',
  'free_trial_used',
  'in_euros',
  'lifetime_with_packs',
  'one_credit',
  'subscription_active',
  'subscription_withheld',
  'signed_out_before',
  'storage_refuses',
  'storage_silent',
  'storage_silent_first',
  // Before something is run, and those tests run something (states.browser.test.ts).
  'free_ceiling',
  'free_ceiling_plans_only',
  'free_expected',
];
const names = (Object.keys(previewStates(0)) as PreviewStateName[]).filter(
  (name) => !LOOK_ALIKE.includes(name),
);
/** What was spent is shown on the full page only. */
const isFullPageOnly = (name: string): boolean => name.startsWith('usage_');
const { preview, testId } = keepPreviewOpen();

const backgroundOf = (selector: string): Promise<string> =>
  preview.page.$eval(selector, (element) => getComputedStyle(element).backgroundColor);

/** Twice the text size, and by how many pixels the page then is too wide. */
function overflowAtTwiceTheText(): Promise<number> {
  return preview.page.evaluate(() => {
    document.documentElement.style.fontSize = '200%';
    return document.documentElement.scrollWidth - document.documentElement.clientWidth;
  });
}

// One load for each surface and state: loading takes longer than all that is asked of the page.
describe.each(names)('%s', (state) => {
  it('has nothing that axe finds in light or dark, and fits at twice the text size: full page', async () => {
    await preview.show({ surface: 'options', state, theme: 'light' });
    expect(await auditPage(preview.page)).toEqual([]);
    const light = await backgroundOf('.billing-page');
    await preview.page.emulateMedia({ colorScheme: 'dark' });
    expect(await backgroundOf('.billing-page')).not.toBe(light);
    // The side panel shows everything else in dark, and is audited below.
    if (isFullPageOnly(state)) expect(await auditPage(preview.page, ['color-contrast'])).toEqual([]);
    expect(await overflowAtTwiceTheText()).toBe(0);
  });
});

const compactNames = names.filter((name) => !isFullPageOnly(name));
describe.each(compactNames)('%s', (state) => {
  it('has nothing that axe finds, and fits at twice the text size: popup and narrowest side panel', async () => {
    await preview.show({ surface: 'side-panel', state, theme: 'dark' });
    expect(await auditPage(preview.page)).toEqual([]);
    expect(await overflowAtTwiceTheText()).toBe(0);
    // The popup is the same page, as wide as this; its own frame has a test below.
    await preview.page.setViewportSize(SURFACE_SIZES.popup);
    expect(await overflowAtTwiceTheText()).toBe(0);
  });
});

it.each(['long_names', 'empty', 'signed_out'] as const)(
  'fits into the popup’s own frame: %s',
  async (state) => {
    await preview.show({ surface: 'popup', state, theme: 'dark' });
    expect(await auditPage(preview.page)).toEqual([]);
    expect(await overflowAtTwiceTheText()).toBe(0);
  },
);

it.each(['popup', 'side-panel'] as const)(
  'gives a guest whole lines at twice the text size: %s',
  async (surface) => {
    await preview.show({ surface, state: 'guest', text: '200%' });
    const row = await preview.page.locator('.billing-account').boundingBox();
    const who = await preview.page.locator('.billing-account-who').boundingBox();
    expect(who?.width).toBeGreaterThan((row?.width ?? 0) * 0.9);
  },
);

it('breaks no word of the title where the full page is narrow', async () => {
  for (const width of [420, 320]) {
    await preview.show({ surface: 'options', state: 'long_names' });
    await preview.page.setViewportSize({ width, height: 900 });
    const title = preview.page.locator('h1');
    const lines = (box: { height: number } | null) => Math.round((box?.height ?? 0) / 21);
    expect(lines(await title.boundingBox()), `${width}`).toBeLessThanOrEqual(2);
    const overflow = () =>
      preview.page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
    expect(await overflow()).toBe(0);
  }
});

it('keeps the meter’s two parts and the choice of an interval visible in forced colours', async () => {
  await preview.page.emulateMedia({ forcedColors: 'active' });
  await preview.show({ surface: 'options', state: 'active_with_packs' });
  const [empty, allowance, packs] = await Promise.all(
    [
      '.billing-meter-bar',
      '.billing-meter-bar [data-part=allowance]',
      '.billing-meter-bar [data-part=packs]',
    ].map(backgroundOf),
  );
  expect(new Set([empty, allowance, packs]).size).toBe(3);
  expect(await backgroundOf('.billing-toggle-choice input:checked + span')).not.toBe(
    await backgroundOf('.billing-toggle-choice input:not(:checked) + span'),
  );
  await preview.page.emulateMedia({ forcedColors: 'none' });
});

it('has its look in a shadow root too, and changes neither colours nor background of the page around', async () => {
  await preview.show({ surface: 'options', state: 'active', theme: 'dark' });
  const seen = await preview.page.evaluate(() => {
    const rules = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]);
    // What the demo adds for itself is no part of the package.
    const css = rules.map(({ cssText }) => cssText).filter((text) => !/^(html|body) \{/.test(text));
    const scheme = document.querySelector<HTMLElement>(':root');
    scheme?.removeAttribute('style');
    for (const sheet of document.querySelectorAll('link[rel=stylesheet], style')) sheet.remove();
    const host = document.createElement('div');
    document.body.replaceChildren(host);
    host.attachShadow({
      mode: 'open',
    }).innerHTML = `<style>${css.join('')}</style><div class="billing-page"><button class="billing-button" data-look="primary">x</button></div>`;
    const look = (element: Element | null | undefined) => element && getComputedStyle(element);
    const own = document.createElement('style');
    own.textContent = css.join('');
    const button = look(host.shadowRoot?.querySelector('button'))?.backgroundColor;
    document.head.append(own);
    const { colorScheme, backgroundColor } = getComputedStyle(document.documentElement);
    return { button, colorScheme, backgroundColor };
  });
  expect(seen).toEqual({
    button: 'rgb(143, 138, 255)',
    colorScheme: 'normal',
    backgroundColor: 'rgba(0, 0, 0, 0)',
  });
});

describe('in the narrowest side panel', () => {
  const boxOf = async (id: string) => (await testId(id).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };

  it('features stand in one row, as tall as each other, whichever label breaks', async () => {
    await preview.show({ surface: 'side-panel', state: 'guest' });
    const [short, long] = [await boxOf('run-demo'), await boxOf('run-demo_deep')];
    expect([short.y, short.height]).toEqual([long.y, long.height]);
    expect(long.height).toBeGreaterThan(40);
  });

  it('what a pack costs has the line to itself where it found no place beside the pack', async () => {
    await preview.show({ surface: 'side-panel', state: 'empty' });
    const pack = await preview.page.locator('.billing-pack').first().boundingBox();
    expect((await boxOf(`buy-${PACK.small}`)).width).toBe(pack?.width);
  });

  it('the way to mend a failed payment comes before all else that can be done', async () => {
    await preview.show({ surface: 'side-panel', state: 'unpaid' });
    const fix = preview.page.locator('.billing-status-actions button').first();
    expect(await fix.getAttribute('data-testid')).toBe('manage-billing');
    expect(await fix.getAttribute('data-look')).toBe('primary');
  });
});
