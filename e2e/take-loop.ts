// npm run pictures: plays the main job on the whole suite and lays it out as docs/screenshots/the-loop.png.

import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { costOf } from '@extension-billing/contract/features';
import { controlsOf } from '@extension-billing/simulator/control';
import type { Page } from 'playwright-core';
import { catalog } from '../packages/cli/src/local/catalog.ts';
import { allowance, sold } from '../packages/cli/src/local/sold.ts';
import { readAddresses } from '../packages/cli/src/local/suite.ts';
import { launchExtension, readSnapshot, sendMessage, waitForSnapshot } from './browser.ts';
import { GOOD_CARD, openedTab } from './hosted-pages.ts';

const FRAME = { width: 360, height: 600 };
const testId = (id: string): string => `[data-testid="${id}"]`;

interface Frame {
  readonly says: string;
  readonly png: Buffer;
}

async function takeLoop(dist: string, path: string): Promise<void> {
  await controlsOf(readAddresses(process.env).provider).reset();
  const browser = await launchExtension({ dist, colorScheme: 'light' });
  const frames: Frame[] = [];
  const keep = async (says: string, page: Page): Promise<void> => {
    await page.setViewportSize(FRAME);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const cdp = await browser.context.newCDPSession(page);
    await cdp.send('Emulation.setScrollbarsHidden', { hidden: true });
    await page.evaluate(() => scrollTo(0, 0));
    frames.push({ says, png: await page.screenshot({ animations: 'disabled' }) });
  };
  const pay = async (checkout: Page): Promise<void> => {
    await checkout.click('button[name=action][value=pay]');
    await checkout.waitForURL(/billing\/success/);
    await checkout.close();
  };
  try {
    const options = await browser.open('options');
    const popup = await browser.open('popup');
    await options.fill(testId('sign-in-email'), `${randomUUID().slice(0, 8)}@example.test`);
    await options.fill(testId('sign-in-password'), randomUUID());
    await options.click(testId('sign-up-submit'));
    await popup.waitForSelector(`${testId('plan-status')}[data-state="free"]`);
    await keep('1. New here: free', popup);

    const buy = (key: string): Promise<Page> =>
      openedTab(browser.context, () => options.click(testId(`buy-${key}`)));
    const plan = await buy(sold.metered.lookupKey);
    await fillCard(plan);
    await keep('2. Pays on the hosted page', plan);
    await pay(plan);
    await waitForSnapshot(popup, ({ credits }) => credits?.balance === allowance());
    await popup.locator(testId('balance-value'), { hasText: allowance().toLocaleString('en-US') }).waitFor();
    // The events come in any order: the credits may be here before the plan is.
    await popup.waitForSelector(`${testId('plan-status')}[data-state="trial"]`);
    await keep('3. The credits are everywhere', popup);

    const dear = costOf(catalog, sold.dearFeature) ?? 0;
    for (let left = allowance(); left > 0; left = (await readSnapshot(popup))?.credits?.balance ?? 0) {
      await sendMessage(popup, {
        type: 'creditsConsume',
        feature: left >= dear ? sold.dearFeature : sold.feature,
      });
    }
    await popup.waitForSelector(testId('topup-wall'));
    await keep('4. Spent to zero: the wall rises', popup);

    const pack = await buy(sold.smallPack.lookupKey);
    await fillCard(pack);
    await pay(pack);
    await popup.locator(testId('topup-wall')).waitFor({ state: 'detached' });
    await popup.locator(testId('balance-value'), { hasText: String(sold.smallPack.credits) }).waitFor();
    await keep('5. A top-up clears it', popup);

    const sheet = await browser.context.newPage();
    await sheet.setViewportSize({ width: frames.length * (FRAME.width + 24) + 24, height: 700 });
    await sheet.setContent(layOut(frames));
    await sheet.locator('main').screenshot({ path });
  } finally {
    await browser.close();
  }
}

async function fillCard(checkout: Page): Promise<void> {
  const fields = {
    email: 'ada@example.test',
    number: GOOD_CARD,
    exp: '12 / 34',
    cvc: '123',
    name: 'Ada Lovelace',
  };
  for (const [name, value] of Object.entries(fields)) {
    const field = checkout.locator(`input[name=${name}]:not([type=hidden]):not([readonly])`);
    if ((await field.count()) > 0) await field.fill(value);
  }
}

function layOut(frames: readonly Frame[]): string {
  const figures = frames.map(
    ({ says, png }) =>
      `<figure><figcaption>${says}</figcaption><img src="data:image/png;base64,${png.toString('base64')}"></figure>`,
  );
  return `<style>
    body { margin: 0 }
    main { display: flex; gap: 24px; padding: 20px 24px 24px; background: #e9ebf1; width: max-content }
    figure { margin: 0; width: ${FRAME.width}px } img { display: block; border-radius: 10px; width: 100% }
    figcaption { font: 600 16px system-ui; color: #1c2030; margin-bottom: 10px; height: 22px; white-space: nowrap }
  </style><main>${figures.join('')}</main>`;
}

const dist = process.env.EXTENSION_DIST;
if (dist === undefined) throw new Error('EXTENSION_DIST is not set. Run this with "npm run pictures".');
const path = fileURLToPath(new URL('../docs/screenshots/the-loop.png', import.meta.url));
await takeLoop(dist, path);
console.info('docs/screenshots/the-loop.png');
process.exit();
